use crate::check::effects_of;

/// The kind of the only effect, and whether it is forced.
fn check(expected: &str, commands: &[&str]) {
    for command in commands {
        let found = effects_of(command);
        let shown: Vec<String> = found
            .lines()
            .filter(|line| !line.starts_with("read "))
            .map(|line| {
                let mut words = line.split(' ');
                let kind = words.next().unwrap_or_default().to_owned();
                let forced = words.nth(1).is_some_and(|flags| flags.contains("force"));
                if forced && matches!(kind.as_str(), "kill" | "escalate") { kind + "!" } else { kind }
            })
            .collect();
        assert_eq!(shown.join(" "), expected, "{command}: {found}");
    }
}

#[rustfmt::skip]
#[test]
fn disks() {
    check("disk", &[
        "mkfs.ext4 /dev/sdb1", "mkfs -t xfs /dev/sdb", "mkswap /dev/sdb2", "wipefs -af /dev/sdb", "fdisk /dev/sdb",
        "parted -a optimal /dev/sdb mklabel gpt", "parted /dev/sdb 'rm 1'", "sgdisk -Z /dev/sdb",
        "sfdisk --delete /dev/sdb",
        "blkdiscard /dev/sdb", "zfs destroy tank/a", "lvremove vg/a", "btrfs su delete /srv/a",
        "cryptsetup luksFormat /dev/sdb",
        "nvme format /dev/nvme0", "diskutil eraseDisk APFS a disk2", "hdparm --security-erase p /dev/sdb",
    ]);
    check("overwrite", &["mkfs.ext4 ./disk.img", "wipefs -a /tmp/disk.img"]);
    check("", &[
        "fdisk -l /dev/sdb", "parted /dev/sdb print", "wipefs /dev/sdb", "sgdisk -p /dev/sdb",
        "zfs destroy -nv tank/a",
        "lvremove --test vg/a", "mke2fs -n /dev/sdb", "mkfs.ext4 --help", "sfdisk -d /dev/sdb",
        "cryptsetup luksDump /dev/sdb",
    ]);
}

#[rustfmt::skip]
#[test]
fn accounts() {
    check("escalate!", &[
        "useradd -o -u 0 eve", "usermod -aG wheel eve", "usermod -a -G docker,video eve", "gpasswd -a eve sudo",
        "adduser eve sudo",
        "passwd -d root", "chpasswd", "dscl . -append /Groups/admin GroupMembership eve",
    ]);
    check("delete", &["userdel -r eve"]);
    check("", &["useradd eve", "usermod -s /bin/zsh eve", "passwd -S eve", "gpasswd -d eve audio", "userdel eve", "visudo -c"]);
}

#[rustfmt::skip]
#[test]
fn services_and_timers() {
    check("persist", &[
        "systemctl enable --now a", "systemctl --user enable a.timer", "crontab a.txt", "at -f a.sh noon",
        "launchctl load a.plist", "update-rc.d a defaults", "loginctl enable-linger",
    ]);
    check("weaken", &["systemctl stop auditd", "systemctl disable --now ufw", "service rsyslog stop", "pkill -9 falcon-sensor"]);
    check("kill", &["systemctl stop nginx", "kill 42", "kill -9 42", "kill -s TERM 42", "pkill -f server", "killall -9 node"]);
    check("kill!", &[
        "kill -9 -1", "kill -TERM 1", "kill -- -1", "killall -u ann", "pkill -9 -u ann", "reboot",
        "shutdown -h now", "init 6",
        "systemctl poweroff",
    ]);
    check("delete", &["crontab -r"]);
    check("policy", &[
        "tollgate trust", "tollgate pause 10m --reason x", "tollgate resume", "tollgate uninstall --yes", "tollgate init",
        "tollgate key new", "tollgate log erase --call c", "tollgate log new", "/usr/local/bin/tollgate trust",
        "./target/debug/tollgate trust", "env A=1 tollgate pause 1h", "bash -c 'tollgate resume'", "sh -c 'nohup tollgate trust &'",
        "timeout 5 tollgate init", "tollgate --config a.toml trust", "T=tollgate; $T resume", "tollgate --color never key new",
    ]);
    check("policy", &["tollgate disable", "pkill tollgate", "codex --yolo", "claude --dangerously-skip-permissions"]);
    check("", &[
        "systemctl status a", "systemctl restart a", "crontab -l", "at -l", "launchctl list", "kill -l", "kill -L",
        "shutdown -c",
        "tollgate check x", "claude -p x", "tollgate halt --reason x", "tollgate halt", "tollgate status --json",
        "tollgate doctor", "tollgate explain 'rm -rf /'", "tollgate log", "tollgate log -n 5", "tollgate log verify",
        "tollgate --config a.toml check", "tollgate hook claude-code", "tollgate trust --help", "tollgate rules list",
    ]);
}

#[rustfmt::skip]
#[test]
fn guards() {
    check("weaken", &[
        "iptables -F", "iptables -P INPUT ACCEPT", "iptables -I INPUT -j ACCEPT", "nft flush ruleset",
        "ufw disable", "setenforce 0",
        "auditctl -e 0", "history -c", "journalctl --vacuum-time=1s", "sysctl -w kernel.randomize_va_space=0",
        "csrutil disable",
        "mount -o remount,rw /", "dmesg -C",
    ]);
    check("", &[
        "iptables -L", "iptables -A INPUT -p tcp --dport 80 -j ACCEPT", "nft list ruleset", "ufw status",
        "auditctl -l",
        "journalctl --vacuum-time=7d", "sysctl -w vm.swappiness=10", "mount", "dmesg", "getenforce",
    ]);
    check("escalate!", &["insmod a.ko"]);
}

#[rustfmt::skip]
#[test]
fn vaults() {
    check("read-secret", &[
        "security find-generic-password -w -s a", "pass mail/work", "pass show mail", "op read op://a/b",
        "gpg --export-secret-keys a",
        "secret-tool lookup a b", "getent shadow", "bw get password a",
    ]);
    check("", &["pass", "pass ls", "op vault list", "gpg --list-keys", "gpg --export a", "security list-keychains", "getent passwd", "ssh-keygen -lf a.pub"]);
    check("write", &["ssh-keygen -t ed25519 -f a"]);
    check("weaken", &["ssh-keygen -p -N '' -f a"]);
}

#[rustfmt::skip]
#[test]
fn less_common_ways() {
    check("weaken", &[
        "aa-teardown", "ufw default allow incoming", "ufw allow from any", "fail2ban-client stop",
        "firewall-cmd --zone=trusted --add-interface=eth0", "nvram boot-args=amfi_get_out_of_my_way=1",
        r"reg add 'HKLM\Software\Policies\Microsoft\Windows Defender' /v a /d 1",
    ]);
    check("persist", &["crontab -e", "pm2 startup", "defaults write com.apple.loginwindow LoginHook /srv/a"]);
    check("escalate!", &["visudo", "visudo -f /etc/sudoers.d/a", "vipw"]);
    check("", &[
        "xattr -c a", "aa-teardown -h", "ufw default deny incoming", "ufw allow 22", "fail2ban-client status",
        "crontab -l", "visudo -c", "vipw -V", "pm2 list", "nvram -p", "defaults write com.apple.dock autohide -bool true",
    ]);
}
