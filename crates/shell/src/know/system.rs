//! Commands about the machine: disks, accounts, services, timers, firewalls, processes, stores of credentials.

mod account;
mod disk;
mod service;
mod table;
#[cfg(test)]
mod tests;
mod vault;

pub(crate) use service::is_guard;

use super::options::{Options, Spec, only_asks};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind, Place};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "kill" => kill,
        "pkill" | "killall" | "skill" | "killall5" => pkill,
        "shutdown" | "reboot" | "halt" | "poweroff" => power,
        "init" | "telinit" => init,
        "iptables" | "ip6tables" | "iptables-legacy" | "iptables-nft" | "arptables" | "ebtables" => iptables,
        "sysctl" => sysctl,
        "insmod" | "kextload" => insmod,
        "mount" => mount,
        "crontab" => crontab,
        "at" | "batch" => at,
        "journalctl" => journalctl,
        "xattr" => xattr,
        "tollgate" => tollgate,
        "aa-teardown" => unguard,
        "ufw" => ufw,
        _ => {
            return disk::find(name)
                .or_else(|| account::find(name))
                .or_else(|| service::find(name))
                .or_else(|| vault::find(name))
                .or_else(|| table::has(name).then_some(by_table as Known));
        }
    })
}

/// What the table says about the words of a command.
fn by_table(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if only_asks(call.args) || matches!(call.args, [only] if only.text == "-h") {
        return;
    }
    let dry = |arg: &Arg| match arg.text.as_str() {
        "--dry-run" | "--test" | "--longhelp" | "--what-if" => true,
        text => call.name == "zfs" && text.starts_with("-n"),
    };
    if call.args.iter().any(dry) {
        return;
    }
    if let Some(rule) = table::rule(call.name, call.args) {
        doing.does(rule.kind, Flags::NONE.with_if(Flag::Force, rule.force), rule.what);
    } else if let Some(known) = super::cloud::find(call.name).or_else(|| super::database::find(call.name)) {
        // `goose` is an agent and a tool for databases, `copilot` an agent and one for a cloud.
        known(call, doing);
    }
}

/// It takes no words at all.
fn unguard(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if call.args.is_empty() {
        doing.does(Kind::Weaken, Flags::NONE, "switches AppArmor off");
    }
}

fn ufw(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words: Vec<&str> =
        call.args.iter().map(|arg| arg.text.as_str()).filter(|word| !word.starts_with('-')).collect();
    match words[..] {
        ["default", "allow"] | ["default", "allow", "incoming"] | ["allow", "from", "any"] => {
            doing.does(Kind::Weaken, Flags::NONE, "lets everybody through the firewall");
        }
        _ => by_table(call, doing),
    }
}

fn kill(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let mut rest = call.args;
    // A first word with a dash is the signal, whatever it looks like.
    match rest.first().map(|arg| arg.text.as_str()) {
        Some("-l" | "-L" | "--list" | "--help" | "--version" | "-t" | "--table") | None => return,
        Some("-s" | "-n" | "--signal") => rest = rest.get(2..).unwrap_or_default(),
        Some("--") => rest = &rest[1..],
        Some(first) if first.starts_with('-') => rest = &rest[1..],
        Some(_) => {}
    }
    let pids: Vec<&str> = rest.iter().map(|arg| arg.text.as_str()).filter(|pid| *pid != "--").collect();
    if pids.iter().any(|pid| matches!(*pid, "-1" | "1")) {
        doing.does(Kind::Kill, Flag::Force.into(), "kills every process there is");
    } else if !pids.is_empty() {
        doing.does(Kind::Kill, Flags::NONE, "kills processes");
    }
}

