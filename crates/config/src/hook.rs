//! `[[hook]]`: programs that judge, rewrite or watch.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::{Match, Point};
use tollgate_host_command::{Given, LIMIT, Program, Protocol, find};
use tollgate_rules::form::{OnFault, OneOrMany, PointName, Span};
use tollgate_rules::{Mistake, Step};

use crate::file::{File, Layer, hash};
use crate::layer::Layering;
use crate::meaning::span;

/// Nobody waits longer for a tool call.
const LONGEST: Duration = Duration::from_secs(600);

/// A program that judges, rewrites or watches.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookFile {
    /// Its name in refusals and records; `hook-1` and so on if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The points it stands at; `tool.before` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<OneOrMany<PointName>>,
    /// A line for a shell, or a list: a program and its arguments. What is relative is relative to this file.
    pub command: OneOrMany<String>,
    /// The tools it is asked about, by name; `*` stands for any text. All if not said.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub tools: Option<OneOrMany<String>>,
    /// How long it may take; `10s` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// In which words it speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolName>,
    /// What becomes of a call when it fails; `deny` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_fault: Option<OnFault>,
    /// Variables of the environment that it gets beside the usual few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Higher runs first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
}

/// In which words a hook speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolName {
    /// Our own.
    Tollgate,
    /// `{name, arguments, callId, type}`, `{call, output}`, `{input}`.
    Seed,
    /// Those of hooks for Claude Code.
    ClaudeCode,
}

impl From<ProtocolName> for Protocol {
    fn from(name: ProtocolName) -> Self {
        match name {
            ProtocolName::Tollgate => Self::Tollgate,
            ProtocolName::Seed => Self::Seed,
            ProtocolName::ClaudeCode => Self::ClaudeCode,
        }
    }
}

/// A hook that was found and checked. What is kept of it is what was written; what the machine says to it is not.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Hook {
    /// Its name.
    pub id: String,
    /// Who wrote it: `machine`, `user`, `project`.
    pub origin: String,
    /// The file it stands in.
    pub file: PathBuf,
    /// The points it stands at.
    pub on: Vec<PointName>,
    /// The tools it is asked about, as names or globs; all if there are none.
    pub tools: Vec<String>,
    /// The command as it is written: one is a line for a shell, many are a program and its arguments.
    pub command: OneOrMany<String>,
    /// What is started.
    #[serde(skip)]
    pub program: Program,
    /// In which words it speaks.
    pub protocol: Protocol,
    /// How long it may take.
    pub timeout: Duration,
    /// What becomes of a call when it fails.
    pub on_fault: OnFault,
    /// Variables of the environment that it gets beside the usual few.
    pub env: Vec<String>,
    /// Higher runs first.
    pub priority: i32,
    /// Whether it may run. What a hook that may not would have judged is refused.
    #[serde(skip)]
    pub trusted: bool,
    /// The files that were looked at when it was trusted. Those of hooks that came with no project are not: they belong
    /// to whoever uses them.
    #[serde(skip)]
    pub pins: Vec<Pin>,
}

/// A file exactly as it was.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Pin {
    /// Where it lies.
    pub path: PathBuf,
    /// SHA-256 of its bytes, in hexadecimal.
    pub hash: String,
}

impl Hook {
    /// The points it stands at.
    pub fn points(&self) -> Vec<Point> {
        self.on.iter().filter_map(|name| name.0.parse().ok()).collect()
    }

    /// The command in one line, as it is written.
    pub fn line(&self) -> String {
        match &self.command {
            OneOrMany::One(line) => line.clone(),
            OneOrMany::Many(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        }
    }

    /// The first of its files that is no longer what was trusted.
    pub fn changed(&self) -> Option<&Path> {
        let differs = |pin: &&Pin| fs::read(&pin.path).map(|bytes| hash(&bytes)).ok().as_ref() != Some(&pin.hash);
        self.pins.iter().find(differs).map(|pin| pin.path.as_path())
    }

    /// What is trusted when the hooks of a file are: the file, and every script they name, by their hashes.
    pub fn manifest<'h>(file: &File, hooks: impl IntoIterator<Item = &'h Self>) -> String {
        let mut lines: Vec<String> = hooks
            .into_iter()
            .filter(|hook| hook.file == file.path)
            .flat_map(|hook| hook.pins.iter().map(|pin| (&hook.program.folder, pin)))
            .map(|(folder, pin)| {
                format!("{} {}\n", pin.hash, pin.path.strip_prefix(folder).unwrap_or(&pin.path).display())
            })
            .collect();
        lines.sort();
        lines.dedup();
        format!("hooks 1\n{}\n{}", file.hash, lines.concat())
    }

