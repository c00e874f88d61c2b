//! `tollgate trust`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use tollgate_config::{Entry, FILE_NAME, File, Layer, Paths, kind};

use super::{Done, Failure, NO};
use crate::args::{Policy, Trust};
use crate::human;
use crate::output::{print, print_json, short, visible};

pub(super) fn run(policy: &Policy, args: &Trust) -> Done {
    let paths = Paths::of_process(policy.config.as_deref())?;
    let data = paths.data().map_err(|error| error.to_string())?;
    let store = tollgate_config::Trust::at(data);
    if args.list {
        return list(&store.list()?, args.json.json);
    }
    let file = which(args.file.as_deref(), &paths)?;
    if args.revoke {
        return revoke(&store, &file, args.json.json);
    }
    human::require("tollgate trust", args.key.key.as_deref())?;
    trust(&store, &file, args.json.json)
}

fn which(named: Option<&Path>, paths: &Paths) -> Result<PathBuf, Failure> {
    let nothing =
        || format!("there is no {FILE_NAME} here or in a folder above; name the file, or begin with `tollgate init`");
    let file = named.map(Path::to_owned).or_else(|| paths.project.clone()).ok_or_else(nothing)?;
    Ok(if file.is_dir() { file.join(FILE_NAME) } else { file })
}

/// Exactly the bytes that were read and found right are trusted, whatever the file holds a moment later.
fn trust(store: &tollgate_config::Trust, path: &Path, json: bool) -> Done {
    let file = File::read(Layer::Project, path).map_err(|wrong| wrong.message)?;
    let file = file.ok_or_else(|| format!("there is no file `{}`", path.display()))?;
    let hash = file.hash.clone();
    let bytes = file.text.text.clone().into_bytes();
    tollgate_config::combine(vec![file], true, tollgate_config::today())
        .map_err(|wrong| format!("a policy with mistakes cannot be trusted\n\n{wrong}"))?;
    let entry = store.trust(kind::CONFIG, path, &bytes)?;
    if json {
        print_json(&shown(&entry))?;
    } else {
        print(&format!(
            "trusted: {}\n  exactly as it is now (sha256 {}); any change ends it\n  take it back: tollgate trust --revoke {}\n",
            visible(&entry.path),
            &hash[..12],
            visible(&path.display().to_string())
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(store: &tollgate_config::Trust, path: &Path, json: bool) -> Done {
    let found = store.revoke(kind::CONFIG, path)?;
    if json {
        print_json(&json!({ "path": path, "revoked": found }))?;
    } else {
        let said = if found { "no longer trusted" } else { "was not trusted" };
        print(&format!("{said}: {}\n", visible(&path.display().to_string())))?;
    }
    Ok(if found { ExitCode::SUCCESS } else { ExitCode::from(NO) })
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
