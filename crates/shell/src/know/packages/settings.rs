//! Settings of package managers that protect what is fetched, or hold tokens.

use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};

pub(super) fn look(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words: Vec<&str> = invocation.args.iter().map(|arg| arg.text.as_str()).collect();
    if !matches!(words.first(), Some(&("config" | "c" | "set" | "get"))) {
        return;
    }
    let off = |value: &str| matches!(value, "false" | "False" | "0" | "no" | "off");
    let checks = |name: &str| matches!(name, "strict-ssl" | "ssl_verify" | "enableStrictSsl" | "strictSsl");
    let unchecked = words.windows(2).any(|pair| checks(pair[0]) && off(pair[1]))
        || words.iter().any(|word| word.split_once('=').is_some_and(|(name, value)| checks(name) && off(value)));
    if unchecked {
        doing.does(Kind::Weaken, Flags::NONE, "stops checking whom packages come from");
    }
    let token = |word: &&str| word.ends_with("_authToken") || word.ends_with("_auth") || word.ends_with("_password");
    if words.contains(&"get") && words.iter().any(token) {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints a token of a registry");
    }
}
