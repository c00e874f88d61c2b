use super::*;

fn look(text: &str, glob: bool) -> Located {
    let around = Surroundings {
        cwd: Some("/home/ann/app"),
        workspace: Some("/home/ann/app"),
        home: Some("/home/ann"),
        resolve: None,
    };
    locate(&Arg { text: text.replace('§', &HOLE.to_string()), glob, ..Arg::default() }, &around)
}

#[test]
fn places() {
    for (text, path, place) in [
        ("/", "/", Place::Root),
        ("/../.", "/", Place::Root),
        ("/*", "/", Place::Root),
        ("/.*", "/", Place::Root),
        ("/*/*", "/", Place::Root),
        ("/§", "/§", Place::Root),
        ("/§/x", "/§/x", Place::Outside),
        ("~", "/home/ann", Place::Home),
        ("~/", "/home/ann", Place::Home),
        ("~/.[!.]*", "/home/ann", Place::Home),
        ("..", "/home/ann", Place::Home),
        ("../..", "/home", Place::Home),
        ("../../../../..", "/", Place::Root),
        ("~root", "/root", Place::Home),
        ("~bob/x", "/home/bob/x", Place::Outside),
        ("~/Music", "/home/ann/Music", Place::Outside),
        ("/Users/bob", "/Users/bob", Place::Home),
        (".", "/home/ann/app", Place::Workspace),
        ("./*", "/home/ann/app", Place::Workspace),
        ("*", "/home/ann/app", Place::Workspace),
        ("!(keep)", "/home/ann/app", Place::Workspace),
        ("*.log", "/home/ann/app/*.log", Place::Inside),
        ("dist/*", "/home/ann/app/dist", Place::Inside),
        ("§", "§", Place::Unknown),
        ("§/*", "§", Place::Unknown),
        ("./§", "/home/ann/app/§", Place::Inside),
        ("/home/ann/app/§/x", "/home/ann/app/§/x", Place::Inside),
        ("/home/ann/app2", "/home/ann/app2", Place::Outside),
        ("/home/§", "/home/§", Place::Home),
        (".git", "/home/ann/app/.git", Place::Vcs),
        (".git/index.lock", "/home/ann/app/.git/index.lock", Place::Inside),
        ("/tmp/a/../b", "/tmp/b", Place::Temp),
        ("/tmp/../etc", "/etc", Place::System),
        ("/private/var/folders/x", "/private/var/folders/x", Place::Temp),
        ("/dev/null", "/dev/null", Place::Temp),
        ("/dev/sda", "/dev/sda", Place::Device),
        ("/dev/disk/by-id/x", "/dev/disk/by-id/x", Place::Device),
        ("/dev/fd/2", "/dev/fd/2", Place::Temp),
        ("/proc/self/fd/1", "/proc/self/fd/1", Place::Temp),
        ("/e*", "/e*", Place::System),
        ("/srv/data", "/srv/data", Place::Outside),
        ("C:\\", "C:/", Place::Root),
        ("c:/users/x/..", "C:/users", Place::Home),
        ("C:\\Windows\\System32", "C:/Windows/System32", Place::System),
        ("/mnt/c/Users/x/a", "/mnt/c/Users/x/a", Place::Outside),
        ("/mnt/data", "/mnt/data", Place::Outside),
        ("~x.txt", "/home/ann/app/~x.txt", Place::Inside),
    ] {
        let located = look(text, true);
        assert_eq!((located.path.replace(HOLE, "§").as_str(), located.place), (path, place), "{text}");
    }
}

