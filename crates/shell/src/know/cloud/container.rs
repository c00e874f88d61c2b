//! docker, podman and their likes.

use super::destroys;
use super::mounts::{Mount, mounts, outside};
use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

const GLOBAL: Spec = Spec::new(
    "Hcl",
    &[
        "host",
        "context",
        "config",
        "log-level",
        "tlscacert",
        "tlscert",
        "tlskey",
        "namespace",
        "url",
        "connection",
        "root",
        "storage-driver",
        "identity",
    ],
);

pub(super) fn docker(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let (_, words) = Options::before(invocation.args, &GLOBAL);
    let Some((verb, rest)) = words.split_first() else { return };
    match verb.text.as_str() {
        "compose" => composed(rest, invocation.stdin, doing),
        // `docker container rm` is `docker rm`; so is `docker image rm` something of its own.
        "container" => {
            if let Some((verb, rest)) = rest.split_first() {
                engine("container", &verb.text, rest, invocation.stdin, doing);
            }
        }
        "image" | "volume" | "network" | "system" | "builder" | "buildx" | "stack" | "service" | "swarm" | "secret"
        | "config" | "node" | "pod" | "machine" | "plugin" | "manifest" | "trust" | "kube" | "checkpoint"
        | "context" => {
            if let Some((second, rest)) = rest.split_first() {
                engine(&verb.text, &second.text, rest, invocation.stdin, doing);
            }
        }
        verb => engine("container", verb, rest, invocation.stdin, doing),
    }
}

const LISTS: Spec = Spec::new("", &["filter", "until", "format", "time"]).flags(&["force", "all", "volumes", "help"]);

fn engine(group: &str, verb: &str, rest: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    match verb {
        "run" | "create" if group == "container" => return run(rest, stdin, doing),
        "exec" if group == "container" => return exec(rest, stdin, doing),
        "cp" => {
            let options = Options::of(rest, &LISTS);
            if let [from, to] = options.operands.as_slice() {
                copies(from, to, doing);
            }
            return;
        }
        _ => {}
    }
    let options = Options::of(rest, &LISTS);
    if only_asks(rest) || options.has(&["dry-run"]) {
        return;
    }
    let forced = options.on(&["f", "force"]);
    let all = options.on(&["a", "all"]);
    let what = match (group, verb) {
        ("container", "rm" | "prune" | "remove") => "deletes containers",
        ("container", "rmi") | ("image", "rm" | "remove") if forced || all => "deletes images that may be in use",
        ("image", "prune") if all => "deletes every image that no container uses",
        ("volume", "rm" | "prune" | "remove") => "deletes volumes with their data",
        ("system", "prune") => "deletes containers, networks and images that do not run",
        ("system", "reset") => "deletes all containers, images and volumes",
        (
            "stack" | "service" | "node" | "secret" | "config" | "pod" | "machine" | "checkpoint",
            "rm" | "remove" | "prune" | "reset",
        ) => "deletes parts of a cluster or machine",
        ("swarm", "leave") if forced => "takes a machine out of its cluster by force",
        ("kube", "down") => "deletes pods",
        ("container" | "image" | "buildx" | "builder", "build" | "bake" | "buildx") if options.on(&["push"]) => {
            return doing.does(Kind::Publish, Flag::Upload.into(), "publishes an image");
        }
        ("container", "push") | ("image" | "manifest", "push") => {
            return doing.does(Kind::Publish, Flag::Upload.into(), "publishes an image");
        }
        ("container", "save" | "export") | ("image", "save") => {
            for path in Options::of(rest, &Spec::new("o", &["output"])).values(&["o", "output"]) {
                doing.overwrites(path, Flags::NONE);
            }
            return;
        }
        _ => return,
    };
    destroys(what, doing);
}

const RUN: Spec = Spec::new(
    "aceHhlmpuvw",
    &[
        "add-host",
        "annotation",
        "attach",
        "blkio-weight",
        "cap-add",
        "cap-drop",
        "cgroup-parent",
        "cgroupns",
        "cidfile",
        "cpus",
        "cpu-shares",
        "cpuset-cpus",
        "device",
        "dns",
        "domainname",
        "entrypoint",
        "env",
        "env-file",
        "expose",
        "gpus",
        "group-add",
        "health-cmd",
        "hostname",
        "ip",
        "ipc",
        "isolation",
        "label",
        "label-file",
        "link",
        "log-driver",
        "log-opt",
        "mac-address",
        "memory",
        "memory-swap",
        "mount",
        "name",
        "net",
        "network",
        "network-alias",
        "pid",
        "pids-limit",
        "platform",
        "publish",
        "pull",
        "restart",
        "runtime",
        "security-opt",
        "shm-size",
        "stop-signal",
        "stop-timeout",
        "storage-opt",
        "sysctl",
        "tmpfs",
        "ulimit",
        "user",
        "userns",
        "uts",
        "volume",
        "volume-driver",
        "volumes-from",
        "workdir",
        "pod",
        "secret",
        "systemd",
        "arch",
        "os",
    ],
);

