use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_rules::Mistake;

use crate::paint::quote;

/// Where signed heads are published, out of the reach of whoever could rewrite the log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// A file, by its full path: on another disk, or another user's.
    File(PathBuf),
    /// A program and its arguments.
    Command(Vec<String>),
    /// The address of a service.
    Url(String),
}

/// The file, the program, or the host: nothing of an address that only its user should know.
///
/// ```
/// use tollgate_config::Anchor;
///
/// let anchor = Anchor::Url("https://notary.example/heads?token=hidden".to_owned());
/// assert_eq!(anchor.to_string(), "https://notary.example");
/// ```
impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Command(words) => f.write_str(words.first().map_or("", |program| program)),
            Self::Url(url) => match address(url) {
                Some((scheme, host)) => write!(f, "{scheme}://{host}"),
                None => Ok(()),
            },
        }
    }
}

impl Anchor {
    /// What is wrong with it.
    pub(super) fn mistake(&self) -> Option<Mistake> {
        match self {
            Self::File(path) => file(path).map(|mistake| mistake.at("file")),
            Self::Command(words) => command(words).map(|mistake| mistake.at("command")),
            Self::Url(url) => service(url).map(|mistake| mistake.at("url")),
        }
    }

    /// Whether somebody on the way could hold heads back, or send older ones.
    pub(super) fn unprotected(&self) -> bool {
        let Self::Url(url) = self else { return false };
        address(url).is_some_and(|(scheme, host)| scheme == "http" && !local(host))
    }
}

fn file(path: &Path) -> Option<Mistake> {
    let written = path.to_str().unwrap_or_default();
    if !path.is_absolute() {
        let help = "write it from `/` on; `~` is not replaced";
        return Some(Mistake::new(format!("{} is no full path", quote(written))).help(help));
    }
    let folder = written.ends_with('/') || path.file_name().is_none();
    folder.then(|| Mistake::new(format!("{} is a folder", quote(written))).help("name the file in it"))
}

fn command(words: &[String]) -> Option<Mistake> {
    let nothing = words.first().is_none_or(|program| program.trim().is_empty());
    nothing
        .then(|| Mistake::new("`command` names no program").help("the program, then its arguments: [\"publish-head\"]"))
}

fn service(url: &str) -> Option<Mistake> {
    let help = match address(url) {
        None => "begin it with `https://`",
        Some((_, "")) => "name the host after `//`",
        Some(_) if url.contains(|letter: char| letter.is_whitespace() || letter.is_control()) => {
            "write blanks as `%20`"
        }
        Some(_) => return None,
    };
    Some(Mistake::new(format!("{} is no address of a service", quote(url))).help(help))
}

/// The scheme and the host of an address, if it is one for which a connection is made.
fn address(url: &str) -> Option<(&'static str, &str)> {
    let begins = |start: &str| url.get(..start.len()).filter(|found| found.eq_ignore_ascii_case(start));
    let scheme = ["https", "http"].into_iter().find(|scheme| begins(&format!("{scheme}://")).is_some())?;
    let rest = &url[scheme.len() + 3..];
    // Clients take a `\` for a `/`.
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let end = host.find(']').map_or_else(|| host.find(':'), |bracket| Some(bracket + 1));
    Some((scheme, &host[..end.unwrap_or(host.len())]))
}

/// Whether a host is this machine.
fn local(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, expected) in [
            ("https://notary.example/heads", "https://notary.example"),
            ("HTTPS://Notary.example:8443?x", "https://Notary.example"),
            ("https://name:password@notary.example", "https://notary.example"),
            ("http://notary.example", "http://notary.example, unprotected"),
            ("http://localhost:8080/", "http://localhost"),
            ("http://LocalHost", "http://LocalHost"),
            ("http://127.0.0.1:8080", "http://127.0.0.1"),
            ("http://[::1]:8080/heads", "http://[::1]"),
            ("http://localhost@notary.example/", "http://notary.example, unprotected"),
            ("http://notary.example\\@localhost/", "http://notary.example, unprotected"),
            ("http://localhost.notary.example/", "http://localhost.notary.example, unprotected"),
            ("https://", "wrong: name the host after `//`"),
            ("https://:443/", "wrong: name the host after `//`"),
            ("https://notary.example/a b", "wrong: write blanks as `%20`"),
            ("ftp://notary.example", "wrong: begin it with `https://`"),
            ("notary.example", "wrong: begin it with `https://`"),
            ("日本", "wrong: begin it with `https://`"),
            ("", "wrong: begin it with `https://`"),
        ] {
            let anchor = Anchor::Url(url.to_owned());
            let found = match anchor.mistake() {
                Some(mistake) => format!("wrong: {}", mistake.help.unwrap_or_default()),
                None => format!("{anchor}{}", if anchor.unprotected() { ", unprotected" } else { "" }),
            };
            assert_eq!(found, expected, "{url:?}");
        }
    }
}
