//! What can be typed.

use std::path::PathBuf;

use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use serde_json::json;

/// Decides what AI agents may do, and says why.
///
/// Policy is written in tollgate.toml: of the project, of the user (~/.config/tollgate), of the machine (/etc/tollgate).
/// Without any, the default packs apply.
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, max_term_width = 80, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub policy: Policy,
    /// When to colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub color: When,
}

const EXAMPLES: &str = "\
Examples:
  tollgate try                       see what it does, without changing anything
  tollgate init && tollgate doctor   guard your agents, and prove that it works
  tollgate explain 'sudo rm -rf /'   what would happen to this, and why
  tollgate init --policy             start a policy of your own";

/// Which policy.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Policy {
    /// Use this file only, instead of those of project, user and machine.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "defaults")]
    pub config: Option<PathBuf>,
    /// Use no file: the default packs only.
    #[arg(long, global = true)]
    pub defaults: bool,
    /// Use the hooks in this JSON file, instead of those in the project's .tollgate/workspace.json.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "defaults")]
    pub hooks: Option<PathBuf>,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

// In the order in which somebody meets them. The first line of each is all that `tollgate --help` has room for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it at work: a short session of an agent, in a scratch folder.
    ///
    /// Recorded events go through the real hook, as an agent would send them. Nothing of what they speak of is run, and no
    /// settings are touched.
    Try {
        /// Leave the scratch folder, and say where it is.
        #[arg(long)]
        keep: bool,
    },
    /// Register with the coding agents of this machine.
    ///
    /// From then on they ask before they act. What would be written is shown first and written when you agree. Comments,
    /// order and other hooks stay as they are, and `tollgate uninstall` takes out exactly what was put in. The exit
    /// status is 0 when everything is registered, 1 when it was not wanted or there is no agent, 2 when it cannot be
    /// done; then nothing is changed.
    Init(Init),
    /// Prove that every agent's calls are judged, and say what is not.
    ///
    /// What is registered is run as the agent would run it, with a harmless call that must be refused. The exit status
    /// is 0 when all is enforced, 1 when something is not, 2 when that cannot be told.
    Doctor(Doctor),
    /// What is enforced, where, since when, and what was refused last.
    Status(Json),
    /// Check the policy files; show what is enforced, and from where.
    Check(Check),
    /// Say what a call does and what would be decided, and why.
    ///
    /// Nothing is run. The exit status is 0 when the call would go, 1 when it would not, 2 when that cannot be told.
    Explain(Box<Explain>),
    /// Run the examples of all rules, and case files.
    Test(Test),
    /// List rules, show one, or list what they can speak of.
    Rules(Rules),
    /// Let a project's files relax policy and run hooks, as they are now.
    ///
    /// Hooks are programs that the project brings along. They are shown with the scripts they name, and a question is
    /// asked. Until they are trusted, what they would judge is refused. Any change to the file or to a script ends it.
    /// Only a person can do this.
    Trust(Trust),
    /// Stop nothing for a while. Only a person can do this.
    ///
    /// Everything is judged and recorded as it would be, and every answer says that Tollgate is paused.
    Pause(Pause),
    /// End a pause or a halt. Only a person can do this.
    ///
    /// The policy is enforced again.
    Resume(Resume),
    /// Refuse every call of every agent. Anybody can do this.
    ///
    /// It holds until somebody runs `tollgate resume`.
    Halt(Halt),
    /// Make a key with which programs may do what only people may.
    ///
    /// That is: pause, resume, trust, init, uninstall. Without it these commands want a terminal, and no agent among the
    /// processes that started them.
    Key(Key),
    /// What agents did: list it, show one record, prove it unchanged.
    Log(Box<crate::command::log::Log>),
    /// Run recorded calls through another policy and show what changes.
    Replay(Box<crate::command::replay::Replay>),
    /// Take out of agents' settings what `tollgate init` put in.
    ///
    /// Nothing else is touched: other hooks, comments and order stay as they are. Policy and record stay, too.
    Uninstall(Uninstall),
    /// Answer the hook of an agent. Agents run this, not people.
    ///
    /// The event comes on stdin, and the answer goes to stdout in the agent's own words. `tollgate init` registers it.
    Hook {
        /// The agent, such as claude-code.
        agent: String,
        /// The event, where the agent's documents do not say it.
        event: Option<String>,
    },
    /// Print completions for a shell.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// How a command answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In words.
    Words,
    /// As one JSON document.
    Document,
    /// As what becomes of a call, in JSON.
    Act,
}

impl Form {
    /// What is said instead of an answer, where words will not do.
    pub(crate) fn failed(self, message: &str) -> Option<serde_json::Value> {
        match self {
            Self::Words => None,
            Self::Document => Some(json!({ "ok": false, "error": true, "mistakes": message })),
            // What cannot be understood is refused.
            Self::Act => Some(json!({ "act": "deny", "rule": null, "reason": message, "effects": [], "error": true })),
        }
    }
}