    /// The hook of a form, or what is wrong with it. `number` is its place among all hooks, from 1.
    pub(crate) fn of(form: &HookFile, file: &File, number: usize) -> Result<Self, Vec<Mistake>> {
        let protocol = form.protocol.map_or(Protocol::Tollgate, Protocol::from);
        let (on, mut wrong) = points(form, protocol);
        let tools: Vec<String> = form.tools.iter().flat_map(OneOrMany::iter).cloned().collect();
        wrong.extend(selects(&tools, &on));
        wrong.extend(form.timeout.as_ref().and_then(wrong_time));
        wrong.extend(form.env.iter().enumerate().filter_map(wrong_variable));
        wrong.extend(form.id.as_deref().and_then(wrong_id));
        let found = look_up(&form.command, file).map_err(|mistake| wrong.push(mistake));
        let (program, pins) = found.ok().filter(|_| wrong.is_empty()).ok_or(wrong)?;
        Ok(Self {
            id: form.id.clone().unwrap_or_else(|| format!("hook-{number}")),
            origin: file.layer.name().to_owned(),
            file: file.path.clone(),
            on: on.iter().map(|point| PointName::from(point.name())).collect(),
            tools: if tools.iter().any(|tool| tool == "*") { Vec::new() } else { tools },
            command: form.command.clone(),
            program,
            protocol,
            timeout: form.timeout.as_ref().and_then(|time| time.duration().ok()).unwrap_or(LIMIT),
            on_fault: form.on_fault.unwrap_or(OnFault::Deny),
            env: form.env.clone(),
            priority: form.priority.unwrap_or_default(),
            trusted: file.layer != Layer::Project,
            pins,
        })
    }

    /// The same hook on the machine as it is now: its program is looked for and its files are read again. None if it would
    /// be a mistake today. Whether a project's may run is for the store of trust to say.
    pub(crate) fn again(self, files: &[File]) -> Option<Self> {
        let file = files.iter().find(|file| file.path == self.file && file.layer.name() == self.origin)?;
        let (program, pins) = look_up(&self.command, file).ok()?;
        Some(Self { program, pins, trusted: file.layer != Layer::Project, ..self })
    }
}

/// What the machine says to a command: the program, and for one that came with a project all files that it runs.
fn look_up(command: &OneOrMany<String>, file: &File) -> Result<(Program, Vec<Pin>), Mistake> {
    let strange = file.layer == Layer::Project;
    let program = known(program(command, file)?, strange)?;
    let pins = if strange { pins(&program.files) } else { Vec::new() };
    Ok((Program { project: strange.then(|| program.folder.clone()), ..program }, pins))
}

/// A text as one word of a shell.
///
/// ```
/// assert_eq!(tollgate_config::quoted("/usr/bin/tollgate"), "/usr/bin/tollgate");
/// assert_eq!(tollgate_config::quoted("it's here"), r"'it'\''s here'");
/// ```
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn pins(files: &[PathBuf]) -> Vec<Pin> {
    let pin = |path: &PathBuf| {
        // What cannot be read has no hash, and so is never what was trusted.
        let hash = fs::read(path).map(|bytes| hash(&bytes)).unwrap_or_default();
        Pin { path: path.clone(), hash }
    };
    files.iter().map(pin).collect()
}

