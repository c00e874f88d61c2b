//! From paths to a plan.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use tollgate_rules::form::{Date, Mode};

use crate::apply;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::file::{File, Layer};
use crate::form::PolicyFile;
use crate::hook::Hook;
use crate::layer::{Layering, Parsed};
use crate::paths::Paths;
use crate::plan::{Plan, diagnose};
use crate::read::{self as reading, Flawed};
use crate::seed;
use crate::stage::{STAGES, Stage, Work};
use crate::tree::{Aim, Tree};
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
    load_on(paths, today())
}

/// The same for a day: exceptions end.
pub(crate) fn load_on(paths: &Paths, today: Date) -> Result<Plan, Diagnostics> {
    let mut wrong = Diagnostics::default();
    let loaded = read(paths).unwrap_or_else(|(loaded, mistakes)| {
        wrong.extend(mistakes);
        loaded
    });
    let (trusted, suspicious) = trusts(paths, &loaded);
    match inspect_on(loaded.files, loaded.hooks, trusted, today) {
        Err(found) => wrong.extend(found.iter().cloned()),
        Ok(mut plan) if wrong.is_empty() => {
            plan.warnings.extend(suspicious);
            settle_hooks(&mut plan, paths);
            plan.warnings.sort();
            return Ok(plan);
        }
        Ok(_) => {}
    }
    Err(wrong)
}

/// The policy files there are.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) files: Vec<File>,
    /// The file with hooks beside them.
    pub(crate) hooks: Option<File>,
}

impl Loaded {
    /// All of them, as they are listed in a plan.
    pub(crate) fn all(&self) -> impl Iterator<Item = &File> {
        self.files.iter().chain(&self.hooks)
    }
}

/// Reads every file there is; those that can be read also where others cannot.
pub(crate) fn read(paths: &Paths) -> Result<Loaded, (Loaded, Vec<Diagnostic>)> {
    let (mut loaded, mut wrong) = (Loaded::default(), Vec::new());
    for (layer, path) in paths.files() {
        match File::read(layer, &path) {
            Ok(None) if paths.instead.is_some() => {
                let missing = Diagnostic::file(path.display().to_string(), "there is no such file");
                wrong.push(missing.help("look at what follows `--config`"));
            }
            Ok(file) => loaded.files.extend(file),
            Err(mistake) => wrong.push(mistake),
        }
    }
    match hooks_file(paths) {
        Ok(file) => loaded.hooks = file,
        Err(mistake) => wrong.push(mistake),
    }
    if wrong.is_empty() { Ok(loaded) } else { Err((loaded, wrong)) }
}

/// Whether the project's file is trusted, and what is odd about the store that says so.
pub(crate) fn trusts(paths: &Paths, loaded: &Loaded) -> (bool, Option<Diagnostic>) {
    let Some(file) = loaded.files.iter().find(|file| file.layer == Layer::Project) else { return (false, None) };
    let bytes = file.text.text.as_bytes();
    let held = paths.data().map(|folder| Trust::at(folder).holds(kind::CONFIG, &file.path, bytes));
    match held {
        Ok(Err(error)) => {
            let message = format!("nothing is known to be trusted: {error}");
            (false, Some(Diagnostic::warning(&file.text, 0..0, message)))
        }
        held => (matches!(held, Ok(Ok(true))), None),
    }
}

/// The file with hooks, if there is one.
fn hooks_file(paths: &Paths) -> Result<Option<File>, Diagnostic> {
    let Some((layer, path)) = paths.hooks_file() else { return Ok(None) };
    let file = File::read(layer, path)?;
    if file.is_none() && layer == Layer::User {
        let missing = Diagnostic::file(path.display().to_string(), "there is no such file");
        return Err(missing.help("look at what follows `--hooks`"));
    }
    Ok(file)
}

/// Puts files together that were read already, with a file of hooks beside them (`"hooks": {"preToolUse": …}`, as JSON).
///
/// `trusted` says whether what comes with the project is, hooks included.
pub fn inspect(files: Vec<File>, hooks: Option<File>, trusted: bool) -> Result<Plan, Diagnostics> {
    inspect_on(files, hooks, trusted, today())
}

fn inspect_on(files: Vec<File>, hooks: Option<File>, trusted: bool, today: Date) -> Result<Plan, Diagnostics> {
    let mut plan = combine(files, trusted, today);
    let Some(file) = hooks else { return plan };
    match (seed::hooks(&file), &mut plan) {
        (Ok(found), Ok(plan)) => {
            plan.hooks.extend(found.into_iter().map(|hook| Hook { trusted: hook.trusted || trusted, ..hook }));
            plan.files.push(file);
        }
        (Ok(_), Err(_)) => {}
        (Err(found), Ok(_)) => return Err(found),
        (Err(found), Err(wrong)) => wrong.extend(found.iter().cloned()),
    }
    plan
}

