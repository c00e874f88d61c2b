//! `tollgate init`

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use tollgate_config::{Anchor, FILE_NAME, Paths, TEMPLATE};
use tollgate_hook::setup::{Level, Place, Plan, SETUPS, Setup, chosen, is_small};

use super::settings::{self, Wanted};
use super::{Done, NO};
use crate::args::{Init, Policy};
use crate::human;
use crate::output::{Paint, print, print_json, visible};

pub(super) fn run(policy: &Policy, args: &Init, paint: Paint) -> Done {
    if args.policy {
        return template(policy, args);
    }
    let place = Place::of_process()?;
    let setups = chosen(&place, &args.agent)?;
    if setups.is_empty() {
        return nobody(&place, args.json.json);
    }
    let paths = Paths::of_process(policy.config.as_deref())?;
    let data = paths.data().map_err(|error| error.to_string())?;
    let level = if args.project { Level::Project } else { Level::User };
    let program = publishing(&paths, place.this_program()?);
    let plan = Plan::install(&place, data, &setups, level, &program).map_err(settings::refused)?;
    let titles = setups.iter().map(|setup| setup.title()).collect::<Vec<_>>().join(", ");
    let wanted = Wanted {
        what: "tollgate init",
        nothing: &format!(
            "nothing to do: {titles} {} registered already",
            if setups.len() == 1 { "is" } else { "are" }
        ),
        done: &format!(
            "registered with {titles}\n  \
             tollgate doctor       prove that it works\n  \
             tollgate uninstall    take it away again\n"
        ),
    };
    settings::change(&plan, &wanted, &args.writing, args.json.json, paint)
}

/// The program that can do what the policy says: heads at an address are published by the larger one.
fn publishing(paths: &Paths, program: PathBuf) -> PathBuf {
    let anchor = tollgate_config::load(paths).ok().and_then(|plan| plan.audit.anchor);
    let larger = program.with_file_name("tollgate");
    if is_small(&program) && matches!(anchor, Some(Anchor::Url(_))) && larger.exists() { larger } else { program }
}

/// Nobody is there to register with.
fn nobody(place: &Place, json: bool) -> Done {
    let known: Vec<&Setup> = SETUPS.iter().filter(|setup| setup.agent().is_some()).collect();
    if json {
        let looked: Vec<_> =
            known.iter().map(|setup| json!({ "agent": setup.id, "for": setup.looked_for(place) })).collect();
        print_json(&json!({ "ok": false, "written": false, "changes": [], "looked": looked }))?;
        return Ok(ExitCode::from(NO));
    }
    let looked = known.iter().map(|setup| format!("  {:<12} {}\n", setup.id, visible(&setup.looked_for(place))));
    print(&format!(
        "no coding agent was found; looked for\n{}\nname one that is not installed yet: tollgate init --agent {}\n",
        looked.collect::<String>(),
        known.first().map_or("NAME", |setup| setup.id)
    ))?;
    Ok(ExitCode::from(NO))
}

/// A policy to start with.
fn template(policy: &Policy, args: &Init) -> Done {
    // An empty policy in place of a full one, or nearer than one, takes rules away.
    let is_nearer = !Path::new(FILE_NAME).exists() && Paths::of_process(policy.config.as_deref())?.project.is_some();
    if args.force || is_nearer {
        human::require("tollgate init --policy", args.writing.key.key.as_deref())?;
    }
    let mut options = OpenOptions::new();
    // What a person wrote is not written over by accident, not even in a race.
    if args.force {
        options.write(true).create(true).truncate(true)
    } else {
        options.write(true).create_new(true)
    };
    let mut file = options.open(FILE_NAME).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("there is a {FILE_NAME} here; `--force` writes over it"),
        _ => format!("cannot write {FILE_NAME}: {error}"),
    })?;
    file.write_all(TEMPLATE.as_bytes()).and_then(|()| file.sync_all())?;
    print(&format!(
        "wrote {FILE_NAME}; everything in it is a comment, so the default packs hold\n  \
         tollgate check      what is enforced\n  \
         tollgate explain    what would happen to a command\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