/// What a process sees under `/proc` is judged as what it is.
#[rustfmt::skip]
#[test]
fn views_of_processes() {
    for (text, path, place) in [
        ("/proc/self/root", "/", Place::Root),
        ("/proc/self/root/etc", "/etc", Place::System),
        ("/proc/thread-self/root/etc", "/etc", Place::System),
        ("/proc/42/root/home/ann/.bashrc", "/home/ann/.bashrc", Place::Outside),
        ("/proc/§/root/etc", "/etc", Place::System),
        ("/proc/self/task/42/root/etc", "/etc", Place::System),
        ("/proc/self/root/proc/self/root/etc", "/etc", Place::System),
        ("/proc/self/root/../etc", "/etc", Place::System),
        ("//proc/./self/../self/root/etc", "/etc", Place::System),
        ("/proc/self/cwd", "/home/ann/app", Place::Workspace),
        ("/proc/self/cwd/x", "/home/ann/app/x", Place::Inside),
        ("/proc/self/cwd/../x", "/home/ann/x", Place::Outside),
        ("/dev/fd/../cwd/../../bob", "/home/bob", Place::Home),
        ("/proc/42/cwd/x", "/proc/42/cwd/x", Place::System),
        ("/proc/42/cwd/../x", "/proc/42/cwd/../x", Place::System),
        ("/proc/self/fd/3", "/proc/self/fd/3", Place::Temp),
        ("/proc/self/fd/3/x", "/proc/self/fd/3/x", Place::System),
        ("/dev/fd/3/../x", "/dev/fd/3/../x", Place::System),
        ("/proc/sys/root", "/", Place::Root),
        ("/proc/cpuinfo", "/proc/cpuinfo", Place::System),
    ] {
        let located = look(text, false);
        assert_eq!((located.path.replace(HOLE, "§").as_str(), located.place), (path, place), "{text}");
    }
    let blind = [
        "/proc/42/cwd", "/proc/42/cwd/../x", "/proc/42/fd/1", "/proc/self/fd/3", "/proc/self/fd/1/x", "/dev/stdin",
        "/dev/fd/0", "/dev/stdout/x", "/proc/self/…/x", "/proc/…/a/b", "/proc/self/r*/x", "/proc/1/task/2/cwd/x",
    ];
    for path in blind {
        assert!(is_blind(path), "{path}");
    }
    let told = [
        "/dev/null", "/dev/stdout", "/dev/fd/2", "/dev/fd/64", "/proc/self/fd/1", "/proc/1/fd/1", "/proc/…/comm",
        "/proc/…/attr/current", "/proc/sys/net/ipv4/ip_forward", "/home/ann/cwd/x", "/proc/self/environ", "/dev/shm/x",
    ];
    for path in told {
        assert!(!is_blind(path), "{path}");
    }
}

#[rustfmt::skip]
#[test]
fn natures() {
    let secret = [
        ".env", ".env.local", "config/prod.env", "~/.ssh/id_rsa", "~/.ssh/work", "~/.ssh", "~/.ssh/*",
        "~/.aws/credentials",
        "§/.aws/credentials", "§/auth.json", "/etc/shadow", "/etc/shad?w", "/proc/1/environ", "/proc/self/environ",
        "server.key", "deploy.pem", "/home/x/.kube/config", "~/.docker/config.json", ".e*v", "id_ed2*",
        "~/.bash_history",
        "~/.claude/.credentials.json", "~/.openclaw/agents/main/agent/auth-profiles.json", "~/.password-store/web/bank.gpg", "/root/.ssh/id_rsa", ".ENV",
        "~/Library/Keychains/login.keychain-db", "vault/db.kdbx", "~/.config/gcloud/*", "terraform.tfstate",
        "~/.local/share/tollgate/audit/audit-seal.key", "~/.local/share/tollgate/audit",
    ];
    for text in secret {
        assert!(look(text, true).nature.secret, "{text}");
    }
    let later = [
        "~/.bashrc", "/home/bob/.zshrc", "/root/.profile", "/etc/cron.d/x", "/etc/crontab",
        "/etc/systemd/system/a.service",
        "~/.config/systemd/user/a.timer", "~/.ssh/authorized_keys", "/root/.ssh/authorized_keys2",
        ".git/hooks/pre-push",
        "~/.config/autostart/x.desktop", "/etc/profile.d/x.sh", "~/Library/LaunchAgents/a.plist",
        "/var/spool/cron/root",
        "§/.bashrc", "/etc/rc.local", "/etc/cron.daily/a",
    ];
    for text in later {
        assert!(look(text, true).nature.runs_later, "{text}");
    }
    let policy = [
        "tollgate.toml", "~/.config/tollgate/x", "/etc/tollgate", ".claude/settings.json", "~/.cache/tollgate/plan", "~/.local/state/tollgate/pause.json",
        "~/.claude/settings.local.json",
        ".claude/hooks/guard.sh", "~/.codex/config.toml", ".cursor/hooks.json", ".gemini/settings.json",
        ".github/hooks/a.json",
        ".clinerules/hooks/PreToolUse", "~/.config/opencode/plugins/a.js", ".kiro/hooks/x.json",
    ];
    for text in policy {
        assert!(look(text, true).nature.policy, "{text}");
    }
    for text in ["/etc/sudoers", "/etc/sudoers.d/x", "/var/log/auth.log", "/var/log", "/etc/passwd", "/etc/pam.d/su"] {
        assert!(look(text, true).nature.security, "{text}");
    }
    let nothing = [
        ".env.example", ".env.sample", "example.env", "~/.ssh/id_rsa.pub", "~/.ssh/known_hosts", "environment.ts",
        ".envrc",
        "*", "src/*.rs", "src/env", "node_modules/x/.env", "tests/fixtures/server.key", "fullchain.pem", "/etc/hosts",
        "/etc/ssl/certs/ca.pem", "dotfiles/.bashrc", "/tmp/x/.git/hooks/pre-commit", "CLAUDE.md",
        ".claude/commands/a.md",
        "key.rs", ".github/workflows/ci.yml", "~/.cache/x", "/etc/os-release", "/etc/*release", "§", "monkey",
    ];
    for text in nothing {
        assert_eq!(look(text, true).nature, Nature::default(), "{text}");
    }
}

