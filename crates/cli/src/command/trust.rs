//! `tollgate trust`

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use tollgate_config::{Entry, FILE_NAME, File, HOOKS_FILE, Hook, Layer, Paths, Plan, kind};
use tollgate_rules::form::OnFault;

use super::{Done, Failure, NO};
use crate::args::{Policy, Trust};
use crate::human;
use crate::output::{print, print_json, short, visible};

/// How wide commands are shown.
const WIDTH: usize = 80;

pub(super) fn run(policy: &Policy, args: &Trust) -> Done {
    let paths = Paths::of_process(policy.config.as_deref())?;
    let data = paths.data().map_err(|error| error.to_string())?;
    let store = tollgate_config::Trust::at(data);
    if args.list {
        return list(&store.list()?, args.json.json);
    }
    let subject = Subject::of(args, &paths)?;
    if args.revoke {
        return subject.revoke(&store, args.json.json);
    }
    human::require("tollgate trust", args.key.key.as_deref())?;
    subject.trust(&store, args.json.json)
}

/// What is to be trusted: where a policy file lies, and where a file with hooks.
struct Subject {
    config: Option<PathBuf>,
    hooks: Option<PathBuf>,
}

impl Subject {
    fn of(args: &Trust, paths: &Paths) -> Result<Self, Failure> {
        let folder = args.dir.as_deref().or(args.file.as_deref().filter(|file| file.is_dir()));
        let subject = match (folder, &args.file) {
            (Some(folder), _) => Self::in_folder(folder, args.revoke),
            (None, Some(file)) if file.extension().is_some_and(|end| end == "json") => {
                Self { config: None, hooks: Some(file.clone()) }
            }
            (None, Some(file)) => Self { config: Some(file.clone()), hooks: None },
            (None, None) => Self { config: paths.project.clone(), hooks: paths.workspace.clone() },
        };
        if subject.config.is_none() && subject.hooks.is_none() {
            let place =
                folder.map_or("here or in a folder above".to_owned(), |folder| format!("in {}", folder.display()));
            let help = "name the file, or begin with `tollgate init --policy`";
            return Err(Failure::Said(format!("there is no {FILE_NAME} {place}; {help}")));
        }
        Ok(subject)
    }

    /// What a folder has. What is gone can still be trusted no longer.
    fn in_folder(folder: &Path, gone: bool) -> Self {
        let there = |name: &str| Some(folder.join(name)).filter(|path| gone || path.symlink_metadata().is_ok());
        Self { config: there(FILE_NAME), hooks: there(HOOKS_FILE) }
    }

    /// Exactly the bytes that were read, found right and shown are trusted, whatever the files hold a moment later.
    fn trust(&self, store: &tollgate_config::Trust, json: bool) -> Done {
        let (config, hooks) = (read(self.config.as_deref())?, read(self.hooks.as_deref())?);
        let plan = tollgate_config::inspect(config.clone().into_iter().collect(), hooks.clone(), true)
            .map_err(|wrong| format!("a policy with mistakes cannot be trusted\n\n{wrong}"))?;
        if !plan.hooks.is_empty() && !agreed(&plan)? {
            eprintln!("nothing is trusted that was not before");
            return Ok(ExitCode::from(NO));
        }
        let mut entries = Vec::new();
        for file in [&config, &hooks].into_iter().flatten() {
            if file.path.extension().is_none_or(|end| end != "json") {
                entries.push(store.trust(kind::CONFIG, &file.path, file.text.text.as_bytes())?);
            }
            if plan.hooks.iter().any(|hook| hook.file == file.path) {
                let manifest = Hook::manifest(file, &plan.hooks);
                entries.push(store.trust(kind::HOOKS, &file.path, manifest.as_bytes())?);
            }
        }
        said(&entries, json)
    }

    fn revoke(&self, store: &tollgate_config::Trust, json: bool) -> Done {
        let mut done = Vec::new();
        for path in [&self.config, &self.hooks].into_iter().flatten() {
            done.push((path, store.revoke(kind::CONFIG, path)? | store.revoke(kind::HOOKS, path)?));
        }
        // Of two files that a project may have, one that was never trusted is not worth a word.
        done = done
            .iter()
            .copied()
            .enumerate()
            .filter(|(at, (_, found))| *at == 0 || *found)
            .map(|(_, one)| one)
            .collect();
        let any = done.iter().any(|(_, found)| *found);
        if json {
            let mut all = done.iter().map(|(path, found)| json!({ "path": path, "revoked": found }));
            let first = all.next().unwrap_or_default();
            let more: Vec<_> = all.collect();
            print_json(&if more.is_empty() { first } else { json!([vec![first], more].concat()) })?;
        } else {
            for (path, found) in done {
                let said = if found { "no longer trusted" } else { "was not trusted" };
                print(&format!("{said}: {}\n", visible(&path.display().to_string())))?;
            }
        }
        Ok(if any { ExitCode::SUCCESS } else { ExitCode::from(NO) })
    }
}

