//! What is written into a folder may be written into whatever lies below it.

use std::path::Path;

use tollgate_rules::Insight;
use tollgate_shell::{Effect, Kind};

/// Whether what is written into a folder may arrive at this place below it: an archive that is unpacked there, a tree
/// that is copied over it. Only below the home, and not where the agent works: nobody unpacks anything elsewhere.
pub(super) fn reaches(effect: &Effect, folder: &str, place: &str, insight: &Insight<'_>) -> bool {
    let works_there =
        || insight.workspace().iter().map(String::as_str).chain(insight.event.cwd).any(|here| same(here, folder));
    matches!(effect.kind, Kind::Write | Kind::Overwrite)
        && insight.home().is_some_and(|home| Path::new(place).starts_with(home))
        && Path::new(folder).is_dir()
        && !works_there()
        && spreads(&effect.by, below(place, folder))
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// The first name of a place below a folder.
fn below<'p>(place: &'p str, folder: &str) -> &'p str {
    let depth = folder.split('/').filter(|name| !name.is_empty()).count();
    place.split('/').filter(|name| !name.is_empty()).nth(depth).unwrap_or_default()
}

/// Whether a command that names a folder as its target may write this in it. What is not known to put single files there
/// may.
fn spreads(command: &str, name: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let short = |letters: &[char]| {
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
    };
    match program {
        "mkdir" | "touch" => false,
        "install" if short(&['d']) || words.contains(&"--directory") => false,
        "cp" if short(&['r', 'R', 'a']) || words.contains(&"--recursive") || words.contains(&"--archive") => true,
        // They put what they are given there, under its own name.
        "cp" | "mv" | "install" | "ln" => {
            words.iter().any(|word| word.trim_end_matches('/').rsplit('/').next() == Some(name))
        }
        _ => true,
    }
}

#[test]
fn commands_that_write_more_than_they_name() {
    for (command, expected) in [
        ("tar xf a.tar -C /home/ann", true),
        ("rsync -a a/ /home/ann/.config/", true),
        ("cp -r a/. /home/ann/.config/", true),
        ("cp --archive a /home/ann/.config/", true),
        ("cp a.txt /home/ann/.config", false),
        ("cp a/tollgate /home/ann/.config", true),
        ("mv a/tollgate/ /home/ann/.config", true),
        ("mv a /home/ann/.config", false),
        ("mkdir -p /home/ann/.config", false),
        ("install -d /home/ann/.config", false),
        ("install tollgate /home/ann/.config", true),
        ("", true),
    ] {
        assert_eq!(spreads(command, "tollgate"), expected, "{command}");
    }
    assert_eq!(below("/home/ann/.config/tollgate/x", "/home/ann/.config/"), "tollgate");
}
