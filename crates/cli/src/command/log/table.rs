//! Rows in eighty columns.

use std::fmt::Write;

use super::cells::{cut, fit, width};
use super::row::{Row, Tone};
use crate::output::Paint;

/// How wide a table may be.
pub(super) const WIDTH: usize = 80;
/// How wide columns may become.
const WHO: usize = 11;
const WHAT: usize = 12;
/// What is left at least of what a record is about, beside the name of a rule.
const ABOUT: usize = 10;
const STATE: usize = 8;
const CLOCK: usize = 8;
/// Between columns.
const GAP: &str = "  ";

/// How wide the columns are, and which date was written last.
#[derive(Debug)]
pub(super) struct Table {
    seq: usize,
    who: usize,
    /// The one whom all rows are about; the column is left out then.
    only: Option<String>,
    state: usize,
    what: usize,
    today: String,
    date: String,
    paint: Paint,
}

impl Table {
    /// As narrow as these rows allow; with `more` to come, as wide as any may need.
    pub(super) fn of(rows: &[Row], more: bool, today: &str, paint: Paint) -> Self {
        let widest = |cell: fn(&Row) -> &str, least: usize, most: usize| {
            let widest = rows.iter().map(|row| width(cell(row))).max().unwrap_or(0).max(least);
            if more { most } else { widest.min(most) }
        };
        let mut names = rows.iter().map(|row| &row.who).filter(|who| !who.is_empty());
        let first = names.next();
        let only = first.filter(|first| !more && names.all(|name| name == *first)).cloned();
        let seq = rows.iter().map(|row| row.seq).max().unwrap_or(0);
        Self {
            seq: seq.to_string().len().max(if more { 5 } else { 3 }),
            who: if only.is_some() { 0 } else { widest(|row| &row.who, 0, WHO) },
            only,
            state: widest(|row| &row.state.1, 3, STATE),
            what: widest(|row| &row.what, 4, WHAT),
            today: today.to_owned(),
            date: today.to_owned(),
            paint,
        }
    }

    /// Says which day it is now.
    pub(super) fn on(&mut self, today: String) {
        self.today = today;
    }

    pub(super) fn header(&self) -> String {
        let mut out = format!("{:>1$}", "seq", self.seq);
        let columns = [("UTC", CLOCK), ("who", self.who), ("act", self.state), ("what", self.what), ("about", 5)];
        for (name, cells) in columns.into_iter().filter(|(_, cells)| *cells > 0) {
            let _ = write!(out, "{GAP}{}", fit(name, cells));
        }
        let only = self.only.as_ref().map(|who| format!("  (all by {})", cut(who, 24))).unwrap_or_default();
        format!("{}\n", self.paint.dim(&format!("{}{only}", out.trim_end())))
    }

    /// The lines of a row: its own, and one before it where another day begins.
    pub(super) fn row(&mut self, row: &Row) -> String {
        let mut out = String::new();
        if row.date != self.date {
            self.date.clone_from(&row.date);
            let day = if row.date == self.today { "today" } else { &row.date };
            let _ = writeln!(out, "{}", self.paint.bold(&cut(day, WIDTH)));
        }
        let _ = writeln!(out, "{}", self.line(row).trim_end());
        out
    }

    fn line(&self, row: &Row) -> String {
        let mut out = format!("{:>1$}{GAP}{2}", row.seq, self.seq, fit(&row.clock, CLOCK));
        if self.who > 0 {
            let _ = write!(out, "{GAP}{}", fit(&row.who, self.who));
        }
        let (tone, state) = &row.state;
        let state = cut(state, self.state);
        let blanks = self.state - width(&state);
        let state = if state.is_empty() { state } else { tone.paint(&state, self.paint) };
        let _ = write!(out, "{GAP}{state}{:blanks$}{GAP}{}{GAP}", "", fit(&row.what, self.what));
        out + &self.rest(row)
    }

    /// What it is about, and what else is to be said: the latter gets at most half, unless there is room, or it is the
    /// rule that objected.
    fn rest(&self, row: &Row) -> String {
        let who = if self.who > 0 { self.who + GAP.len() } else { 0 };
        let used = self.seq + GAP.len() + CLOCK + GAP.len() + who + self.state + GAP.len() + self.what + GAP.len();
        let room = WIDTH.saturating_sub(used);
        let (tone, tail) = &row.tail;
        if tail.is_empty() {
            return cut(&row.about, room);
        }
        let gap = if row.about.is_empty() { 0 } else { GAP.len() };
        let objects = matches!(tone, Tone::Bad | Tone::Ask);
        let least = if objects { room.saturating_sub(ABOUT + gap) } else { room.saturating_sub(gap) / 2 };
        let left = room.saturating_sub(width(&row.about) + gap).max(least);
        let tail = cut(tail, left);
        let about = cut(&row.about, room.saturating_sub(width(&tail) + gap));
        format!("{about}{:gap$}{}", "", tone.paint(&tail, self.paint))
    }
}