fn read(path: Option<&Path>) -> Result<Option<File>, Failure> {
    let Some(path) = path else { return Ok(None) };
    // Hooks are looked for relative to their file, which must not depend on where this runs.
    let full = std::path::absolute(path)?;
    let file = File::read(Layer::Project, &full).map_err(|wrong| wrong.message)?;
    file.ok_or_else(|| Failure::Said(format!("there is no file `{}`", path.display()))).map(Some)
}

/// Shows what would run, and asks. Whoever says nothing says no.
fn agreed(plan: &Plan) -> Result<bool, Failure> {
    eprintln!("{}", shown_hooks(&plan.hooks));
    eprintln!("These programs run on this machine, with your rights, whenever an agent comes by these points.");
    eprint!("Trust them exactly as they are now? [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    eprintln!();
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Every command in full, however long, with nothing in it that a terminal would obey.
fn shown_hooks(hooks: &[Hook]) -> String {
    let mut text = String::new();
    let mut file = None;
    for hook in hooks {
        if file != Some(&hook.file) {
            text += &format!("hooks of {}\n", visible(&hook.file.display().to_string()));
            file = Some(&hook.file);
        }
        let points: Vec<&str> = hook.on.iter().map(|point| point.0.as_str()).collect();
        let tools = if hook.tools.is_empty() { "*".to_owned() } else { hook.tools.join(", ") };
        let protocol = hook.protocol.name();
        let about = format!("{} at {}, match {tools}, protocol {protocol}", hook.id, points.join(", "));
        text += &whole(&about, 2);
        text += &whole(&hook.line(), 6);
        for pin in &hook.pins {
            text += &whole(&format!("runs {} (sha256 {:.12})", pin.path.display(), pin.hash), 6);
        }
        if !hook.env.is_empty() {
            text += &whole(&format!("gets {} of your environment", hook.env.join(", ")), 6);
        }
        if hook.on_fault == OnFault::Pass {
            text += &whole("lets calls go on when it fails", 6);
        }
    }
    text
}

/// A text in lines that fit, each with an indent. Its own line breaks stay, and nothing of it is lost.
fn whole(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for line in text.split('\n') {
        let letters: Vec<char> = visible(line).chars().collect();
        let mut rest = &letters[..];
        loop {
            let (now, later) = rest.split_at(rest.len().min(WIDTH - indent));
            out += &format!("{:indent$}{}\n", "", now.iter().collect::<String>());
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
    }
    out
}

fn said(entries: &[Entry], json: bool) -> Done {
    let Some((first, more)) = entries.split_first() else { return Ok(ExitCode::from(NO)) };
    if json {
        let mut all = shown(first);
        if !more.is_empty() {
            all["more"] = more.iter().map(shown).collect();
        }
        print_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    for entry in entries {
        let what = if entry.kind == kind::HOOKS { "hooks of " } else { "" };
        print(&format!(
            "trusted: {what}{}\n  exactly as it is now (sha256 {:.12}); any change ends it\n",
            visible(&entry.path),
            entry.hash
        ))?;
    }
    print(&format!("  take it back: tollgate trust --revoke {}\n", visible(&first.path)))?;
    Ok(ExitCode::SUCCESS)
}

fn list(entries: &[Entry], json: bool) -> Done {
    if json {
        print_json(&entries.iter().map(shown).collect())?;
    } else if entries.is_empty() {
        print("nothing is trusted\n")?;
    } else {
        let line = |Entry { date, kind, hash, path }: &Entry| {
            format!("{date}  {}  {:.12}  {}\n", short(&visible(kind), 12), visible(hash), visible(path))
        };
        print(&entries.iter().map(line).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(entry: &Entry) -> serde_json::Value {
    json!({ "kind": entry.kind, "path": entry.path, "sha256": entry.hash, "date": entry.date.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_whole_and_tame() {
        let long = "x".repeat(100);
        for (text, expected) in [
            ("", "  \n"),
            ("python3 guard.py", "  python3 guard.py\n"),
            ("a  b", "  a  b\n"),
            ("one\ntwo", "  one\n  two\n"),
            ("\u{1b}[31mred\u{1b}[0m", "  \\u{1b}[31mred\\u{1b}[0m\n"),
            ("\u{1b}]0;title\u{7}x", "  \\u{1b}]0;title\\u{7}x\n"),
            ("\u{1b}]0;title\u{1b}\\x", "  \\u{1b}]0;title\\u{1b}\\x\n"),
            ("safe\rrm -rf /", "  safe\\u{d}rm -rf /\n"),
            (&long, &format!("  {}\n  {}\n", "x".repeat(78), "x".repeat(22))),
        ] {
            assert_eq!(whole(text, 2), expected, "{text:?}");
        }
    }
}
