//! Tools with words like `group delete`: a table of the words that destroy.

mod table;

use table::ROWS;

use super::destroys;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec};

/// Options of any of them that take a value and may stand before the words.
const OPTIONS: Spec = Spec::new(
    "ntgsx",
    &[
        "namespace",
        "context",
        "project",
        "region",
        "zone",
        "profile",
        "output",
        "resource-group",
        "app",
        "account",
        "config",
        "org",
        "token",
        "name",
        "subscription",
        "format",
        "kubeconfig",
        "kube-context",
        "endpoint",
        "address",
        "cluster",
        "stack",
        "cwd",
        "scope",
        "location",
        "project_id",
        "dataset_id",
        "compartment-id",
        "access-token",
        "configuration",
        "verbosity",
        "remote",
        "env",
        "stage",
    ],
)
.flags(&["dry-run", "dryrun", "yes", "force", "recursive", "help", "delete", "quiet"]);

/// Words after which nothing is destroyed any more.
const LOOKS: &[&str] = &[
    "list",
    "ls",
    "describe",
    "get",
    "show",
    "view",
    "info",
    "status",
    "logs",
    "help",
    "search",
    "explain",
    "inspect",
    "create",
    "plan",
    "preview",
    "docs",
    "history",
    "completion",
    "add",
    "set",
    "update",
    "ssh",
    "read",
    "tail",
];

pub(super) fn knows(name: &str) -> bool {
    ROWS.iter().any(|(names, ..)| names.contains(&name))
        || name.starts_with("kafka-")
        || matches!(name, "hdfs" | "hadoop" | "rdiff-backup" | "timeshift" | "wsl" | "VBoxManage" | "vboxmanage")
}

/// Whether it was one of those.
pub(super) fn look(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) -> bool {
    let options = Options::of(invocation.args, &OPTIONS);
    let rehearsed = options.on(&["dry-run", "dryrun", "dry", "preview-only", "validate-only", "what-if", "plan"]);
    if rehearsed || options.has(&["h", "help"]) {
        return true;
    }
    special(invocation, &options, doing);
    let words: Vec<&str> = options.operands.iter().map(|word| word.text.as_str()).collect();
    let rows = ROWS.iter().filter(|(names, ..)| names.contains(&invocation.name));
    for (_, patterns, what) in rows {
        if patterns.iter().any(|pattern| stands(&words, pattern)) {
            destroys(*what, doing);
            return true;
        }
    }
    false
}

/// Whether the words of a pattern stand next to each other, with nothing before that only looks.
fn stands(words: &[&str], pattern: &str) -> bool {
    if pattern.is_empty() {
        return true;
    }
    let pattern: Vec<&str> = pattern.split(' ').collect();
    // `logs` may be what is deleted: `gcloud logging logs delete x`.
    let noun = |at: usize| words[at] == "logs" && words.get(at + 1).is_some_and(|next| alike(next, pattern[0]));
    let looks = |at: &usize| LOOKS.contains(&words[*at]) && words[*at] != pattern[0] && !noun(*at);
    let end = (0..words.len()).find(looks).unwrap_or(words.len()).min(6);
    let words = &words[..end];
    words.windows(pattern.len()).any(|window| window.iter().zip(&pattern).all(|(word, like)| alike(word, like)))
}

fn alike(word: &str, like: &str) -> bool {
    match (like.strip_prefix('*'), like.strip_suffix('*')) {
        (Some(end), _) => word.ends_with(end),
        (_, Some(start)) => word.starts_with(start),
        _ => word == like,
    }
}

