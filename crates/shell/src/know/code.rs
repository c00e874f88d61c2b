//! Code in other languages: looked through for what is obvious.
//!
//! A tolerant lexer ([`lex`]) and a small evaluator ([`eval`]) serve the languages that write calls alike; what the
//! functions of their libraries do is in tables ([`calls`]). awk, PowerShell, Tcl and AppleScript are read on their own.

mod awk;
mod calls;
mod cursor;
mod eval;
mod files;
mod grammar;
mod interpreters;
mod keywords;
mod lex;
mod methods;
mod names;
mod operand;
mod perform;
mod powershell;
mod pure;
mod quotes;
mod scripts;
#[cfg(test)]
mod tests;
mod value;
mod windows;

use crate::arg::{Arg, Origins, Stuff};
use crate::doing::{Doing, Known, Language};
use crate::effect::{Flags, Kind};
use eval::Eval;
use value::Value;

/// What knows the command of this name.
pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" | "goawk" => awk::awk,
        "pwsh" | "powershell" | "powershell.exe" | "pwsh.exe" => powershell::powershell,
        "cmd" | "cmd.exe" => windows::cmd,
        _ if interpreters::knows(name) => interpreters::interpreter,
        _ => return None,
    })
}

/// Says what code does, as far as that is plain.
pub(crate) fn look_through(language: Language, code: &Stuff, args: &[Arg], doing: &mut Doing<'_, '_>) {
    if code.from.network || code.from.decoded {
        let what = if code.from.network {
            "runs code that comes from the network"
        } else {
            "runs code that was decoded or disguised"
        };
        doing.does(Kind::RunUnseen, code.from.flags(), what);
    }
    let Some(text) = code.text.as_deref() else {
        if !code.from.network && !code.from.decoded {
            doing.does(Kind::RunUnseen, Flags::NONE, "runs code that cannot be seen");
        }
        return;
    };
    doing.walk.weigh(text.len());
    match language {
        Language::Awk => awk::look_through(text, &[], doing),
        Language::PowerShell => powershell::look_through(text, doing),
        Language::Tcl => scripts::tcl(text, doing),
        Language::AppleScript => scripts::applescript(text, doing),
        _ => follow(language, text, args, doing),
    }
}

fn follow(language: Language, code: &str, args: &[Arg], doing: &mut Doing<'_, '_>) {
    let mut eval = Eval::new(language, doing);
    let given: Vec<Value> = args.iter().cloned().map(Value::Text).collect();
    let zeroth = std::iter::once(Value::text("-"));
    let (name, list) = match language {
        Language::Python => ("sys.argv", zeroth.chain(given).collect()),
        Language::JavaScript => ("process.argv", zeroth.clone().chain(zeroth).chain(given).take(64).collect()),
        Language::Php => ("argv", zeroth.chain(given).collect()),
        Language::Lua => ("arg", given),
        _ => ("ARGV", given),
    };
    eval.vars.insert(name.to_owned(), Value::list(list));
    eval.program(code);
    sum_up(&mut eval);
    let printed = std::mem::take(&mut eval.printed);
    let nothing = printed.text.is_empty() && printed.from == Origins::default();
    doing.prints(if nothing {
        Stuff::unknown()
    } else {
        Stuff { text: Some(printed.text.into()), from: printed.from }
    });
}

/// What only shows in the whole.
fn sum_up(eval: &mut Eval<'_, '_, '_>) {
    if eval.seen.connects && (eval.seen.shell || eval.seen.redirects) {
        eval.does(Kind::ReverseShell, Flags::NONE, "hands a shell to another machine");
    }
    if eval.seen.forks && eval.seen.loops && !eval.seen.waits {
        eval.does(Kind::Exhaust, Flags::NONE, "starts processes without end");
    }
}
