//! Programs that run the rest of their words, and how many words come before those.

use super::options::{SWITCHES, Spec};

/// What follows the options and operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// A program and its arguments.
    Words,
    /// Text for a shell, joined by blanks.
    Script,
}

/// A program that runs something else.
pub(super) struct Wrapper {
    pub names: &'static [&'static str],
    pub spec: Spec,
    /// Words between the options and the command: `timeout 5 …`.
    pub operands: usize,
    pub how: How,
    /// With one of these options nothing runs (`command -v`, `taskset -p`).
    pub inert: &'static [&'static str],
}

const fn words(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
    inert: &'static [&'static str],
) -> Wrapper {
    Wrapper { names, spec: Spec { short, long }, operands, how: How::Words, inert }
}

/// Wrappers that need no more than their options skipped.
pub(super) const WRAPPERS: &[Wrapper] = &[
    words(
        &[
            "nohup",
            "setsid",
            "unbuffer",
            "eatmydata",
            "catchsegv",
            "builtin",
            "torify",
            "tsocks",
            "torsocks",
            "dumb-init",
            "with-contenv",
            "winpty",
            "chronic",
            "ifne",
            "ccache",
            "sccache",
            "distcc",
            "icecc",
            "fakechroot",
            "fakeroot-sysv",
            "fakeroot-tcp",
            "dbus-launch",
            "heaptrack",
            "valgrind",
            "ld.so",
            "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1",
            "ld-linux.so.2",
            "ld-musl-x86_64.so.1",
            "ld-musl-aarch64.so.1",
            "noglob",
            "nocorrect",
            "grc",
            "bear",
            "scan-build",
            "retry",
            "wsl",
            "wsl.exe",
            "gamemoderun",
            "mangohud",
            "primusrun",
            "optirun",
            "prime-run",
            "nvidia-offload",
            "uwsm-app",
            "trickle",
            "proxychains-ng",
            "graftcp",
            "setarch",
            "linux32",
            "linux64",
            "i386",
            "x86_64",
            "s6-setsid",
            "nocache",
        ],
        "",
        &["distribution", "user", "cd"],
        0,
        &[],
    ),
    words(&["command"], "", &[], 0, &["v", "V"]),
    words(&["exec"], "a", &[], 0, &[]),
    words(&["nice"], "n", &["adjustment"], 0, &[]),
    words(
        &["ionice"],
        "cnpPu",
        &["class", "classdata", "pid", "pgid", "uid"],
        0,
        &["p", "P", "u", "pid", "pgid", "uid"],
    ),
    words(&["chrt"], "TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1, &["p", "pid", "m", "max"]),
    words(&["taskset"], "", &[], 1, &["p", "pid"]),
    words(&["choom"], "np", &["adjust", "pid"], 0, &["p", "pid"]),
    words(&["prlimit"], "p", &["pid", "output"], 0, &["p", "pid"]),
    words(&["cpulimit"], "lpec", &["limit", "pid", "exe", "cpu"], 0, &["p", "pid", "e", "exe"]),
    words(&["cgexec"], "g", &[], 0, &[]),
    words(
        &["numactl"],
        "imNCplb",
        &["interleave", "membind", "cpunodebind", "physcpubind", "preferred"],
        0,
        &["H", "s", "show"],
    ),
    words(&["timeout", "gtimeout"], "ks", &["kill-after", "signal"], 1, &[]),
    words(&["stdbuf", "gstdbuf"], "ioe", &["input", "output", "error"], 0, &[]),
    words(&["busybox", "toybox"], "", &["install"], 0, &["list", "list-full", "install"]),
    words(
        &["unshare"],
        "SGRwM",
        &["setuid", "setgid", "root", "wd", "propagation", "map-user", "map-group", "setgroups"],
        0,
        &[],
    ),
    words(&["chroot"], "ugG", &["userspec", "groups"], 1, &[]),
    words(&["arch-chroot"], "urN", &[], 1, &[]),
    words(&["firejail"], "", &["name", "profile"], 0, &["list", "tree"]),
    words(&["proot"], "rbwqkRS", &["rootfs", "bind", "cwd", "qemu", "kernel-release"], 0, &[]),
    words(&["fakeroot"], "lsib", &["lib", "faked"], 0, &[]),
    words(&["faketime"], "", &["date-prog"], 1, &[]),
    words(
        &["strace"],
        "abeEIoOpPsSuX",
        &["output", "trace", "attach", "user", "env", "string-limit"],
        0,
        &["p", "attach"],
    ),
    words(&["ltrace"], "aAbDeFlnopsuwx", &["output"], 0, &["p"]),
    words(&["rr"], "", &[], 1, &[]),
    words(&["xvfb-run"], "efnpsw", &["error-file", "auth-file", "server-num", "server-args", "wait"], 0, &[]),
    words(&["dbus-run-session"], "", &["config-file", "dbus-daemon"], 0, &[]),
    words(&["systemd-inhibit"], "", &["what", "who", "why", "mode"], 0, &["list"]),
    words(&["caffeinate"], "tw", &[], 0, &[]),
    words(&["arch"], "ed", &[], 0, &[]),
    words(&["rlwrap"], "bcCDfgHlMOpPqsStwz", &["file", "history-filename", "prompt-colour"], 0, &[]),
    words(&["proxychains", "proxychains4"], "f", &[], 0, &[]),
    words(&["runcon"], "turlc", &["type", "user", "role", "range"], 0, &[]),
    words(&["daemonize"], "aceEloppu", &[], 0, &[]),
    words(&["daemon"], "cfnoprPtTu", &[], 0, &[]),
    words(&["tini", "docker-init"], "gpe", &[], 0, &[]),
    words(&["summon"], "pfDe", &["provider", "environment", "yaml", "subs", "up"], 0, &["all-provider-versions"]),
    words(&["envchain"], "", &[], 1, &["l", "list", "s", "set"]),
    words(&["envdir", "setuidgid", "envuidgid", "logsave", "s6-envdir", "s6-setuidgid"], "", &[], 1, &[]),
    words(&["chpst"], "ueUPb/nlLmdorpfc", &[], 0, &[]),
    words(&["softlimit"], "adfloprstmc", &[], 0, &[]),
    words(&["sandbox-exec"], "fnpD", &[], 0, &[]),
    words(&["dotenv"], "efvc", &["file", "env-file"], 0, &[]),
    words(&["env-cmd"], "frex", &["file", "environments"], 0, &[]),
    words(&["pexec"], "nrfecopm", &[], 0, &[]),
    words(&["flatpak-spawn"], "", &["directory", "env"], 0, &[]),
    words(&["nsjail"], "", &["config"], 0, &[]),
    words(&["tsp", "ts"], "nLN", &["id"], 0, &["l", "k", "C"]),
    words(&["sshpass"], "fdpPe", &[], 0, &[]),
];

/// Programs that run something else by one of their subcommands: `poetry run …`.
pub(super) struct Subcommand {
    pub names: &'static [&'static str],
    pub subcommands: &'static [&'static str],
    pub spec: Spec,
    pub operands: usize,
    pub how: How,
}