/// Whether hooks that came with the project may run: only while exactly these are trusted, scripts included.
pub(crate) fn settle_hooks(plan: &mut Plan, paths: &Paths) {
    for file in plan.files.clone().iter().filter(|file| file.layer == Layer::Project) {
        let own = |hook: &Hook| hook.file == file.path;
        if !plan.hooks.iter().any(own) {
            continue;
        }
        let manifest = Hook::manifest(file, &plan.hooks);
        let store = paths.data().map(Trust::at).map_err(|error| error.to_string());
        let held = store.and_then(|store| {
            store.holds(kind::HOOKS, &file.path, manifest.as_bytes()).map_err(|error| error.to_string())
        });
        let trusted = held.as_ref().is_ok_and(|held| *held);
        plan.hooks.iter_mut().filter(|hook| own(hook)).for_each(|hook| hook.trusted = trusted);
        if !trusted {
            let at = first_hook(&file.text.text);
            let message = "the hooks in this file are not trusted as they are now, so what they would judge is refused";
            let help = match held {
                Err(error) => format!("nothing is known to be trusted: {error}"),
                Ok(_) => "look at them and their scripts, then run `tollgate trust`".to_owned(),
            };
            plan.warnings.push(Diagnostic::warning(&file.text, at, message).help(help));
        }
    }
}

/// Where the hooks of a file begin, in whichever form it is.
fn first_hook(text: &str) -> Range<usize> {
    let (tree, errors) = Tree::parse(text);
    if errors.is_empty() {
        return tree.locate(&["hook".into(), 0.into()], Aim::Key);
    }
    text.find("\"hooks\"").map_or(0..0, |at| at..at + "\"hooks\"".len())
}

/// Puts files together that were read already: in the order machine, user, project, and each layer once.
///
/// `trusted` says whether the project's file is, and `today` which exceptions are over.
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{File, Layer, combine};
/// use tollgate_rules::form::{Date, Mode};
///
/// let text = "[[rule]]\nid = 'no-prod'\narg.command = { contains = 'prod' }\ndenny = 'production is read-only'\n";
/// let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into())?;
/// let found = combine(vec![file], false, Date::of_seconds(0)).unwrap_err();
/// assert!(found.to_string().starts_with(
///     "error: a `rule` has no key `denny`
///  --> tollgate.toml:4:1
///   |
/// 4 | denny = 'production is read-only'
///   | ^^^^^
///   = help: did you mean `deny`?"
/// ));
/// # Ok::<(), tollgate_config::Diagnostic>(())
/// ```
pub fn combine(files: Vec<File>, trusted: bool, today: Date) -> Result<Plan, Diagnostics> {
    combine_by(&STAGES, files, trusted, today)
}

/// The same, by these stages.
pub(crate) fn combine_by(stages: &[Stage], files: Vec<File>, trusted: bool, today: Date) -> Result<Plan, Diagnostics> {
    let mut wrong = Diagnostics::default();
    let mut lost = BTreeSet::new();
    let mut plan = Plan { files: files.clone(), ..Plan::default() };
    let mut parsed = Vec::new();
    for file in files {
        let text = plan.texts.len();
        plan.texts.push((Arc::clone(&file.text), "tollgate"));
        let readable: Result<(PolicyFile, _), _> = reading::read(&file.text, "tollgate");
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
    let mut work = Work { layering, today, mistakes: Vec::new(), wrong };
    stages.iter().for_each(|stage| stage.run(&mut work));
    let Work { layering: Layering { mut plan, .. }, mistakes, mut wrong, .. } = work;
    wrong.extend(diagnose(&plan.texts, &mistakes).iter().cloned());
    wrong.sort();
    if wrong.is_empty() {
        plan.warnings.sort();
        return Ok(plan);
    }
    Err(wrong)
}

/// The same plan, with nothing enforced: all that would have been done is only reported. A dry run stays one, because it
/// is nobody's objection.
///
/// ```
/// use tollgate_config::{combine, observed, today};
/// use tollgate_rules::form::Mode;
///
/// let plan = observed(combine(Vec::new(), false, today())?, today())?;
/// assert_eq!(plan.mode, Mode::Observe);
/// # Ok::<(), tollgate_config::Diagnostics>(())
/// ```
pub fn observed(mut plan: Plan, today: Date) -> Result<Plan, Diagnostics> {
    if plan.mode == Mode::Observe {
        return Ok(plan);
    }
    plan.mode = Mode::Observe;
    on(plan, today)
}

/// The same plan on a later day, without the exceptions that have ended since: for who cannot load it anew.
pub fn on(mut plan: Plan, today: Date) -> Result<Plan, Diagnostics> {
    let mistakes = apply::rules(&mut plan, today);
    if mistakes.is_empty() { Ok(plan) } else { Err(plan.diagnose(&mistakes)) }
}
