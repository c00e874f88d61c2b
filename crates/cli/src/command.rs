//! One file for each subcommand.

mod check;
mod degraded;
mod doctor;
mod explain;
mod halt;
mod init;
mod key;
pub(crate) mod log;
mod pause;
pub(crate) mod replay;
mod rules;
mod settings;
mod status;
mod switched;
mod test;
mod trust;
mod tryout;
mod uninstall;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Args, Command, Form};
use crate::output::{self, Paint};

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody reads our output any more.
    ClosedPipe,
    /// What to tell the user.
    Said(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Said(error.to_string()),
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Said(message)
    }
}

type Done = Result<ExitCode, Failure>;

/// It worked, and the answer is no.
const NO: u8 = 1;

pub(crate) fn run(args: Args) -> Done {
    // What stands in JSON is text, whoever looks at it.
    let paint = if args.command.form() == Form::Words { Paint::from(args.color) } else { Paint::PLAIN };
    match args.command {
        Command::Hook { agent, event } => {
            let named = std::iter::once(agent).chain(event).collect::<Vec<_>>();
            Ok(tollgate_hook::process::main(&named))
        }
        Command::Check(check) => check::run(&args.policy, &check, paint),
        Command::Test(test) => test::run(&args.policy, &test, paint),
        Command::Explain(explain) => explain::run(&args.policy, &explain, paint),
        Command::Rules(rules) => rules::run(&args.policy, &rules.what, paint),
        Command::Try { keep } => tryout::run(keep, paint),
        Command::Trust(trust) => trust::run(&args.policy, &trust),
        Command::Status(json) => status::run(&args.policy, json.json, paint),
        Command::Pause(pause) => pause::run(&args.policy, &pause),
        Command::Resume(resume) => pause::resume(&args.policy, &resume),
        Command::Halt(halt) => halt::run(&args.policy, &halt),
        Command::Key(key) => key::run(&key),
        Command::Init(init) => init::run(&args.policy, &init, paint),
        Command::Uninstall(uninstall) => uninstall::run(&args.policy, &uninstall, paint),
        Command::Doctor(doctor) => doctor::run(&args.policy, &doctor, paint),
        Command::Log(log) => log::run(&args.policy, &log, paint),
        Command::Replay(replay) => replay::run(&args.policy, &replay, paint),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "tollgate", &mut text);
            output::print(&String::from_utf8_lossy(&text))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            output::print(&manual()?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// One page for everything: the command, then each subcommand.
fn manual() -> Result<String, Failure> {
    let mut text = Vec::new();
    let command = Args::command();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for sub in command.get_subcommands() {
        writeln!(text, ".SH \"TOLLGATE {}\"", sub.get_name().to_uppercase())?;
        let page = clap_mangen::Man::new(sub.clone());
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        page.render_options_section(&mut text)?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
