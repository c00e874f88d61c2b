//! From paths to a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use tollgate_rules::form::Date;

use crate::apply;
use crate::audit;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::file::{File, Layer};
use crate::form::PolicyFile;
use crate::layer::{Layering, Parsed};
use crate::meaning;
use crate::pack::pack;
use crate::paths::Paths;
use crate::plan::{Plan, diagnose};
use crate::read::{Flawed, read};
use crate::target;
use crate::tree::Tree;
use crate::trust::{Trust, kind, today};

/// Reads and checks every policy file there is, and puts them together.
///
/// Either all files are right, or nothing is loaded and every mistake is returned: half a policy is none. What is only
/// suspicious is in [`Plan::warnings`].
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{Paths, load};
///
/// let paths = Paths::find(Path::new("/nowhere"), None, |_| None);
/// let plan = load(&paths)?;
/// assert!(plan.packs.contains(&"shell-safety"));
/// # Ok::<(), tollgate_config::Diagnostics>(())
/// ```
pub fn load(paths: &Paths) -> Result<Plan, Diagnostics> {
    let mut wrong = Diagnostics::default();
    let mut files = Vec::new();
    for (layer, path) in paths.files() {
        match File::read(layer, &path) {
            Ok(None) if paths.instead.is_some() => {
                wrong.push(
                    Diagnostic::file(path.display().to_string(), "there is no such file")
                        .help("look at what follows `--config`"),
                );
            }
            Ok(file) => files.extend(file),
            Err(mistake) => wrong.push(mistake),
        }
    }
    let mut suspicious = Vec::new();
    let trusted = files.iter().find(|file| file.layer == Layer::Project).is_some_and(|file| {
        let bytes = file.text.text.as_bytes();
        let held = paths.data().map(|folder| Trust::at(folder).holds(kind::CONFIG, &file.path, bytes));
        held.is_ok_and(|held| {
            held.unwrap_or_else(|error| {
                let message = format!("nothing is known to be trusted: {error}");
                suspicious.push(Diagnostic::warning(&file.text, 0..0, message));
                false
            })
        })
    });
    match combine(files, trusted, today()) {
        Err(found) => wrong.extend(found.iter().cloned()),
        Ok(mut plan) if wrong.is_empty() => {
            plan.warnings.extend(suspicious);
            plan.warnings.sort();
            return Ok(plan);
        }
        Ok(_) => {}
    }
    Err(wrong)
}

/// Puts files together that were read already: in the order machine, user, project, and each layer once.
///
/// `trusted` says whether the project's file is, and `today` which exceptions are over.
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{File, Layer, combine};
/// use tollgate_rules::form::Date;
///
/// let text = "[[rule]]\nid = 'no-prod'\narg.command = { contains = 'prod' }\nblok = 'production is read-only'\n";
/// let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into())?;
/// let found = combine(vec![file], false, Date::of_seconds(0)).unwrap_err();
/// assert!(found.to_string().starts_with(
///     "error: a `rule` has no key `blok`
///  --> tollgate.toml:4:1
///   |
/// 4 | blok = 'production is read-only'
///   | ^^^^
///   = help: did you mean `block`?"
/// ));
/// # Ok::<(), tollgate_config::Diagnostic>(())
/// ```
pub fn combine(files: Vec<File>, trusted: bool, today: Date) -> Result<Plan, Diagnostics> {
    let mut wrong = Diagnostics::default();
    let mut lost = BTreeSet::new();
    let mut plan = Plan { files: files.clone(), ..Plan::default() };
    let mut parsed = Vec::new();
    for file in files {
        let text = plan.texts.len();
        plan.texts.push((Arc::clone(&file.text), "tollgate"));
        let readable: Result<(PolicyFile, _), _> = read(&file.text, "tollgate");
        let rest = readable.map_or_else(
            |flawed| {
                let Flawed { found, rest } = *flawed;
                wrong.extend(found.iter().cloned());
                lost.extend(Tree::parse(&file.text.text).0.ids().map(str::to_owned));
                rest
            },
            Some,
        );
        parsed.extend(rest.map(|(form, kept)| Parsed { file, form, kept, text }));
    }
    let layering = Layering::new(&parsed, trusted, lost, plan);
    let (mut plan, mistakes) = together(layering, today)?;
    wrong.extend(diagnose(&plan.texts, &mistakes).iter().cloned());
    wrong.sort();
    if wrong.is_empty() {
        plan.warnings.sort();
        return Ok(plan);
    }
    Err(wrong)
}

/// The plan, and what makes no sense in it.
fn together(mut layering: Layering<'_>, today: Date) -> Result<(Plan, Vec<tollgate_rules::Mistake>), Diagnostics> {
    let files = layering.files;
    layering.settings();
    for name in layering.packs() {
        if let Some(pack) = pack(name)? {
            layering.pack(pack);
        }
    }
    files.iter().for_each(|parsed| layering.lists(parsed));
    layering.tools();
    layering.workspace();
    layering.audit();
    let mut mistakes: Vec<_> = files.iter().flat_map(meaning::settings).collect();
    mistakes.extend(files.iter().flat_map(audit::mistakes));
    let targets = target::targets(&layering, &mut mistakes);
    target::relax(&mut layering, &targets, today, &mut mistakes);
    for (path, message) in meaning::shadowed(&layering.plan) {
        layering.warn(&path, message, "one of them is enough");
    }
    let mut plan = layering.plan;
    mistakes.extend(files.iter().flat_map(meaning::tools));
    mistakes.extend(meaning::checks(&plan));
    mistakes.extend(apply::overrides(&mut plan));
    mistakes.extend(apply::rules(&mut plan, today));
    Ok((plan, mistakes))
}
