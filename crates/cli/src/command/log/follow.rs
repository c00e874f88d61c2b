//! Records as they are appended.

use std::io::{self, IsTerminal, Write};
use std::thread::sleep;
use std::time::Duration;

use tollgate_audit::{Entry, Reader};
use tollgate_clock::SystemClock;
use tollgate_core::Clock;

use super::args::List;
use super::find::Wanted;
use super::place::Place;
use super::row::{Gather, Item, Row};
use super::table::Table;
use super::{json, list};
use crate::command::{Done, Failure};
use crate::output::Paint;

/// How often to look.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows the newest records and goes on until the process is ended, or nobody reads any more.
pub(super) fn run(place: &Place, wanted: &Wanted, args: &List, paint: Paint) -> Done {
    let reader = &place.reader();
    let mut spot = Spot::after(reader, u64::MAX)?;
    let mut out = Out { reader, paint, table: None };
    let before = Some(spot.last.saturating_add(1));
    let unreadable = if args.json {
        let (entries, unreadable) = list::newest(place, wanted, before, args.lines)?;
        Out::lines(&entries)?;
        unreadable
    } else {
        let (items, unreadable) = list::calls(place, wanted, before, args.lines)?;
        out.rows(&items)?;
        unreadable
    };
    unreadable.said()?;
    if spot.last == 0 && io::stderr().is_terminal() {
        eprintln!("nothing is recorded yet; waiting for the first record");
    }
    loop {
        sleep(PAUSE);
        let mut new = spot.advance(reader)?;
        new.retain(|entry| wanted.fits(entry));
        if args.json { Out::lines(&new)? } else { out.add(new)? }
    }
}

/// Where new records are written to.
struct Out<'a> {
    reader: &'a Reader,
    paint: Paint,
    table: Option<Table>,
}

impl Out<'_> {
    fn lines(entries: &[Entry]) -> Result<(), Failure> {
        write(&entries.iter().map(|entry| json::line(&json::entry(entry))).collect::<String>())
    }

    fn add(&mut self, entries: Vec<Entry>) -> Result<(), Failure> {
        let mut gather = Gather::default();
        entries.into_iter().rev().for_each(|entry| gather.add(entry));
        self.rows(&gather.finish(self.reader))
    }

    fn rows(&mut self, items: &[Item]) -> Result<(), Failure> {
        let rows: Vec<Row> = items.iter().map(Row::of).collect();
        let today = list::today(SystemClock::default().wall());
        let mut text = String::new();
        let table = self.table.get_or_insert_with(|| {
            let table = Table::of(&rows, true, &today, self.paint);
            text.push_str(&table.header());
            table
        });
        table.on(today);
        rows.iter().for_each(|row| text.push_str(&table.row(row)));
        write(&text)
    }
}

/// Unlike elsewhere, a reader who went away ends this: nothing else would.
fn write(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::from)
}

/// How far the log was read.
struct Spot {
    last: u64,
    segment: u64,
    offset: u64,
}

impl Spot {
    /// Right after the newest record whose number is not larger.
    fn after(reader: &Reader, seq: u64) -> Result<Self, Failure> {
        for line in reader.lines_back()? {
            let line = line?;
            let Ok(record) = line.record() else { continue };
            if record.seq <= seq {
                let offset = line.offset + line.bytes.len() as u64 + 1;
                return Ok(Self { last: record.seq, segment: line.segment, offset });
            }
        }
        Ok(Self { last: 0, segment: 0, offset: 0 })
    }

    /// What was appended since, across files.
    fn advance(&mut self, reader: &Reader) -> Result<Vec<Entry>, Failure> {
        let mut new = Vec::new();
        for line in reader.lines_from(self.segment, self.offset)? {
            let line = line?;
            let record = line.record();
            // A writer that failed takes back what it wrote, so what stands here may be the middle of a line.
            let Some(record) =
                record.ok().filter(|record| self.last == 0 || Some(record.seq) == self.last.checked_add(1))
            else {
                *self = Self::after(reader, self.last)?;
                return Ok(new);
            };
            (self.last, self.segment) = (record.seq, line.segment);
            self.offset = line.offset + line.bytes.len() as u64 + 1;
            new.extend(reader.entry(record.seq)?);
        }
        Ok(new)
    }
}
