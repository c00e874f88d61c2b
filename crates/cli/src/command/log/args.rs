//! What can be typed after `tollgate log`.

use std::path::PathBuf;

use clap::{Args as Group, Subcommand, ValueEnum};

use crate::args::{Automation, Json};

const LIST: &str = "\
Examples:
  tollgate log                          the newest 20 records
  tollgate log -f --act deny            what is refused, as it happens
  tollgate log --since 2h --tool Bash   commands of the last two hours
  tollgate log show 57                  everything about record 57

A call and how it ended are one line: `pass` (its end is not in view), `ok`,
`error`, `ask`, `deny`, `answered`, `routed`. Times are UTC.";

const SHOW: &str = "\
Examples:
  tollgate log show 57
  tollgate log show 57 --unseal         with what is kept encrypted";

const VERIFY: &str = "\
Examples:
  tollgate log verify
  tollgate log verify --anchor /mnt/other/head
  tollgate log verify --dir ./bundle --key 1f2e...

The exit status is 0 when the log is good, 1 when it is not, 2 when that cannot
be told.";

const EXPORT: &str = "\
Examples:
  tollgate log export --since 7d --out week.jsonl
  tollgate log export --act deny --format csv > refused.csv
  tollgate log export --bundle ./bundle && tollgate log verify --dir ./bundle

In CSV, control characters are shown (`\\n`), and what a spreadsheet would take
for a formula begins with `'`.";

const KEY: &str = "\
Example:
  tollgate log key > key.txt            give this to whoever checks the log";

const ERASE: &str = "\
Examples:
  tollgate log erase --session 7f3a --reason 'request of 2026-11-15' --yes
  tollgate log erase --principal ann@example.com --reason 'left' --yes
  tollgate log erase --seq 57-90 --field result --reason 'too much' --yes

The fields of these records (arguments, results, reasons, folders, people) are
written over. That there was a call, when, by which tool and what was decided
stays, and the log still verifies. The reason stays too: name nobody in it.";

const ANCHOR: &str = "\
Examples:
  tollgate log anchor                   now, wherever the policy says
  tollgate log anchor --print           for a place of your own

With `[audit] anchor` in the policy this happens by itself at every checkpoint,
at least every 256 records; a timer that runs it makes the gap smaller.";

const NEW: &str = "\
For a log whose key is lost, or whose damage you have looked into. The old log
is kept whole beside the new one, which names it in its first words.";

#[derive(Debug, Group)]
#[command(args_conflicts_with_subcommands = true, after_help = LIST)]
pub(crate) struct Log {
    #[command(subcommand)]
    pub(super) what: Option<What>,
    #[command(flatten)]
    pub(super) list: List,
}