fn points(form: &HookFile, protocol: Protocol) -> (Vec<Point>, Vec<Mistake>) {
    let Some(on) = &form.on else { return (vec![Point::ToolBefore], Vec::new()) };
    let mut wrong = Vec::new();
    let mut found = Vec::new();
    for (index, name) in on.iter().enumerate() {
        let at = |mistake: Mistake| match on {
            OneOrMany::Many(_) => mistake.at(index).at("on"),
            OneOrMany::One(_) => mistake.at("on"),
        };
        match name.0.parse::<Point>() {
            Ok(point) if !protocol.knows(point) => {
                let message = format!("the protocol `{}` has no words for {point}", protocol.name());
                wrong.push(at(Mistake::new(message).help("`protocol = \"tollgate\"` has")));
            }
            Ok(point) => found.push(point),
            // The shape says so already.
            Err(_) => {}
        }
    }
    if on.iter().next().is_none() {
        wrong.push(Mistake::new("this hook stands nowhere").help("name a point, such as `tool.before`").at("on"));
    }
    (found, wrong)
}

fn selects(tools: &[String], on: &[Point]) -> Option<Mistake> {
    // To ask for any is to ask for nothing.
    if tools.is_empty() || tools.iter().any(|tool| tool == "*") {
        return None;
    }
    if let Some(point) = on.iter().find(|point| !point.is_about_a_tool()) {
        let message = format!("`match` speaks of tools, and at {point} there is none");
        return Some(Mistake::new(message).help("write one hook for tools and one for the rest").at("match"));
    }
    let wrong = tools.iter().find_map(|tool| Match::glob(tool).err());
    wrong.map(|wrong| Mistake::new(wrong.0).help("one name, or a list of names").at("match"))
}

fn wrong_time(time: &Span) -> Option<Mistake> {
    match time.duration() {
        Err(_) => span(time, "timeout", &[]),
        Ok(time) if time.is_zero() || time > LONGEST => {
            let mistake = Mistake::new("`timeout` must be more than nothing and at most `10m`");
            Some(mistake.help("it is `10s` if you do not say").at("timeout"))
        }
        Ok(_) => None,
    }
}

fn wrong_variable((index, name): (usize, &String)) -> Option<Mistake> {
    let fits = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (!fits).then(|| {
        let mistake = Mistake::new(format!("`{name}` is no name of a variable"));
        mistake.help("name variables that are set; their values are passed on").at(index).at("env")
    })
}

fn wrong_id(id: &str) -> Option<Mistake> {
    let mistake = || Mistake::new("`id` is empty").help("give it a name, or leave it out").at("id");
    id.trim().is_empty().then(mistake)
}

/// A program that came with a project must be one of which all files are known: what it runs could else be changed
/// without anybody being asked again.
fn known(program: Program, strange: bool) -> Result<Program, Mistake> {
    if program.plain || !strange {
        return Ok(program);
    }
    let help =
        "name the script plainly, as in `python3 guard.py` or `./guard.sh`, so that it can be trusted by its content";
    Err(Mistake::new("which files this command runs cannot be told").help(help).at("command"))
}

/// The program of a command, or what is wrong with it.
pub(crate) fn program(command: &OneOrMany<String>, file: &File) -> Result<Program, Mistake> {
    let given = match command {
        OneOrMany::One(line) => Given::Line(line),
        OneOrMany::Many(words) => Given::Words(words),
    };
    find(given, file.folder(), std::env::var_os("PATH").as_deref()).map_err(|unfound| {
        let mistake = Mistake::new(unfound.message).help(unfound.help);
        let mistake = Mistake { within: unfound.within, ..mistake };
        match unfound.word {
            Some(word) => mistake.at(word).at("command"),
            None => mistake.at("command"),
        }
    })
}

impl Layering<'_> {
    /// The hooks of all files, and what is wrong with them.
    pub(crate) fn hooks(&mut self) -> Vec<Mistake> {
        let mut wrong = Vec::new();
        let files = self.files;
        for parsed in files {
            for (index, form) in parsed.form.hook.iter().enumerate() {
                let path: Vec<Step> = parsed.path("hook", index);
                match Hook::of(form, &parsed.file, self.plan.hooks.len() + 1) {
                    Ok(hook) if self.plan.hooks.iter().any(|other| other.id == hook.id) => {
                        let mistake = Mistake::new(format!("there is another hook `{}`", hook.id));
                        wrong.push(mistake.help("give each its own id").at("id").below(&path));
                    }
                    Ok(hook) => self.plan.hooks.push(Hook { trusted: hook.trusted || self.trusted, ..hook }),
                    Err(found) => wrong.extend(found.into_iter().map(|mistake| mistake.below(&path))),
                }
            }
        }
        wrong
    }
}