fn pkill(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let is_signal = |arg: &&Arg| {
        arg.text
            .strip_prefix('-')
            .is_some_and(|it| it.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) && it.len() > 1)
            || arg.text.strip_prefix('-').is_some_and(|it| it.len() == 1 && it.chars().all(|c| c.is_ascii_digit()))
    };
    let rest: Vec<Arg> = call.args.iter().filter(|arg| !is_signal(arg)).cloned().collect();
    let spec =
        Spec::new("uUgGPstFosnd", &["signal", "user", "euid", "uid", "group", "parent", "session", "terminal", "ns"]);
    let options = Options::of(&rest, &spec);
    if only_asks(call.args) || options.has(&["l", "list"]) && call.name == "killall" {
        return;
    }
    let whole = ["", ".", ".*", "*"];
    let by_user = options.has(&["u", "U", "user", "euid", "uid"]) && options.operands.is_empty();
    let needed = [
        "systemd",
        "init",
        "sshd",
        "dbus-daemon",
        "gnome-shell",
        "plasmashell",
        "Xorg",
        "WindowServer",
        "loginwindow",
        "-1",
    ];
    let all =
        options.operands.iter().any(|arg| whole.contains(&arg.text.as_str()) || needed.contains(&arg.text.as_str()));
    if by_user || all || call.name == "killall5" {
        doing.does(Kind::Kill, Flag::Force.into(), "kills every process of a user or of the machine");
    } else if options.operands.iter().any(|arg| service::is_guard(&arg.text)) {
        doing.does(Kind::Weaken, Flags::NONE, "kills a program that security depends on");
    } else if options.operands.iter().any(|arg| arg.text.contains("tollgate")) {
        doing.does(Kind::Policy, Flags::NONE, "kills the agent's own guard");
    } else {
        doing.does(Kind::Kill, Flags::NONE, "kills processes by name");
    }
}

fn power(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let harmless = ["-c", "-k", "-w", "--wtmp-only", "--show", "-a"];
    if !only_asks(call.args) && !call.args.iter().any(|arg| harmless.contains(&arg.text.as_str())) {
        doing.does(Kind::Kill, Flag::Force.into(), "stops the machine");
    }
}

fn init(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if call.args.iter().any(|arg| matches!(arg.text.as_str(), "0" | "1" | "6" | "s" | "S")) {
        doing.does(Kind::Kill, Flag::Force.into(), "stops the machine");
    }
}

fn iptables(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let has = |word: &str| call.args.iter().any(|arg| arg.text == word);
    let flushes = ["-F", "--flush", "-X", "--delete-chain", "-D", "--delete"].iter().any(|word| has(word));
    let opens = (has("-P") || has("--policy")) && has("ACCEPT") && !has("OUTPUT");
    // Accepts everything: no port, no address, no state.
    let narrow = ["-p", "-s", "-d", "-i", "-m", "--dport", "--source", "--destination", "-o", "--in-interface"];
    let all = (has("-A") || has("-I")) && has("INPUT") && has("ACCEPT") && !narrow.iter().any(|word| has(word));
    if flushes || opens || all {
        doing.does(Kind::Weaken, Flags::NONE, "takes rules out of the firewall");
    }
}

fn sysctl(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    const KEYS: &[&str] = &[
        "kernel.randomize_va_space",
        "kernel.yama",
        "kernel.kptr_restrict",
        "kernel.dmesg_restrict",
        "kernel.unprivileged",
        "kernel.modules_disabled",
        "kernel.core_pattern",
        "kernel.sysrq",
        "kernel.perf_event_paranoid",
        "kernel.modprobe",
        "fs.protected_",
        "fs.suid_dumpable",
        "kernel.kexec",
        "net.ipv4.conf.all.rp_filter",
        "net.ipv4.tcp_syncookies",
        "kernel.panic",
        "security.",
        "kern.securelevel",
    ];
    let sets = |arg: &Arg| {
        let key = arg.text.trim_start_matches("--write=").replace('/', ".");
        key.contains('=') && KEYS.iter().any(|one| key.starts_with(one))
    };
    if call.args.iter().any(sets) {
        doing.does(Kind::Weaken, Flags::NONE, "changes a setting of the kernel that security depends on");
    }
}

fn insmod(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if call.args.iter().any(|arg| !arg.text.starts_with('-')) && !only_asks(call.args) {
        doing.does(Kind::Escalate, Flag::Force.into(), "loads code into the kernel");
    }
}

