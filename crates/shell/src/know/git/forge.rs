//! Hosted repositories: gh, glab, hub.

use crate::arg::{Arg, Stuff};
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec, only_asks};

const FORGE: Spec = Spec::new(
    "RXHfFbtnqmBoacldeuv",
    &[
        "repo",
        "method",
        "header",
        "field",
        "raw-field",
        "body",
        "body-file",
        "title",
        "notes",
        "notes-file",
        "jq",
        "template",
        "visibility",
        "env",
        "org",
        "user",
        "desc",
        "filename",
        "hostname",
        "target",
        "limit",
        "input",
        "json",
        "base",
        "head",
    ],
);

pub(super) fn gh(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    forge(invocation, doing);
}

pub(super) fn glab(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    forge(invocation, doing);
}

/// hub is git with more subcommands.
pub(super) fn hub(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    match invocation.args.first().map(|arg| arg.text.as_str()) {
        Some("delete") => doing.does(Kind::Infra, Flag::Remote.into(), "deletes a hosted repository"),
        Some("api" | "release") => forge(invocation, doing),
        _ => super::git(invocation, doing),
    }
}

/// What is gone after `gh <thing> delete`.
const THINGS: &[(&[&str], &str)] = &[
    (&["repo", "project"], "a hosted repository or project"),
    (&["release"], "a release"),
    (&["secret", "variable"], "a secret or variable that workflows need"),
    (&["issue", "gist", "snippet", "mr", "discussion", "milestone", "label"], "hosted work"),
    (&["run", "ci", "pipeline", "codespace", "cs", "environment", "schedule"], "hosted runs or machines"),
    (&["ssh-key", "gpg-key", "deploy-key"], "a key that gives access"),
];

const DELETES: &[&str] = &["delete", "remove", "delete-asset", "rm"];

fn forge(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    // `-f`, `-d`, `-v` and others take a value in some subcommands only; where they take none, nothing is lost here.
    let options = Options::of(invocation.args, &FORGE);
    if only_asks(invocation.args) || options.word(0).is_empty() {
        return;
    }
    let (group, verb) = (options.word(0), options.word(1));
    if DELETES.contains(&verb) {
        if let Some((_, what)) = THINGS.iter().find(|(groups, _)| groups.contains(&group)) {
            doing.does(Kind::Infra, Flag::Remote.into(), format!("deletes {what}"));
        }
        return;
    }
    match (group, verb) {
        ("api", _) => api(&options, doing),
        ("repo", "archive") => doing.does(Kind::Infra, Flag::Remote.into(), "archives a hosted repository"),
        ("repo", "edit") => visibility(&options, doing),
        ("repo", "sync") if invocation.args.iter().any(|arg| arg.text == "--force") => {
            doing.does(Kind::GitRewrite, Flag::Remote.into(), "overwrites a branch with that of another repository");
        }
        ("repo", "deploy-key") if DELETES.contains(&options.word(2)) => {
            doing.does(Kind::Infra, Flag::Remote.into(), "deletes a key that gives access");
        }
        ("ssh-key" | "gpg-key" | "deploy-key", "add") | ("repo", "deploy-key") if options.word(2) != "list" => {
            doing.does(Kind::Persist, Flag::Remote.into(), "gives a key access to hosted repositories");
        }
        ("release", "create" | "upload" | "edit") => release(&options, verb, invocation.args, doing),
        ("pr" | "mr", "merge") if options.has(&["admin"]) => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "merges past the rules of the branch");
        }
        ("gist" | "snippet", "create") => shares(&options, invocation.stdin, doing),
        ("auth", "token") => doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints the access token"),
        ("auth", "status") if options.has(&["show-token", "t"]) => {
            doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints the access token");
        }
        ("variable", "get" | "export") if invocation.name == "glab" => {
            doing.does(Kind::ReadSecret, Flag::Secret.into(), "prints variables that hold credentials");
        }
        ("alias", "set") => alias(&options, doing),
        _ => {}
    }
}

/// `gh api`: the method says what happens, or the text of a GraphQL mutation.
fn api(options: &Options, doing: &mut Doing<'_, '_>) {
    let method = options.value(&["X", "method"]).map(|method| method.text.to_ascii_uppercase());
    let mutates = |field: &Arg| {
        let text = field.text.to_ascii_lowercase();
        text.starts_with("query=")
            && text.contains("mutation")
            && ["delete", "remove", "archive"].iter().any(|verb| text.contains(verb))
    };
    if method.as_deref() == Some("DELETE") || options.values(&["f", "F", "field", "raw-field"]).any(mutates) {
        doing.does(Kind::Infra, Flag::Remote.into(), "deletes something hosted");
    }
    let opens = |field: &Arg| matches!(field.text.as_str(), "visibility=public" | "private=false");
    if options.values(&["f", "F", "field", "raw-field"]).any(opens) {
        doing.does(Kind::Publish, Flag::Remote.into(), "makes a repository public");
    }
    let sent = options.values(&["f", "F", "field", "raw-field", "input"]).any(|field| {
        let file = field.text.split_once("=@").map_or(field.text.as_str(), |(_, file)| file);
        field.from.secret || doing.locate(&Arg::known(file)).nature.secret
    });
    if sent {
        doing.does(Kind::SendSecret, Flag::Upload.into(), "sends a credential to the forge");
    }
}

fn visibility(options: &Options, doing: &mut Doing<'_, '_>) {
    match options.value(&["visibility"]).map(|value| value.text.as_str()) {
        Some("public") => doing.does(Kind::Publish, Flag::Remote.into(), "makes a repository public"),
        Some(_) => doing.does(Kind::Infra, Flag::Remote.into(), "changes who can see a repository"),
        None => {}
    }
}

fn release(options: &Options, verb: &str, args: &[Arg], doing: &mut Doing<'_, '_>) {
    let draft = args.iter().any(|arg| matches!(arg.text.as_str(), "--draft" | "-d" | "--draft=true"));
    let undrafts = args.iter().any(|arg| arg.text == "--draft=false");
    if undrafts || verb != "edit" && !draft {
        doing.does(Kind::Publish, Flag::Remote.into(), "publishes a release");
    }
    shares_files(options.operands.get(3..).unwrap_or_default(), doing);
}

fn shares(options: &Options, stdin: Option<&Stuff>, doing: &mut Doing<'_, '_>) {
    let piped = stdin.is_some_and(|stdin| stdin.from.secret);
    if piped {
        doing.does(Kind::SendSecret, Flag::Upload.into(), "puts a credential on the web");
    }
    // Options that take a value elsewhere (`-d`, `-f`) may have swallowed the file.
    let mut files: Vec<Arg> = options.operands.get(2..).unwrap_or_default().to_vec();
    files.extend(options.given.iter().filter_map(|given| given.value.clone()));
    shares_files(&files, doing);
    doing.does(Kind::Network, Flag::Upload.into(), "puts text on the web");
}

fn shares_files(files: &[Arg], doing: &mut Doing<'_, '_>) {
    for file in files {
        if doing.locate(file).nature.secret {
            doing.reads(file);
            doing.does(Kind::SendSecret, Flag::Upload.into(), format!("puts {} on the web", file.text));
        }
    }
}

fn alias(options: &Options, doing: &mut Doing<'_, '_>) {
    if let Some(script) = options.operands.get(3).and_then(|alias| alias.text.strip_prefix('!')) {
        doing.runs_script("gh alias", &Stuff::known(script), &[], None);
    }
}
