//! Some thousand records that follow one another: what the index keeps is kept for each block as a whole.
//!
//! The newest block is read and written anew when more records have come. That is a matter of
//! milliseconds, and nothing that is kept ever has to be changed in part.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, Statement, params};

use super::bits::{BLOCK, encode};
use super::row::{Effect, Row};
use super::state::Before;
use super::store::{Trouble, signed};
use super::summary::{Summary, change};

/// What records can be found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Session,
    Agent,
    /// In small letters, both the name that was written and the one that ran.
    Tool,
    Act,
    Point,
    Rule,
}

const COLUMNS: [Column; 6] = [Column::Session, Column::Agent, Column::Tool, Column::Act, Column::Point, Column::Rule];

/// Stands for all records of a block, where others stand for a name.
pub(super) const ALL: i64 = 0;

/// A block that is being read.
#[derive(Debug, Default)]
pub(super) struct Block {
    number: u64,
    /// The first record in it, and the last.
    first: u64,
    last: u64,
    /// By the place in the block: when, in microseconds since 1970. Never falls.
    times: Vec<u64>,
    /// By the place in the block: where in its segment the line begins.
    offsets: Vec<u64>,
    all: Vec<u16>,
    names: [HashMap<String, Vec<u16>>; COLUMNS.len()],
    summary: Summary,
    /// Calls that began here and have not ended.
    begun: BTreeMap<u64, Option<i64>>,
    /// What ended here and did not begin here, or not only.
    ended: Vec<Effect>,
    /// Lines that are no record, or none in its place.
    pub(super) unreadable: u64,
}

impl Block {
    /// The block that a record belongs to, with nothing in it.
    pub(super) fn of(seq: u64) -> Self {
        Self { number: seq / BLOCK, first: seq, ..Self::default() }
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Adds the record that follows another. Its moment is never the earlier one, whatever it says: moments are looked
    /// for by halves.
    pub(super) fn add(&mut self, row: &Row, offset: u64, before: Before) -> Before {
        let micros = row.micros().max(before.micros);
        let place = (row.seq % BLOCK) as u16;
        // Numbers that are missing get the moment of the next one: whoever looks for a moment finds that one.
        self.times.resize(usize::from(place) + 1, micros);
        self.offsets.resize(usize::from(place) + 1, offset);
        self.all.push(place);
        self.last = row.seq;
        let named = [&row.session, &row.agent, &None, &row.act, &row.point, &row.rule];
        for (names, name) in self.names.iter_mut().zip(named) {
            if let Some(name) = name {
                change(names, name, |places| places.push(place));
            }
        }
        for tool in [&row.tool, &row.became].into_iter().flatten() {
            change(&mut self.names[Column::Tool as usize], &tool.to_ascii_lowercase(), |places| {
                if places.last() != Some(&place) {
                    places.push(place);
                }
            });
        }
        self.summary.add(row, micros);
        self.follow(row);
        Before { seq: row.seq, micros }
    }

    fn follow(&mut self, row: &Row) {
        match row.effect() {
            None => {}
            Some(Effect::Begins(key)) => drop(self.begun.insert(row.seq, key)),
            Some(Effect::Ends(seq)) if self.begun.remove(&seq).is_some() => {}
            Some(effect) => {
                if let Effect::EndsCall(key) = effect {
                    self.begun.retain(|_, begun| *begun != Some(key));
                }
                self.ended.push(effect);
            }
        }
    }

    /// Puts it in the place of what was known of this block.
    pub(super) fn write(&self, connection: &Connection) -> Result<(), Trouble> {
        forget(connection, self.number, self.number + 1)?;
        connection.execute(
            "INSERT INTO blocks (block, first, last, last_time, unreadable, summary, times, offsets)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                signed(self.number),
                signed(self.first),
                signed(self.last),
                signed(self.times.last().copied().unwrap_or_default()),
                signed(self.unreadable),
                serde_json::to_string(&self.summary).map_err(|error| Trouble::Damaged(error.to_string()))?,
                packed(&self.times),
                packed(&self.offsets),
            ],
        )?;
        self.write_names(connection)
    }

    fn write_names(&self, connection: &Connection) -> Result<(), Trouble> {
        let mut insert = connection.prepare("INSERT INTO places (block, name, bits) VALUES (?1, ?2, ?3)")?;
        insert.execute(params![signed(self.number), ALL, encode(&self.all)])?;
        let mut find = connection.prepare("SELECT id FROM names WHERE kind = ?1 AND text = ?2")?;
        let mut add = connection.prepare("INSERT INTO names (kind, text) VALUES (?1, ?2) RETURNING id")?;
        for (column, names) in COLUMNS.into_iter().zip(&self.names) {
            for (name, places) in names {
                let id = match id(&mut find, column, name)? {
                    Some(id) => id,
                    None => add.query_row(params![column as i64, name], |row| row.get(0))?,
                };
                insert.execute(params![signed(self.number), id, encode(places)])?;
            }
        }
        Ok(())
    }

    /// Writes which calls began and ended. Doing this twice is the same as doing it once.
    pub(super) fn write_calls(&self, connection: &Connection) -> Result<(), Trouble> {
        connection.execute("DELETE FROM open WHERE seq >= ?1", [signed(self.number * BLOCK)])?;
        let mut end = connection.prepare("DELETE FROM open WHERE seq = ?1")?;
        let mut end_call = connection.prepare("DELETE FROM open WHERE call = ?1")?;
        for effect in &self.ended {
            match effect {
                Effect::Ends(seq) => drop(end.execute([signed(*seq)])?),
                Effect::EndsCall(key) => drop(end_call.execute([key])?),
                Effect::Begins(_) => {}
            }
        }
        let mut begin = connection.prepare("INSERT INTO open (seq, call) VALUES (?1, ?2)")?;
        for (seq, key) in &self.begun {
            begin.execute(params![signed(*seq), key])?;
        }
        Ok(())
    }
}

/// Removes these blocks.
pub(super) fn forget(connection: &Connection, from: u64, to: u64) -> Result<(), Trouble> {
    for table in ["blocks", "places"] {
        let sql = format!("DELETE FROM {table} WHERE block >= ?1 AND block < ?2");
        connection.execute(&sql, [signed(from), signed(to)])?;
    }
    Ok(())
}

/// The number that stands for a name.
pub(super) fn id(find: &mut Statement<'_>, column: Column, name: &str) -> Result<Option<i64>, Trouble> {
    let mut rows = find.query(params![column as i64, name])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
}

fn packed(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Numbers as they are kept.
pub(super) fn unpacked(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}
