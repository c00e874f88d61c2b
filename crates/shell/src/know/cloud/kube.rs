//! kubectl and oc.

use super::{destroys, reveals};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec, only_asks};

const KUBECTL: Spec = Spec::new(
    "nflocskLp",
    &[
        "namespace",
        "filename",
        "output",
        "selector",
        "context",
        "cluster",
        "user",
        "kubeconfig",
        "container",
        "kustomize",
        "grace-period",
        "timeout",
        "field-selector",
        "type",
        "patch",
        "server",
        "token",
        "as",
        "image",
        "overrides",
        "profile",
        "target",
        "tail",
        "since",
        "clusterrole",
        "serviceaccount",
        "template",
        "sort-by",
        "replicas",
        "port",
        "env",
        "labels",
        "cascade-never",
        "limit",
        "role",
    ],
)
.flags(&["dry-run", "force", "all", "raw", "prune", "now", "wait", "cascade"]);

pub(super) fn kubectl(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let (own, command) = split(invocation.args);
    let options = Options::of(own, &KUBECTL);
    let verb = options.word(0);
    // What follows `--` or the pod is somebody else's `--help`.
    if only_asks(own) && verb != "exec" || options.has(&["h"]) {
        return;
    }
    match verb {
        "exec" | "run" | "debug" | "rsh" => inside(verb, &options, command, invocation, doing),
        _ if options.on(&["dry-run"]) => {}
        "delete" => destroys("deletes resources of a cluster", doing),
        "drain" => destroys("drives everything off a node", doing),
        "replace" | "apply" if options.on(&["force"]) => {
            destroys("deletes resources of a cluster and makes them again", doing)
        }
        "apply" if options.on(&["prune"]) => destroys("deletes resources of a cluster that are not here", doing),
        "get" | "view" => look(&options, doing),
        "config" if options.word(1) == "view" && options.has(&["raw"]) => {
            reveals("prints the credentials of clusters", doing)
        }
        "create" if options.word(1) == "token" => reveals("prints a token of a cluster", doing),
        "whoami" if options.has(&["t", "show-token"]) => reveals("prints a token of a cluster", doing),
        "create" if options.values(&["clusterrole", "role"]).any(|role| role.text == "cluster-admin") => admin(doing),
        "cp" => copy(&options, doing),
        "extract" if options.operands.iter().any(|word| is_secret(&word.text)) => {
            reveals("prints secrets of a cluster", doing)
        }
        "adm" => administer(&options, doing),
        _ => {}
    }
}

fn admin(doing: &mut Doing<'_, '_>) {
    doing.does(Kind::Escalate, Flag::Force.into(), "gives somebody power over a cluster");
}

/// `oc adm …`, `oc policy …`.
fn administer(options: &Options, doing: &mut Doing<'_, '_>) {
    match options.word(1) {
        "policy" if options.operands.iter().any(|word| word.text == "cluster-admin") => admin(doing),
        "drain" | "prune" if !options.has(&["dry-run"]) => destroys("drives or deletes things off a cluster", doing),
        _ => {}
    }
}

/// Words before and after `--`.
fn split(args: &[Arg]) -> (&[Arg], Option<&[Arg]>) {
    match args.iter().position(|arg| arg.text == "--") {
        Some(at) => (&args[..at], Some(&args[at + 1..])),
        None => (args, None),
    }
}

/// `secret`, `secrets`, `secret/x`, `pods,secrets`.
fn is_secret(word: &str) -> bool {
    word.split([',', '/']).any(|part| matches!(part, "secret" | "secrets"))
}

/// A list of secrets names them; other forms print what is in them.
fn look(options: &Options, doing: &mut Doing<'_, '_>) {
    let mut paths = options.operands.iter().chain(options.values(&["raw"]));
    let raw = options.has(&["raw"]) && paths.any(|path| path.text.contains("/secrets"));
    let form = options.value(&["o", "output", "template"]).map_or("", |form| form.text.as_str());
    let values =
        ["yaml", "json", "go-template", "template", "custom-columns"].iter().any(|start| form.starts_with(start));
    let names_only = form.contains(".metadata.name") && !form.contains(".data");
    let secret = options.operands.iter().skip(1).any(|word| is_secret(&word.text));
    if raw || secret && values && !names_only {
        reveals("prints secrets of a cluster", doing);
    }
}

/// `kubectl exec pod -- command`, or the old form without dashes.
fn inside(
    verb: &str,
    options: &Options,
    command: Option<&[Arg]>,
    invocation: &Invocation<'_>,
    doing: &mut Doing<'_, '_>,
) {
    if verb == "debug" && options.word(1).starts_with("node/") {
        doing.does(Kind::Escalate, Flag::Force.into(), "opens a shell on a node of the cluster");
    }
    let overrides = options.value(&["overrides"]).map_or("", |json| json.text.as_str());
    let powers = ["\"privileged\":true", "\"hostpid\":true", "\"hostnetwork\":true", "\"hostpath\""];
    let compact: String = overrides.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    if options.has(&["privileged"]) || powers.iter().any(|power| compact.contains(power)) {
        doing.does(Kind::Escalate, Flag::Force.into(), "starts a container with power over its host");
    }
    let words = match command {
        Some(words) => words.to_vec(),
        None if matches!(verb, "exec" | "rsh") => after_pod(invocation.args),
        None => return,
    };
    super::container::runs_inside(&format!("kubectl {verb}"), &words, invocation.stdin, doing);
}

/// The words after the verb's first operand.
fn after_pod(args: &[Arg]) -> Vec<Arg> {
    let (_, rest) = Options::before(args, &KUBECTL);
    let (_, rest) = Options::before(rest.get(1..).unwrap_or_default(), &KUBECTL);
    let (_, rest) = Options::before(rest.get(1..).unwrap_or_default(), &KUBECTL);
    rest.to_vec()
}

/// `kubectl cp ~/.ssh/id_rsa pod:/tmp`.
fn copy(options: &Options, doing: &mut Doing<'_, '_>) {
    let (Some(from), Some(to)) = (options.operands.get(1), options.operands.get(2)) else { return };
    super::container::copies(from, to, doing);
}