const fn after(names: &'static [&'static str], subcommands: &'static [&'static str], operands: usize) -> Subcommand {
    Subcommand { names, subcommands, spec: SWITCHES, operands, how: How::Words }
}

/// As [`WRAPPERS`], behind a subcommand.
pub(super) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        names: &["poetry", "pipenv", "pdm", "rye", "hatch", "uv", "pixi"],
        subcommands: &["run"],
        spec: Spec {
            short: "pe",
            long: &["with", "python", "directory", "project", "env-file", "extra", "group", "package", "index", "env"],
        },
        operands: 0,
        how: How::Words,
    },
    Subcommand {
        names: &["conda", "mamba", "micromamba"],
        subcommands: &["run"],
        spec: Spec { short: "np", long: &["name", "prefix", "cwd"] },
        operands: 0,
        how: How::Words,
    },
    after(&["bundle", "bundler", "rbenv", "pyenv", "nodenv", "goenv", "asdf", "spring", "jenv"], &["exec"], 0),
    after(&["direnv", "aws-vault", "chamber", "nvm", "granted"], &["exec"], 1),
    after(&["rustup"], &["run"], 1),
    after(&["mise", "rtx", "fnm", "volta", "proto"], &["exec", "x", "run"], 0),
    Subcommand {
        names: &["op", "doppler", "infisical", "teller", "dotenvx", "bws", "phase", "envault"],
        subcommands: &["run"],
        spec: Spec {
            short: "fpcet",
            long: &["env-file", "project", "config", "env", "token", "account", "path", "project-id"],
        },
        operands: 0,
        how: How::Words,
    },
    Subcommand { how: How::Script, operands: 1, ..after(&["sops"], &["exec-env", "exec-file"], 1) },
    Subcommand { how: How::Script, operands: 1, ..after(&["scl"], &["enable", "run"], 1) },
    Subcommand {
        names: &["perf"],
        subcommands: &["record", "stat", "trace", "mem", "c2c", "kvm", "sched", "lock", "ftrace"],
        spec: Spec {
            short: "eFcopCtmGurDjI",
            long: &["event", "freq", "count", "output", "pid", "call-graph", "repeat", "delay"],
        },
        operands: 0,
        how: How::Words,
    },
    after(&["toolbox", "distrobox", "distrobox-enter"], &["run", "enter"], 0),
    after(&["zellij"], &["run"], 0),
    after(&["guix"], &["shell", "environment"], 0),
    after(&["lerna", "rush", "nx"], &["exec"], 0),
];
