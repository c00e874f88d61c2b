//! Services: what starts by itself, and what guards the machine.

use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(super) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "systemctl" => systemctl,
        "service" | "rc-service" | "invoke-rc.d" | "initctl" | "sv" => service,
        "launchctl" => launchctl,
        _ => return None,
    })
}

/// How the names of programs begin that security or audit depends on.
const GUARDS: &[&str] = &[
    "firewalld",
    "ufw",
    "iptables",
    "ip6tables",
    "nftables",
    "apparmor",
    "auditd",
    "audit",
    "selinux",
    "fail2ban",
    "crowdsec",
    "clamav",
    "clamd",
    "freshclam",
    "falcon-sensor",
    "falcon",
    "falco",
    "osquery",
    "wazuh",
    "ossec",
    "rsyslog",
    "syslog",
    "systemd-journald",
    "sshguard",
    "snort",
    "suricata",
    "zeek",
    "aide",
    "tripwire",
    "samhain",
    "rkhunter",
    "mdatp",
    "sentinel",
    "cbdaemon",
    "cbagentd",
    "tetragon",
    "sysmon",
    "esets",
    "sophos",
    "qualys",
    "nessus",
    "splunk",
    "filebeat",
    "auditbeat",
    "com.apple.alf",
    "com.apple.xprotect",
    "com.crowdstrike",
    "com.apple.security",
    "windefend",
    "mpssvc",
    "usbguard",
];

/// Whether security or audit depends on a program of this name.
pub(crate) fn is_guard(name: &str) -> bool {
    let name = name.trim_start_matches("system/").to_ascii_lowercase();
    GUARDS.iter().any(|guard| name.starts_with(guard))
}

fn stops(units: &[Arg], doing: &mut Doing<'_, '_>) {
    if units.iter().any(|unit| is_guard(&unit.text)) {
        doing.does(Kind::Weaken, Flags::NONE, "stops a service that security depends on");
    } else if units.iter().any(|unit| unit.text.contains("tollgate")) {
        doing.does(Kind::Policy, Flags::NONE, "stops the agent's own guard");
    } else if !units.is_empty() {
        doing.does(Kind::Kill, Flags::NONE, "stops a service");
    }
}

fn systemctl(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new(
        "HMtpnosP",
        &["host", "machine", "type", "property", "state", "lines", "output", "signal", "job-mode", "root"],
    );
    let options = Options::of(call.args, &spec);
    if only_asks(call.args) || options.has(&["dry-run"]) {
        return;
    }
    let Some((verb, units)) = options.operands.split_first() else { return };
    match verb.text.as_str() {
        "enable" | "reenable" | "link" | "preset-all" | "add-wants" | "add-requires" | "edit" => {
            doing.does(Kind::Persist, Flags::NONE, "makes a service start by itself");
        }
        "stop" | "disable" | "mask" | "kill" | "revert" => stops(units, doing),
        "reboot" | "poweroff" | "halt" | "kexec" | "soft-reboot" | "rescue" | "emergency" | "exit" => {
            doing.does(Kind::Kill, Flag::Force.into(), "stops the machine");
        }
        "isolate" => doing.does(Kind::Kill, Flag::Force.into(), "stops everything else that runs"),
        _ => {}
    }
}

fn service(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let words: Vec<&Arg> = call.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let at = words.iter().position(|arg| matches!(arg.text.as_str(), "stop" | "down" | "force-stop" | "d" | "zap"));
    if let Some(at) = at {
        let names: Vec<Arg> =
            words.iter().enumerate().filter(|(one, _)| *one != at).map(|(_, arg)| (*arg).clone()).collect();
        stops(&names, doing);
    }
}

fn launchctl(call: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some((verb, rest)) = call.args.split_first() else { return };
    match verb.text.as_str() {
        "load" | "bootstrap" | "enable" | "submit" => {
            doing.does(Kind::Persist, Flags::NONE, "makes a program start by itself");
        }
        "unload" | "bootout" | "disable" | "remove" | "stop" | "kill" => {
            let names: Vec<Arg> = rest
                .iter()
                .filter(|arg| !arg.text.starts_with('-'))
                .map(|arg| Arg::known(arg.text.rsplit('/').next().unwrap_or_default()))
                .collect();
            stops(&names, doing);
        }
        "reboot" => doing.does(Kind::Kill, Flag::Force.into(), "stops the machine"),
        _ => {}
    }
}