fn run(args: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    let (options, rest) = Options::before(args, &RUN);
    if options.has(&["help"]) {
        return;
    }
    let mounted = mounts(&options);
    powers(&options, &mounted, doing);
    for mount in &mounted {
        if doing.locate(&mount.host).nature.secret {
            doing.reads(&mount.host);
        }
    }
    // The image stands before the command; an entry point before both.
    let command = rest.get(1..).unwrap_or_default();
    let mut words: Vec<Arg> = options.value(&["entrypoint"]).into_iter().cloned().collect();
    words.extend(command.iter().map(|word| outside(word, &mounted)));
    runs_inside("docker run", &words, stdin, doing);
}

/// Options that give a container power over its host.
fn powers(options: &Options, mounted: &[Mount], doing: &mut Doing<'_, '_>) {
    const STRONG: &[&str] = &["ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH"];
    let capability = options.values(&["cap-add"]).any(|name| {
        let name = name.text.to_ascii_uppercase();
        STRONG.contains(&name.strip_prefix("CAP_").unwrap_or(&name))
    });
    let host = options.values(&["pid", "userns", "uts", "ipc"]).any(|value| value.text == "host");
    let system = |mount: &Mount| {
        let path = mount.host.text.trim_end_matches('/');
        // Who talks to the engine may start a container with any power.
        let engine = ["docker.sock", "podman.sock", "containerd.sock", "crio.sock"];
        path.is_empty()
            || path.rsplit('/').next().is_some_and(|name| engine.contains(&name))
            || ["/etc", "/root", "/boot", "/usr", "/dev", "/proc", "/sys", "/var", "/home"].contains(&path)
                && !mount.read_only
    };
    if options.on(&["privileged"]) || capability || host || mounted.iter().any(system) {
        doing.does(Kind::Escalate, Flag::Force.into(), "starts a container with power over the whole machine");
    }
}

const EXEC: Spec = Spec::new("euw", &["env", "env-file", "user", "workdir", "detach-keys", "index"]);

fn exec(args: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    let (_, rest) = Options::before(args, &EXEC);
    let words = rest.get(1..).unwrap_or_default();
    runs_inside("docker exec", words, stdin, doing);
}

/// Runs a command somewhere else than here.
pub(super) fn runs_inside(via: &str, words: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    if !words.is_empty() {
        let output = doing.runs(via, words, stdin);
        doing.prints(output);
    }
}

/// `cp` between here and a container: `name:path` is inside.
pub(super) fn copies(from: &Arg, to: &Arg, doing: &mut Doing<'_, '_>) {
    let is_inside = |arg: &Arg| {
        arg.text.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with(['.', '/', '~']))
    };
    if is_inside(to) && !is_inside(from) {
        doing.reads(from);
    } else if is_inside(from) && to.text != "-" {
        doing.overwrites(to, Flags::NONE);
    }
}

const COMPOSE: Spec = Spec::new(
    "fp",
    &["file", "project-name", "profile", "env-file", "project-directory", "ansi", "parallel", "progress"],
);

pub(super) fn compose(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    composed(invocation.args, invocation.stdin, doing);
}

fn composed(args: &[Arg], stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    let (options, words) = Options::before(args, &COMPOSE);
    let Some((verb, rest)) = words.split_first() else { return };
    if options.has(&["dry-run", "help"]) || only_asks(rest) && verb.text != "exec" && verb.text != "run" {
        return;
    }
    let own = Options::of(
        rest,
        &Spec::new("t", &["timeout", "rmi"]).flags(&["volumes", "remove-orphans", "force", "stop", "dry-run"]),
    );
    match verb.text.as_str() {
        "down" | "rm" if own.on(&["v", "volumes"]) => destroys("deletes containers and volumes with their data", doing),
        "push" => doing.does(Kind::Publish, Flag::Upload.into(), "publishes images"),
        "exec" => exec(rest, stdin, doing),
        "run" => run(rest, stdin, doing),
        "cp" => {
            if let [from, to] = own.operands.as_slice() {
                copies(from, to, doing);
            }
        }
        _ => {}
    }
}
