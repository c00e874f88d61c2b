//! Loops that flood the machine with processes.

use crate::syntax::{Command, Compound, List, Part, Simple};

/// Whether a condition is always true.
pub(super) fn is_endless(condition: &List) -> bool {
    let [step] = condition.as_slice() else { return false };
    match step.pipeline.as_slice() {
        [Command::Simple(simple)] => match words(simple).as_slice() {
            [name] => matches!(name.rsplit('/').next(), Some("true" | ":")),
            ["[", text, "]"] | ["test", text] => !text.is_empty(),
            _ => false,
        },
        [Command::Compound(Compound::Test(words), _)] => {
            matches!(words.as_slice(), [word] if plain(&word.parts).is_some())
        }
        [Command::Compound(Compound::Arithmetic(word), _)] => {
            plain(&word.parts).and_then(|text| text.trim().parse::<i64>().ok()).is_some_and(|number| number != 0)
        }
        _ => false,
    }
}

/// Whether something in it goes on by itself.
pub(super) fn spawns(list: &List) -> bool {
    list.iter().any(|step| step.background || step.pipeline.iter().any(|command| any_list(command, &spawns)))
}

/// Whether something in it slows it down or may end it.
pub(super) fn waits(list: &List) -> bool {
    list.iter().flat_map(|step| &step.pipeline).any(|command| match command {
        Command::Simple(simple) => {
            let name = words(simple).first().map(|name| name.rsplit('/').next().unwrap_or_default());
            matches!(
                name,
                Some(
                    "wait" | "sleep" | "break" | "exit" | "return" | "read" | "inotifywait" | "usleep" | "nc" | "socat"
                )
            )
        }
        other => any_list(other, &waits),
    })
}

/// Whether it holds for a list within a command. Substitutions and functions are left alone.
fn any_list(command: &Command, holds: &dyn Fn(&List) -> bool) -> bool {
    let Command::Compound(compound, _) = command else { return false };
    match compound {
        Compound::Group(list) | Compound::Subshell(list) => holds(list),
        Compound::If(arms) => arms.iter().any(|(condition, body)| holds(condition) || holds(body)),
        Compound::Loop { condition, body } => holds(condition) || holds(body),
        Compound::For { body, .. } | Compound::ArithmeticFor { body, .. } => holds(body),
        Compound::Case { arms, .. } => arms.iter().any(|arm| holds(&arm.body)),
        Compound::Coprocess(_, command) => any_list(command, holds),
        Compound::Arithmetic(_) | Compound::Test(_) => false,
    }
}

/// Words that are plain text; others are left out.
fn words(simple: &Simple) -> Vec<&str> {
    simple.words.iter().filter_map(|word| plain(&word.parts)).collect()
}

fn plain(parts: &[Part]) -> Option<&str> {
    match parts {
        [Part::Bare(text) | Part::Quoted(text)] => Some(text),
        _ => None,
    }
}