fn mount(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("otOLUT", &["options", "types"]));
    let said: String = options.values(&["o", "options"]).map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(",");
    let has = |word: &str| said.split(',').any(|one| one == word);
    let target = options.operands.last();
    let root = target
        .is_some_and(|path| matches!(doing.locate(path).path.as_str(), "/" | "/boot" | "/usr" | "/etc" | "/proc"));
    if has("remount") && has("rw") && root || has("suid") && has("remount") {
        doing.does(Kind::Weaken, Flags::NONE, "makes a protected file system writable");
    }
    if has("bind") || options.has(&["bind", "rbind", "B"]) {
        let over = target.map(|path| doing.locate(path));
        if over.is_some_and(|over| over.nature.security || over.nature.policy) {
            doing.does(Kind::Weaken, Flags::NONE, "puts another file in the place of one that security depends on");
        }
    }
}

fn crontab(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("u", &["user"]));
    if only_asks(call.args) || options.has(&["l", "list", "T", "V"]) {
        return;
    }
    if options.has(&["e", "edit"]) {
        doing.does(Kind::Persist, Flags::NONE, "edits commands that run again and again");
    } else if options.has(&["r", "remove"]) {
        doing.deletes(&Arg::known("/var/spool/cron/crontabs"), Flag::Force.into());
    } else if !options.operands.is_empty() || call.stdin.is_some() {
        doing.does(Kind::Persist, Flags::NONE, "installs commands that run again and again");
        options.operands.iter().filter(|file| file.text != "-").for_each(|file| {
            doing.reads(file);
        });
    }
}

fn at(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(call.args, &Spec::new("fqt", &["file"]));
    if only_asks(call.args) || options.has(&["l", "c", "V", "d", "r"]) {
        return;
    }
    let script = match options.value(&["f", "file"]) {
        Some(file) => Some(doing.reads(file)),
        None => call.stdin.cloned(),
    };
    if script.is_some() || !options.operands.is_empty() {
        doing.does(Kind::Persist, Flags::NONE, "leaves commands behind that run later");
    }
    if let Some(script) = script.filter(|script| script.text.is_some()) {
        doing.runs_script(call.name, &script, &[], None);
    }
}

/// To keep the logs of some days is housekeeping; to keep nothing is to hide something.
fn journalctl(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(
        call.args,
        &Spec::new("unopS", &["vacuum-time", "vacuum-size", "vacuum-files", "since", "until", "unit"]),
    );
    let little = |name: &str, few: &[&str]| {
        options.value(&[name]).is_some_and(|amount| {
            let unit = amount.text.trim_start_matches(|c: char| c.is_ascii_digit());
            few.contains(&unit) || amount.text.starts_with('0')
        })
    };
    let time = little("vacuum-time", &["", "s", "sec", "seconds", "m", "min", "minutes", "us", "ms"]);
    let size = little("vacuum-size", &["", "K", "B", "k"]);
    if time || size || options.value(&["vacuum-files"]).is_some_and(|files| matches!(files.text.as_str(), "0" | "1")) {
        doing.does(Kind::Weaken, Flags::NONE, "deletes logs");
    }
}

fn xattr(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let has = |word: &str| call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(word));
    let quarantine = call.args.iter().any(|arg| arg.text == "com.apple.quarantine");
    let target = call.args.last().map(|path| doing.locate(path).place);
    // A name alone, where nobody knows in which folder, is a file at hand as well.
    let near = matches!(target, Some(Place::Inside | Place::Temp | Place::Unknown));
    if (has("d") && quarantine || has("c")) && !near {
        doing.does(Kind::Weaken, Flags::NONE, "takes the mark off a file that came from elsewhere");
    }
}

/// Whoever is watched does not change the watch. To look is fine, and so is to stop everything.
fn tollgate(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    #[rustfmt::skip]
    const LOOKS: &[&str] = &[
        "check", "test", "explain", "rules", "list", "ls", "show", "status", "doctor", "version", "help", "man", "log",
        "logs", "replay", "why", "lint", "validate", "scan", "completions", "bench", "schema", "verify", "hook", "halt",
        "try",
    ];
    const SPEC: Spec = Spec::new("n", &["config", "color", "dir", "lines", "reason"]);
    let options = Options::of(call.args, &SPEC);
    let mut words = options.operands.iter().map(|arg| arg.text.as_str());
    let (verb, then) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let looks = LOOKS.contains(&verb) && !(verb == "log" && matches!(then, "erase" | "new"));
    if !verb.is_empty() && !looks && !only_asks(call.args) {
        doing.does(Kind::Policy, Flags::NONE, "changes what the agent's own guard does");
    }
}