#[test]
fn hosts() {
    for (text, expected) in [
        ("https://User:pw@Example.com:8443/a@b?c", "example.com"),
        ("git@github.com:x/y.git", "github.com"),
        ("ssh://git@host.example:22/x", "host.example"),
        ("box:/srv", "box"),
        ("[::1]:80", "::1"),
        ("http://[fe80::1]/x", "fe80::1"),
        ("10.0.0.1:4444", "10.0.0.1"),
        ("example.com.", "example.com"),
    ] {
        assert_eq!(host(text), expected, "{text}");
    }
}

struct Links(&'static [(&'static str, &'static str)]);

impl Resolve for Links {
    fn real(&self, path: &str) -> Option<String> {
        let found = self.0.iter().find(|(link, _)| path == *link || path.starts_with(&format!("{link}/")))?;
        Some(format!("{}{}", found.1, &path[found.0.len()..]))
    }
}

#[test]
fn symbolic_links() {
    let links = Links(&[
        ("/w/etc", "/etc"),
        ("/w/notes", "/home/ann/.ssh/id_rsa"),
        ("/w/lib", "/w/vendor"),
        ("/w/top", "/proc/self/root"),
        ("/w/here", "/proc/self/cwd"),
        ("/dev/shm/etc", "/etc"),
    ]);
    let around =
        Surroundings { cwd: Some("/w"), workspace: Some("/w"), home: Some("/home/ann"), resolve: Some(&links) };
    let at = |text: &str| locate(&Arg::known(text), &around);
    assert_eq!((at("etc/passwd").place, at("etc/passwd").symlink), (Place::System, true));
    assert!(at("notes").nature.secret);
    assert_eq!((at("lib/x").place, at("lib/x").symlink), (Place::Inside, false));
    assert_eq!(at("top/etc/passwd").path, "/etc/passwd");
    assert_eq!(at("here/etc/passwd").path, "/etc/passwd", "a link in what a link shows");
    assert_eq!(at("/dev/shm/etc/passwd").path, "/etc/passwd");
    let name = locate_name(&Arg::known("etc"), &around);
    assert_eq!((name.place, name.symlink), (Place::Inside, false));
    assert_eq!(locate_name(&Arg::known("etc/x"), &around).place, Place::System);
}

#[test]
fn what_is_made_anew() {
    for (command, expected) in [
        ("a completion fish > ~/.config/fish/completions/a.fish", "write"),
        ("echo deb | tee /etc/apt/sources.list.d/a.list", "write"),
        ("echo deb > /etc/apt/sources.list", "overwrite"),
        ("rm ~/.config/fish/completions/a.fish", "delete"),
    ] {
        assert_eq!(crate::check::kinds_of(command), expected, "{command}");
    }
}
