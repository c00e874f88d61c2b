//! What is written into a folder may be written into whatever lies below it.

use std::path::Path;

use tollgate_rules::CallFacts;
use tollgate_shell::{Effect, Kind};

/// Whether what is written into a folder may arrive at this place below it: an archive that is unpacked there, a tree
/// that is copied over it. Only below the home, and not where the agent works: nobody unpacks anything elsewhere.
pub(super) fn reaches(effect: &Effect, folder: &str, place: &str, facts: &CallFacts<'_>) -> bool {
    matches!(effect.kind, Kind::Write | Kind::Overwrite)
        && facts.home().is_some_and(|home| Path::new(place).starts_with(home))
        && Path::new(folder).is_dir()
        && !works_in(folder, facts)
        && spreads(&effect.by)
}

/// Whether a folder is the one that the agent works in.
pub(super) fn works_in(folder: &str, facts: &CallFacts<'_>) -> bool {
    let same = |here: &str| here.trim_end_matches('/') == folder.trim_end_matches('/');
    facts.workspace().iter().map(String::as_str).chain(facts.event.cwd).any(same)
}

/// Whether a command that names a folder as its target may write anything in it.
pub(super) fn spreads(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    let is_folder = |word: &str| word == "--directory" || !word.starts_with("--") && word.contains('d');
    match program {
        "mkdir" | "touch" => false,
        "install" => !words.any(|word| word.starts_with('-') && is_folder(word)),
        _ => true,
    }
}

#[test]
fn commands_that_write_more_than_they_name() {
    for (command, expected) in [
        ("tar xf a.tar -C /home/ann", true),
        ("git clone x /home/ann/.config", true),
        ("mkdir -p /home/ann/.config", false),
        ("touch /home/ann/.config", false),
        ("install -d /home/ann/.config", false),
        ("install --directory /home/ann/.config", false),
        ("", true),
    ] {
        assert_eq!(spreads(command), expected, "{command}");
    }
}