impl Log {
    pub(crate) fn json(&self) -> bool {
        match &self.what {
            None => self.list.json,
            Some(What::Show(show)) => show.json.json,
            Some(What::Verify(verify)) => verify.json.json,
            Some(What::Export(export)) => export.json.json,
            Some(What::Key(key)) => key.json.json,
            Some(What::Stats(stats)) => stats.json.json,
            Some(What::Erase(erase)) => erase.json.json,
            Some(What::Anchor(_) | What::New(_)) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Everything about one record.
    #[command(after_help = SHOW)]
    Show(Show),
    /// Check that no record was changed, removed, added or swapped.
    #[command(after_help = VERIFY)]
    Verify(Verify),
    /// Write records for other programs, oldest first; or copy the whole log, so that others can check it.
    #[command(after_help = EXPORT)]
    Export(Box<Export>),
    /// Print the public key, with which anybody can check the log.
    #[command(after_help = KEY)]
    Key(Key),
    /// How many calls, refusals and faults, by whom, over time; and which interceptors are slow.
    Stats(Count),
    /// Erase what is about somebody; the log stays whole and can still be checked.
    #[command(after_help = ERASE)]
    Erase(Erase),
    /// Publish the newest signed head, so that a log put back to an older state is noticed.
    #[command(after_help = ANCHOR)]
    Anchor(Anchor),
    /// Set the log aside and begin a new one that names it.
    #[command(after_help = NEW)]
    New(New),
}

/// Which log.
#[derive(Clone, Debug, Default, Group)]
pub(super) struct Where {
    /// The log in this folder, such as one that was exported, instead of your own.
    #[arg(long, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
}

#[derive(Debug, Group)]
pub(super) struct List {
    /// How many lines.
    #[arg(short = 'n', long = "lines", value_name = "N", default_value_t = 20)]
    pub(super) lines: usize,
    /// Go on as records are added; Ctrl-C ends it.
    #[arg(short, long, conflicts_with = "before")]
    pub(super) follow: bool,
    /// Only records before this one: the number in the first line of a page gives the page before it.
    #[arg(long, value_name = "SEQ")]
    pub(super) before: Option<u64>,
    /// Print, however long it is, instead of calling $PAGER.
    #[arg(long)]
    pub(super) no_pager: bool,
    /// Print one JSON object a line: the record, with what stands beside it in `fields`.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) place: Where,
    #[command(flatten)]
    pub(super) filter: Filter,
}

/// Which records.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Filters")]
pub(super) struct Filter {
    /// Of this session; the beginning will do.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Of this agent.
    #[arg(long, value_name = "NAME")]
    pub(super) agent: Option<String>,
    /// About this tool.
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// With this outcome: pass, route, ask, answer or deny.
    #[arg(long, value_name = "ACT")]
    pub(super) act: Option<String>,
    /// At this point, such as tool.before, see spec/points.md.
    #[arg(long, value_name = "POINT")]
    pub(super) point: Option<String>,
    /// Refused or asked about by this rule.
    #[arg(long, value_name = "ID")]
    pub(super) rule: Option<String>,
    /// Not before: 2h (ago), 2026-11-01 or 2026-11-01T09:30:00Z.
    #[arg(long, value_name = "TIME")]
    pub(super) since: Option<String>,
    /// Before: the same.
    #[arg(long, value_name = "TIME")]
    pub(super) until: Option<String>,
    /// With this text in the record or beside it; case does not matter.
    #[arg(long, value_name = "TEXT")]
    pub(super) grep: Option<String>,
}

#[derive(Debug, Group)]
pub(super) struct Show {
    /// The record's number.
    pub(super) seq: u64,
    /// Open what is kept encrypted, with TOLLGATE_SEAL_KEY or the key beside your log's; credentials stay hidden.
    #[arg(long)]
    pub(super) unseal: bool,
    /// With --unseal: show credentials too. Whoever can read this terminal, its history or a log of it then has them.
    #[arg(long, requires = "unseal")]
    pub(super) reveal: bool,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) place: Where,
}

#[derive(Debug, Group)]
pub(super) struct Verify {
    /// A signed head that was kept elsewhere; the one of the policy is compared in any case.
    #[arg(long, value_name = "FILE")]
    pub(super) anchor: Vec<PathBuf>,
    /// The public key that `tollgate log key` printed.
    #[arg(long, value_name = "HEX")]
    pub(super) key: Option<String>,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) place: Where,
}

#[derive(Debug, Group)]
pub(super) struct Export {
    /// As what.
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(super) format: Format,
    /// Into this file; without it, to standard output.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long, requires = "out")]
    pub(super) force: bool,
    /// Copy the log as it is, with its public key, into this new folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format"])]
    pub(super) bundle: Option<PathBuf>,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) place: Where,
    #[command(flatten)]
    pub(super) filter: Filter,
}

/// As what records are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object a line.
    Jsonl,
    /// For spreadsheets.
    Csv,
}

#[derive(Debug, Group)]
pub(super) struct Key {
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) place: Where,
}

#[derive(Debug, Group)]
pub(super) struct Count {
    /// Not before: 2h (ago), 2026-11-01 or 2026-11-01T09:30:00Z.
    #[arg(long, value_name = "TIME")]
    pub(super) since: Option<String>,
    /// Before: the same.
    #[arg(long, value_name = "TIME")]
    pub(super) until: Option<String>,
    #[command(flatten)]
    pub(super) json: Json,
    #[command(flatten)]
    pub(super) place: Where,
}

#[derive(Debug, Group)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub(super) struct Erase {
    /// Of this session, its whole id.
    #[arg(long, value_name = "ID", group = "which")]
    pub(super) session: Option<String>,
    /// On behalf of this person.
    #[arg(long, value_name = "NAME", group = "which")]
    pub(super) principal: Option<String>,
    /// This record, or these: 57-90.
    #[arg(long, value_name = "N[-M]", group = "which")]
    pub(super) seq: Option<String>,
    /// Only this field; all unless told.
    #[arg(long, value_name = "NAME")]
    pub(super) field: Vec<String>,
    /// Why. It becomes part of the log.
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
    /// Do it. Nothing can bring it back.
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) key: Automation,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, Group)]
pub(super) struct Anchor {
    /// Print it instead.
    #[arg(long)]
    pub(super) print: bool,
}

#[derive(Debug, Group)]
pub(super) struct New {
    /// Do it.
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) key: Automation,
}
