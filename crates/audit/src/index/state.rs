//! How far the log was read.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tollgate_core::Digest;

use super::store::{Trouble, signed, unsigned};
use crate::draft::hash;
use crate::{AuditError, Line, Reader};

/// Where a line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) segment: u64,
    pub(super) offset: u64,
}

impl Place {
    pub(super) fn of(line: &Line) -> Self {
        Self { segment: line.segment, offset: line.offset }
    }
}

/// What has to be known of a record to add the one that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    pub(super) seq: u64,
    /// Its moment, in microseconds since 1970.
    pub(super) micros: u64,
}

/// How far the log was read.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The first record that was there.
    pub(super) first: u64,
    /// The last record that was read, and its hash.
    pub(super) last: Place,
    pub(super) hash: Digest,
    /// Where to go on, which is where the newest block begins, and what stands before it.
    pub(super) go: Place,
    pub(super) before: Before,
}

impl Default for State {
    fn default() -> Self {
        let (first, last, go, before) = Default::default();
        Self { first, last, hash: Digest([0; 32]), go, before }
    }
}

impl State {
    /// None if nothing was read.
    pub(super) fn read(connection: &Connection) -> Result<Option<Self>, Trouble> {
        let sql =
            "SELECT first, last_segment, last_offset, last_hash, go_segment, go_offset, go_seq, go_time FROM state";
        Ok(connection.query_row(sql, [], Self::from_row).optional()?)
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |column: usize| row.get(column).map(unsigned);
        Ok(Self {
            first: number(0)?,
            last: Place { segment: number(1)?, offset: number(2)? },
            hash: Digest(row.get(3)?),
            go: Place { segment: number(4)?, offset: number(5)? },
            before: Before { seq: number(6)?, micros: number(7)? },
        })
    }

    pub(super) fn write(&self, connection: &Connection) -> Result<(), Trouble> {
        let Self { first, last, hash, go, before } = self;
        connection.execute("DELETE FROM state", [])?;
        connection.execute(
            "INSERT INTO state (first, last_segment, last_offset, last_hash, go_segment, go_offset, go_seq, go_time)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                signed(*first),
                signed(last.segment),
                signed(last.offset),
                hash.0,
                signed(go.segment),
                signed(go.offset),
                signed(before.seq),
                signed(before.micros),
            ],
        )?;
        Ok(())
    }

    /// Whether this is about the log that is there now. Hashes are chained, so the last record speaks for all before it.
    pub(super) fn fits(&self, reader: &Reader) -> Result<bool, AuditError> {
        if reader.segments()?.first().is_none_or(|segment| segment.first < self.first) {
            return Ok(false);
        }
        let line = reader.lines_from(self.last.segment, self.last.offset)?.next().transpose()?;
        Ok(line.is_some_and(|line| self.is_last(&line)))
    }

    pub(super) fn is_last(&self, line: &Line) -> bool {
        Place::of(line) == self.last && hash(&line.bytes) == self.hash
    }
}
