//! Commands that talk to hosts.

mod curl;
mod dns;
mod files;
mod hosts;
mod pipes;
#[cfg(test)]
mod tests;
mod wget;

use crate::arg::{Arg, Origins, Stuff};
use crate::doing::{Doing, Known};
use crate::effect::{Flag, Flags, Kind};

pub(crate) use hosts::{is_here, is_metadata};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "curl" | "curl.exe" | "curlie" => curl::curl,
        "wget" | "wget2" => wget::wget,
        "http" | "https" | "xh" | "xhs" => curl::httpie,
        "aria2c" | "axel" => wget::downloader,
        "lynx" | "w3m" | "links" | "elinks" | "links2" => wget::browser,
        "nc" | "ncat" | "netcat" | "nc.traditional" | "nc.openbsd" | "cryptcat" => pipes::nc,
        "socat" => pipes::socat,
        "telnet" => pipes::telnet,
        "websocat" | "wscat" => pipes::websocket,
        "dig" | "nslookup" | "host" | "drill" | "kdig" | "delv" | "doggo" | "dog" | "resolvectl" => dns::lookup,
        "ping" | "ping6" | "traceroute" | "tracepath" | "mtr" | "whois" => dns::lookup,
        "scp" | "sftp" => files::scp,
        "ftp" | "lftp" | "tftp" | "ncftp" | "ncftpput" | "curlftpfs" | "smbclient" => files::ftp,
        "croc" | "wormhole" | "magic-wormhole" | "wormhole-william" | "ffsend" | "transfer" => files::hand_over,
        "rclone" => files::rclone,
        "mail" | "mailx" | "sendmail" | "mutt" | "neomutt" | "msmtp" | "swaks" | "s-nail" => files::mail,
        "ngrok" | "cloudflared" | "bore" | "chisel" | "localtunnel" | "lt" | "frpc" | "zrok" => pipes::tunnel,
        "nmap" | "masscan" | "zmap" => dns::scan,
        _ => return None,
    })
}

/// Text that came from a host.
fn network_stuff() -> Stuff {
    Stuff { text: None, from: Origins { network: true, unknown: true, ..Origins::default() } }
}

/// What an address or a file costs of the budget: a command may name very many.
const COST: usize = 40;

/// All that goes out, put together.
#[derive(Default)]
struct Sent {
    from: Origins,
    any: bool,
}

impl Sent {
    fn add(&mut self, from: Origins) {
        self.from = self.from.and(from);
        self.any = true;
    }

    /// A word that goes out as it is.
    fn word(&mut self, word: &Arg) {
        self.add(word.from);
    }

    /// A file that goes out; `-` is the standard input.
    fn file(&mut self, path: &Arg, stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
        if !doing.walk.step(COST) {
            return;
        }
        if path.text == "-" {
            self.add(stdin.map_or_else(Origins::default, |stdin| stdin.from));
        } else if !path.text.is_empty() {
            self.add(doing.reads(path).from);
        }
    }
}

/// Talks to an address: what that means depends on the host as much as on what goes out.
fn talks(address: &Arg, flags: Flags, sent: &Sent, doing: &mut Doing<'_, '_>) {
    if !doing.walk.step(COST) {
        return;
    }
    let host = crate::path::host(&address.text);
    if hosts::is_metadata(&host) {
        doing.does(Kind::ReadSecret, Flag::Secret.into(), format!("asks {host} for the credentials of this machine"));
    }
    let secret = (sent.from.secret || address.from.secret) && !hosts::is_here(&host);
    let sent = Stuff { text: None, from: Origins { secret, ..sent.from } };
    doing.talks(address, flags.with_if(Flag::Secret, secret), Some(&sent));
}

/// The file name that a download gets from its address.
fn name_of(address: &str) -> Option<&str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let (_, name) = path.rsplit_once('/')?;
    (!name.is_empty()).then_some(name)
}