impl Command {
    /// How it answers.
    pub(crate) fn form(&self) -> Form {
        let json = match self {
            Self::Explain(explain) if explain.batch || explain.json.json => return Form::Act,
            Self::Check(check) => check.json.json,
            Self::Status(json) => json.json,
            Self::Pause(pause) => pause.json.json,
            Self::Resume(resume) => resume.json.json,
            Self::Halt(halt) => halt.json.json,
            Self::Key(Key { what: KeyWhat::New { json, .. } | KeyWhat::Revoke(json) }) => json.json,
            Self::Test(test) => test.json.json,
            Self::Rules(Rules { what: RulesWhat::List(json) | RulesWhat::Effects(json) }) => json.json,
            Self::Rules(Rules { what: RulesWhat::Show { json, .. } }) => json.json,
            Self::Trust(trust) => trust.json.json,
            Self::Log(log) => log.json(),
            Self::Replay(replay) => replay.json.json,
            Self::Init(init) => init.json.json,
            Self::Uninstall(uninstall) => uninstall.json.json,
            Self::Doctor(doctor) => doctor.json.json,
            Self::Hook { .. } | Self::Try { .. } | Self::Explain(_) | Self::Completions { .. } | Self::Man => false,
        };
        if json { Form::Document } else { Form::Words }
    }
}

#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct Json {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Group)]
pub(crate) struct Test {
    /// Case files, or folders of them; tests/*.toml beside the policy unless told.
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Explain {
    /// A shell command.
    #[arg(required_unless_present_any = ["tool", "batch"], conflicts_with_all = ["tool", "batch"])]
    pub command: Option<String>,
    /// A tool's name, instead of a shell command.
    #[arg(long, conflicts_with = "batch")]
    pub tool: Option<String>,
    /// Its arguments, as JSON.
    #[arg(long, value_name = "JSON", requires = "tool", default_value = "{}")]
    pub args: String,
    /// Where in the agent's life, see spec/points.md.
    #[arg(long, value_name = "POINT", default_value = "tool.before")]
    pub on: String,
    /// The working directory, if it is another than here.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// The user's home, if it is another.
    #[arg(long, value_name = "DIR")]
    pub home: Option<String>,
    /// Who asks.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Read many calls from stdin, one JSON object a line: {"command", "cwd"} or {"tool", "args", "cwd"}, with "server"
    /// for a tool of an MCP server; print one JSON object a line for each.
    #[arg(long)]
    pub batch: bool,
    /// Show also the rules that looked and had nothing to say.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Rules {
    #[command(subcommand)]
    pub what: RulesWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesWhat {
    /// All rules in force, in order.
    List(Json),
    /// One rule: what it says, its examples, where it comes from.
    Show {
        /// Its id, such as git-safety/discard.
        id: String,
        #[command(flatten)]
        json: Json,
    },
    /// The effects, places and flags that rules can speak of.
    Effects(Json),
}

#[derive(Debug, Group)]
pub(crate) struct Trust {
    /// The file; this project's tollgate.toml and .tollgate/workspace.json unless told.
    pub file: Option<PathBuf>,
    /// The project's folder, if it is not this one.
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    pub dir: Option<PathBuf>,
    /// What is trusted.
    #[arg(long, conflicts_with_all = ["file", "dir", "revoke"])]
    pub list: bool,
    /// Trust it no longer.
    #[arg(long)]
    pub revoke: bool,
    #[command(flatten)]
    pub key: Automation,
    #[command(flatten)]
    pub json: Json,
}

/// What stands for a person where there is none.
#[derive(Clone, Debug, Default, Group)]
pub(crate) struct Automation {
    /// The key for automation, see `tollgate key`; also in the variable TOLLGATE_KEY.
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
}

#[derive(Debug, Group)]
pub(crate) struct Check {
    /// Show what becomes of the rules in this agent.
    #[arg(long, value_name = "NAME", conflicts_with = "all_agents")]
    pub agent: Option<String>,
    /// Show that for every agent there is, not only for those that are registered.
    #[arg(long)]
    pub all_agents: bool,
    #[command(flatten)]
    pub json: Json,
}

/// How settings are changed.
#[derive(Clone, Debug, Group)]
pub(crate) struct Writing {
    /// Write without asking.
    #[arg(long, short)]
    pub yes: bool,
    /// Only show what would be written.
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    #[command(flatten)]
    pub key: Automation,
}

#[derive(Debug, Group)]
pub(crate) struct Pause {
    /// For how long, such as 10m or 2h; at most 24h.
    #[arg(value_name = "TIME")]
    pub long: String,
    /// Why. It is recorded, and every answer shows it.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    #[command(flatten)]
    pub key: Automation,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Resume {
    #[command(flatten)]
    pub key: Automation,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Halt {
    /// Why. It is recorded, and every refusal shows it.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Key {
    #[command(subcommand)]
    pub what: KeyWhat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyWhat {
    /// Make a key and show it once; only its hash is kept. One that was made before is of no use any more.
    New {
        #[command(flatten)]
        key: Automation,
        #[command(flatten)]
        json: Json,
    },
    /// Make the key useless. Anybody can do this.
    Revoke(Json),
}

#[derive(Debug, Group)]
pub(crate) struct Init {
    /// Register with this agent only; can be given several times.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// Register in this project's settings instead of your own.
    #[arg(long)]
    pub project: bool,
    #[command(flatten)]
    pub writing: Writing,
    /// Instead of registering, write a policy to start with into tollgate.toml here.
    #[arg(long, conflicts_with_all = ["agent", "project", "yes", "dry_run", "json"])]
    pub policy: bool,
    /// Write over a policy that is there.
    #[arg(long, requires = "policy")]
    pub force: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Uninstall {
    /// Only from this agent; can be given several times.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    #[command(flatten)]
    pub writing: Writing,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Group)]
pub(crate) struct Doctor {
    /// Only this agent; can be given several times.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    #[command(flatten)]
    pub json: Json,
}
