//! Commands that are told by one of their words.

use crate::arg::Arg;
use crate::effect::Kind;

/// When a command has one of these words, it does this. A word may end with `*`; no words: always.
pub(super) struct Rule {
    names: &'static [&'static str],
    words: &'static [&'static str],
    pub kind: Kind,
    pub force: bool,
    pub what: &'static str,
}

const fn plain(names: &'static [&'static str], words: &'static [&'static str], kind: Kind, what: &'static str) -> Rule {
    Rule { names, words, kind, force: false, what }
}

const fn forced(
    names: &'static [&'static str],
    words: &'static [&'static str],
    kind: Kind,
    what: &'static str,
) -> Rule {
    Rule { names, words, kind, force: true, what }
}

#[rustfmt::skip]
const RULES: &[Rule] = &[
    // Disks and volumes.
    plain(&["blkdiscard"], &["/*", "*"], Kind::Disk, "discards all blocks of a disk"),
    plain(&["hdparm"], &["--security-erase*", "--security-set-pass*", "--trim-sector-ranges*", "--write-sector*", "--make-bad-sector*", "--dco-restore*", "--sanitize-*"], Kind::Disk, "erases a disk"),
    plain(&["nvme"], &["format", "sanitize", "delete-ns", "write-zeroes", "reset-data"], Kind::Disk, "erases a disk"),
    plain(&["cryptsetup"], &["luksFormat", "luksErase", "erase", "luksKillSlot", "luksRemoveKey", "luksHeaderRestore", "luksDelKey"], Kind::Disk, "makes an encrypted disk unreadable"),
    plain(&["lvremove", "vgremove", "pvremove"], &[], Kind::Disk, "removes a logical volume"),
    plain(&["lvreduce", "vgreduce"], &[], Kind::Disk, "shrinks a logical volume"),
    plain(&["lvm"], &["lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce"], Kind::Disk, "removes a logical volume"),
    plain(&["zpool"], &["destroy", "labelclear"], Kind::Disk, "destroys a storage pool"),
    plain(&["zfs"], &["destroy", "rollback"], Kind::Disk, "destroys a file system or what changed in it"),
    plain(&["mdadm"], &["--zero-superblock"], Kind::Disk, "wipes a disk array"),
    plain(&["dmsetup"], &["remove", "remove_all", "wipe_table"], Kind::Disk, "removes a mapped disk"),
    plain(&["diskutil"], &["eraseDisk", "eraseVolume", "partitionDisk", "reformat", "zeroDisk", "randomDisk", "secureErase", "deleteContainer", "deleteVolume", "erasedisk", "erasevolume"], Kind::Disk, "erases a disk"),
    plain(&["format", "format.com"], &["?:"], Kind::Disk, "formats a drive"),
    plain(&["diskpart"], &[], Kind::Disk, "changes partitions"),
    plain(&["sg_format", "sg_sanitize"], &["/dev/*"], Kind::Disk, "erases a disk"),
    plain(&["sedutil-cli"], &["--revert*", "--yesIreallywanttoERASE*", "--PSIDrevert*"], Kind::Disk, "erases a disk"),
    plain(&["badblocks"], &["-w", "-wsv", "-wv", "-svw", "-ws"], Kind::Disk, "overwrites a disk to test it"),
    plain(&["flashrom"], &["-w", "-E", "--write", "--erase"], Kind::Disk, "overwrites firmware"),
    plain(&["fastboot"], &["erase", "flash", "flashall", "-w", "format", "oem"], Kind::Disk, "erases a device"),
    plain(&["vssadmin", "wmic"], &["delete"], Kind::Disk, "deletes backups of a drive"),
    plain(&["wbadmin"], &["delete"], Kind::Disk, "deletes backups"),
    plain(&["tmutil"], &["delete", "deletelocalsnapshots", "disable"], Kind::Disk, "deletes or stops backups"),
    plain(&["restic", "borg", "borgmatic", "duplicity", "kopia"], &["forget", "prune", "delete", "remove-all-but-n-full"], Kind::Infra, "deletes backups"),
    plain(&["snapper", "timeshift"], &["delete", "--delete", "--delete-all"], Kind::Disk, "deletes snapshots"),
    // Firewalls and guards.
    plain(&["nft"], &["flush", "delete", "destroy"], Kind::Weaken, "takes rules out of the firewall"),
    plain(&["fail2ban-client"], &["stop"], Kind::Weaken, "stops a program that security depends on"),
    plain(&["nvram"], &["boot-args=*amfi*", "boot-args=*csr*", "csr-active-config*"], Kind::Weaken, "switches system integrity protection off"),
    plain(&["ufw"], &["disable", "reset"], Kind::Weaken, "switches the firewall off"),
    plain(&["pfctl"], &["-d", "-F", "-Fa"], Kind::Weaken, "switches the firewall off"),
    plain(&["firewall-cmd"], &["--panic-off", "--set-default-zone=trusted", "--zone=trusted", "--complete-reload-off"], Kind::Weaken, "opens the firewall"),
    plain(&["socketfilterfw"], &["off"], Kind::Weaken, "switches the firewall off"),
    plain(&["netsh"], &["off", "disable"], Kind::Weaken, "switches the firewall off"),
    plain(&["setenforce"], &["0", "Permissive", "permissive"], Kind::Weaken, "switches SELinux off"),
    plain(&["semanage"], &["permissive"], Kind::Weaken, "switches SELinux off for a domain"),
    plain(&["semodule"], &["-d", "-r", "--disable", "--remove"], Kind::Weaken, "takes a module out of SELinux"),
    plain(&["aa-disable", "aa-complain"], &[], Kind::Weaken, "switches AppArmor off"),
    plain(&["apparmor_parser"], &["-R", "--remove", "-RQ"], Kind::Weaken, "takes a profile out of AppArmor"),
    plain(&["auditctl"], &["-D", "-e0", "0", "-d", "-W"], Kind::Weaken, "stops the recording of what happens"),
    plain(&["csrutil"], &["disable", "authenticated-root"], Kind::Weaken, "switches system integrity protection off"),
    plain(&["spctl"], &["--master-disable", "--global-disable", "--disable"], Kind::Weaken, "lets unsigned programs run"),
    plain(&["tccutil"], &["reset"], Kind::Weaken, "resets who may see what"),
    plain(&["fdesetup"], &["disable", "removerecovery"], Kind::Weaken, "switches disk encryption off"),
    plain(&["mokutil"], &["--disable-validation", "--disable-*"], Kind::Weaken, "switches secure boot off"),
    plain(&["bcdedit"], &["/set", "/deletevalue", "/delete"], Kind::Weaken, "changes how the machine starts"),
    plain(&["bootctl", "efibootmgr"], &["remove", "-B", "--delete-bootnum"], Kind::Weaken, "changes how the machine starts"),
    plain(&["wevtutil"], &["cl", "clear-log"], Kind::Weaken, "wipes the event log"),
    plain(&["auditpol"], &["/clear", "/remove", "/set"], Kind::Weaken, "changes what is recorded"),
    plain(&["dmesg"], &["-C", "-c", "--clear", "--read-clear"], Kind::Weaken, "wipes the kernel's log"),
    plain(&["defaults"], &["LSQuarantine", "com.apple.LaunchServices.LSQuarantine", "/Library/Preferences/com.apple.alf", "com.apple.alf"], Kind::Weaken, "changes a setting that security depends on"),
    plain(&["grubby"], &["selinux=0", "--args=*selinux=0*", "--args=*apparmor=0*"], Kind::Weaken, "switches security off at the next start"),
    plain(&["update-crypto-policies"], &["LEGACY"], Kind::Weaken, "allows weak encryption"),
    plain(&["pam-auth-update"], &["--force", "--remove"], Kind::Weaken, "changes how people log in"),
    forced(&["kexec"], &["-e", "--exec"], Kind::Kill, "starts another kernel"),
    // What starts later.
    plain(&["pm2"], &["startup"], Kind::Persist, "makes a service start by itself"),
    plain(&["defaults"], &["LoginHook", "LogoutHook"], Kind::Persist, "makes a program start by itself"),
    plain(&["update-rc.d"], &["defaults", "enable", "defaults-disabled"], Kind::Persist, "makes a service start by itself"),
    plain(&["rc-update"], &["add", "-a"], Kind::Persist, "makes a service start by itself"),
    plain(&["schtasks", "schtasks.exe"], &["/create", "/Create", "/change", "/CREATE"], Kind::Persist, "leaves a task behind that runs later"),
    plain(&["sc", "sc.exe"], &["create", "config"], Kind::Persist, "makes a service start by itself"),
    plain(&["loginctl"], &["enable-linger"], Kind::Persist, "lets programs run on after logging out"),
    forced(&["loginctl"], &["terminate-user", "kill-user", "terminate-seat"], Kind::Kill, "ends everything a user runs"),
    plain(&["systemd-cryptenroll"], &["--wipe-slot*"], Kind::Disk, "makes an encrypted disk unreadable"),
    plain(&["fcrontab", "incrontab"], &["-", "*.tab"], Kind::Persist, "installs commands that run later"),
    plain(&["reg", "reg.exe"], &["*\\Windows Defender*"], Kind::Weaken, "switches a guard of the machine off"),
    plain(&["reg", "reg.exe"], &["*\\Run", "*\\RunOnce", "*\\Winlogon"], Kind::Persist, "makes a program start by itself"),
    // Agents without their guard.
    plain(&["claude", "codex", "gemini", "qwen", "copilot", "cursor-agent", "opencode", "droid", "amp", "goose", "kiro-cli", "cline", "openclaw", "auggie", "aider", "crush"], &["--dangerously*", "--allow-dangerously*", "--yolo", "--yes-always", "--allow-all*", "--safe-mode", "--no-hooks", "--disable-hooks", "--skip-permissions-unsafe", "--permission-mode=bypassPermissions", "bypassPermissions", "--approval-mode=yolo", "--trust-all-tools", "danger-full-access"], Kind::Policy, "starts an agent without its guard"),
    plain(&["csrutil"], &["clear"], Kind::Weaken, "resets system integrity protection"),
    // Credentials.
    plain(&["getent"], &["shadow", "gshadow"], Kind::ReadSecret, "reads the password database"),
    plain(&["secret-tool"], &["lookup"], Kind::ReadSecret, "reads a credential from the keyring"),
    plain(&["keyring"], &["get"], Kind::ReadSecret, "reads a credential from the keyring"),
    plain(&["kwallet-query"], &["-r", "--read-password"], Kind::ReadSecret, "reads a credential from the wallet"),
    plain(&["keyctl"], &["print"], Kind::ReadSecret, "reads a credential from the kernel's keyring"),
    plain(&["lpass"], &["show", "export"], Kind::ReadSecret, "reads credentials from LastPass"),
    plain(&["bw"], &["get", "export"], Kind::ReadSecret, "reads credentials from Bitwarden"),
    plain(&["keepassxc-cli", "kpcli"], &["show", "export"], Kind::ReadSecret, "reads credentials from KeePass"),
    plain(&["chamber", "envchain", "teller", "summon"], &["read", "export", "env", "show"], Kind::ReadSecret, "reads credentials from a store"),
    plain(&["docker-credential-desktop", "docker-credential-osxkeychain", "docker-credential-secretservice", "docker-credential-pass", "docker-credential-gcloud"], &["get"], Kind::ReadSecret, "reads a registry's credentials"),
];

/// Whether anything is known about a command.
pub(super) fn has(name: &str) -> bool {
    RULES.iter().any(|rule| rule.names.contains(&name))
}

/// What the words of a command mean; what weighs more wins.
pub(super) fn rule(name: &str, args: &[Arg]) -> Option<&'static Rule> {
    RULES
        .iter()
        .rev()
        .find(|rule| rule.names.contains(&name) && (rule.words.is_empty() && !args.is_empty() || fits(rule, args)))
}

fn fits(rule: &Rule, args: &[Arg]) -> bool {
    args.iter().any(|arg| rule.words.iter().any(|word| same(word, &arg.text)))
}

fn same(word: &str, text: &str) -> bool {
    match word.split_once('*') {
        Some((start, end)) => {
            let end = end.trim_end_matches('*');
            text.len() >= start.len() + end.len()
                && text.starts_with(start)
                && (text.ends_with(end) || text.contains(end))
        }
        None if word == "?:" => text.len() == 2 && text.ends_with(':'),
        None => text == word,
    }
}
