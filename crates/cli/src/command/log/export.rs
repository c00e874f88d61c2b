//! Records for other programs.

mod bundle;
mod csv;
mod file;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use tollgate_audit::Reader;
use tollgate_clock::SystemClock;
use tollgate_core::Clock;

use super::args::{Export, Filter, Format};
use super::find::Wanted;
use super::place::{Place, shown};
use super::{count, json};
use crate::args::Policy;
use crate::command::{Done, Failure};
use crate::output::print;

pub(super) fn run(policy: &Policy, args: &Export) -> Done {
    let place = Place::of(policy, &args.place)?;
    let reader = place.reader();
    if reader.segments()?.is_empty() {
        return Err(format!("there is nothing to export: no record is in `{}`", shown(&place.dir)).into());
    }
    if let Some(folder) = &args.bundle {
        whole(&args.filter)?;
        return bundle::run(&place, folder, args.json.json);
    }
    let wanted = Wanted::of(&args.filter, &reader, SystemClock::default().wall())?;
    match &args.out {
        None => drop(write_all(&reader, &wanted, args.format, &mut BufWriter::new(io::stdout().lock()))?),
        Some(path) => {
            let mut file = file::Beside::create(path, args.force)?;
            let mut out = BufWriter::new(file.writer());
            let written = write_all(&reader, &wanted, args.format, &mut out).map_err(|failed| named(failed, path))?;
            drop(out);
            file.keep()?;
            said(written, path, args.json.json)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Part of a log cannot be checked.
fn whole(filter: &Filter) -> Result<(), String> {
    let Filter { session, agent, tool, act, point, rule, since, until, grep } = filter;
    let any = [session, agent, tool, act, point, rule, since, until, grep].into_iter().any(Option::is_some);
    if any {
        Err("a bundle is the whole log: with some of its records left out, nobody could check it".to_owned())
    } else {
        Ok(())
    }
}

/// What the system says of a file does not say which.
fn named(failed: Failure, path: &Path) -> Failure {
    match failed {
        Failure::Said(message) => Failure::Said(format!("nothing was written to `{}`: {message}", shown(path))),
        Failure::ClosedPipe => Failure::ClosedPipe,
    }
}

fn said(written: u64, path: &Path, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return json::print(&json!({ "ok": true, "records": written, "out": path }));
    }
    print(&format!("wrote {} to {}\n", count(written, "record"), shown(path)))
}

/// Writes what is wanted, oldest first, and says how many that were. A record that cannot be read ends it: whoever
/// exports must not believe to have everything.
fn write_all(reader: &Reader, wanted: &Wanted, format: Format, out: &mut dyn Write) -> Result<u64, Failure> {
    let mut written = 0;
    if format == Format::Csv {
        writeln!(out, "{}", csv::header())?;
    }
    for entry in reader.entries_from(0)? {
        let entry = entry?;
        if wanted.is_over(&entry.record) {
            break;
        }
        if wanted.fits(&entry) {
            match format {
                Format::Jsonl => out.write_all(json::line(&json::entry(&entry)).as_bytes())?,
                Format::Csv => writeln!(out, "{}", csv::line(&json::entry(&entry)))?,
            }
            written += 1;
        }
    }
    out.flush()?;
    Ok(written)
}