/// What options say rather than words.
fn special(invocation: &Invocation<'_>, options: &Options, doing: &mut Doing<'_, '_>) {
    let (first, second) = (options.word(0), options.word(1));
    let has =
        |word: &str| invocation.args.iter().any(|arg| arg.text == word || arg.text.starts_with(&format!("{word}=")));
    let follows =
        |name: &str, value: &str| invocation.args.windows(2).any(|pair| pair[0].text == name && pair[1].text == value);
    match invocation.name {
        name if name.starts_with("kafka-") && (has("--delete") || name.starts_with("kafka-delete-records")) => {
            destroys("deletes topics, groups or records of Kafka", doing);
        }
        "virsh"
            if first == "undefine" && (has("--remove-all-storage") || has("--storage") || has("--wipe-storage")) =>
        {
            destroys("deletes a virtual machine with its disks", doing);
        }
        "crictl" if first == "rmi" && (has("--prune") || has("-q") || has("--all") || has("-a")) => {
            destroys("deletes every image that no container uses", doing);
        }
        "hdfs" | "hadoop" if has("-rm") || has("-rmr") || has("-expunge") || has("-format") => {
            destroys("deletes data of a cluster", doing);
        }
        "rdiff-backup" | "tarsnap" | "timeshift"
            if has("--remove-older-than") || has("-d") || has("--delete-all") || has("--delete") =>
        {
            destroys("deletes backups", doing);
        }
        "VBoxManage" | "vboxmanage"
            if (has("--delete") || has("--delete-all")) && matches!(first, "unregistervm" | "closemedium") =>
        {
            destroys("deletes a virtual machine with its disks", doing);
        }
        "wsl" if has("--unregister") => destroys("deletes a virtual machine with its disks", doing),
        "gcloud" if first == "storage" && has("--delete-unmatched-destination-objects") => {
            destroys("deletes objects in a cloud storage that are not here", doing);
        }
        "gcloud" if has("--role") && ["roles/owner", "roles/editor"].iter().any(|role| grants(invocation, role)) => {
            doing.does(Kind::Escalate, Flag::Force.into(), "gives somebody power over a cloud project");
        }
        "az" if first == "role"
            && second == "assignment"
            && options.word(2) == "create"
            && grants(invocation, "Owner") =>
        {
            doing.does(Kind::Escalate, Flag::Force.into(), "gives somebody power over a cloud subscription");
        }
        "gcloud" if second == "firewall-rules" && (has("--allow=all") || follows("--allow", "all")) => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "opens a firewall to the world");
        }
        "az" if first == "network"
            && second == "nsg"
            && follows("--access", "Allow")
            && follows("--source-address-prefixes", "*") =>
        {
            doing.does(Kind::Weaken, Flag::Remote.into(), "opens a firewall to the world");
        }
        "gcloud" if first == "compute" && second == "scp" => {
            let from = options.operands.iter().skip(2).filter(|path| !path.text.contains(':'));
            sends(&from.cloned().collect::<Vec<_>>(), doing);
        }
        "az" if options.operands.iter().any(|word| word.text.starts_with("upload")) => {
            sends(&following(invocation, &["--file", "-f", "--source", "-s"]).into_iter().collect::<Vec<_>>(), doing);
        }
        "bq" if first == "query" => statements(options.operands.get(1..).unwrap_or_default(), doing),
        "az" if first == "deployment"
            && options.operands.iter().any(|word| word.text == "create")
            && following(invocation, &["--mode"]).is_some_and(|mode| mode.text == "Complete") =>
        {
            destroys("deletes cloud resources that the template does not name", doing);
        }
        "heroku" if matches!(first, "run" | "run:detached") => {
            let words: Vec<&str> = options.operands[1..].iter().map(|word| word.text.as_str()).collect();
            doing.runs_script("heroku run", &crate::arg::Stuff::known(words.join(" ")), &[], None);
        }
        "heroku" if first == "pg:psql" => option_statements(invocation, &["-c", "--command"], doing),
        "wrangler" if first == "d1" && second == "execute" => option_statements(invocation, &["--command"], doing),
        "turso" if first == "db" && second == "shell" => {
            statements(options.operands.get(3..).unwrap_or_default(), doing)
        }
        "fly" | "flyctl" | "gcloud" | "az"
            if options.operands.iter().any(|word| matches!(word.text.as_str(), "ssh" | "run-command")) =>
        {
            let command = following(invocation, &["-C", "--command", "--scripts"]);
            if let Some(command) = command {
                doing.runs_script(invocation.name, &crate::arg::Stuff::known(command.text.as_str()), &[], None);
            }
        }
        _ => {}
    }
}

/// Files that go to a cloud.
fn sends(files: &[crate::arg::Arg], doing: &mut Doing<'_, '_>) {
    for file in files {
        if doing.reads(file).from.secret {
            doing.does(Kind::SendSecret, Flag::Upload.into(), "sends a credential to a cloud");
        }
    }
}

fn grants(invocation: &Invocation<'_>, role: &str) -> bool {
    invocation.args.iter().any(|arg| arg.text == role || arg.text == format!("--role={role}"))
}

/// The word after one of these, or behind its `=`.
fn following(invocation: &Invocation<'_>, names: &[&str]) -> Option<crate::arg::Arg> {
    let args = invocation.args;
    args.iter().enumerate().find_map(|(at, arg)| {
        if names.contains(&arg.text.as_str()) {
            return args.get(at + 1).cloned();
        }
        let (name, value) = arg.text.split_once('=')?;
        names.contains(&name).then(|| crate::know::options::part(arg, value))
    })
}

fn option_statements(invocation: &Invocation<'_>, names: &[&str], doing: &mut Doing<'_, '_>) {
    if let Some(statement) = following(invocation, names) {
        statements(&[statement], doing);
    } else if let Some(stdin) = invocation.stdin {
        crate::know::database::look_through(stdin, crate::know::database::Dialect::Postgres, doing);
    }
}

fn statements(words: &[crate::arg::Arg], doing: &mut Doing<'_, '_>) {
    for word in words {
        let code = crate::arg::Stuff { text: Some(word.text.as_str().into()), from: word.from };
        crate::know::database::look_through(&code, crate::know::database::Dialect::Plain, doing);
    }
}
