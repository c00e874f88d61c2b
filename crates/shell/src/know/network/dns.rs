//! Names that are looked up: a question to a name server can carry anything out of the machine.

use crate::arg::{Arg, HOLE};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

const LOOKUP: Spec = Spec::new("bcfkpqtxycWwiIsmMlQTSh", &["type", "class", "count", "interface", "timeout"]);

pub(super) fn lookup(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(invocation.args) {
        return;
    }
    let options = Options::of(invocation.args, &LOOKUP);
    for name in options.operands.iter().filter(|name| !name.text.starts_with('+')) {
        if carries_data(name) {
            doing.does(Kind::SendSecret, Flag::Upload.into(), "sends data out in the name that it looks up");
        } else if name.text.contains(['.', ':']) {
            doing.talks(name, Flags::NONE, None);
        }
    }
}

/// A name whose first labels are computed under a fixed domain: `$(whoami).evil.example`. Without the domain it is
/// just a variable that holds a host.
fn carries_data(name: &Arg) -> bool {
    if name.from.secret {
        return true;
    }
    let domain = match name.text.rsplit_once(HOLE) {
        Some((_, rest)) => rest.strip_prefix('.').is_some_and(|domain| domain.contains('.')),
        None => name.text.matches('.').count() > 1,
    };
    domain && (name.from.decoded || name.from.unknown)
}

const SCAN: Spec = Spec::new("pogiTmSeD", &["script", "ports", "rate"]);

pub(super) fn scan(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &SCAN);
    for host in &options.operands {
        doing.talks(host, Flags::NONE, None);
    }
    if options.has(&["interactive"]) {
        doing.does(Kind::Escalate, Flag::Force.into(), "opens a shell from within nmap");
    }
}
