//! Reading what was appended since.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::bits::BLOCK;
use super::block::{Block, forget};
use super::row::Row;
use super::state::{Before, Place, State};
use super::store::{Trouble, signed, unsigned};
use crate::draft::hash;
use crate::{Line, Reader};

/// How many blocks are read at once. Between these, others get their turn.
const AT_ONCE: usize = 4;

/// How far the reading came.
pub(super) enum Turn {
    /// There is more, from here on.
    More(Place),
    /// Everything is known.
    Done,
}

/// Empties the index unless it is about this log.
pub(super) fn settle(connection: &mut Connection, reader: &Reader) -> Result<(), Trouble> {
    let Some(state) = State::read(connection)? else { return Ok(()) };
    if !state.fits(reader)? {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        known(&transaction, reader)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Reads some more, in one transaction.
pub(super) fn turn(connection: &mut Connection, reader: &Reader) -> Result<Turn, Trouble> {
    if is_up_to_date(connection, reader)? {
        return Ok(Turn::Done);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Somebody else may have come this far, or farther, while this one waited.
    let state = known(&transaction, reader)?;
    let Some(first) = reader.segments()?.first().map(|segment| segment.first) else {
        transaction.commit()?;
        return Ok(Turn::Done);
    };
    let state = match state {
        Some(state) if state.first < first => shortened(&transaction, reader, state, first)?,
        state => state.unwrap_or(State { first, ..State::default() }),
    };
    let turn = advance(&transaction, reader, state)?;
    transaction.commit()?;
    Ok(turn)
}

/// Whether nothing was appended or removed. Finding that out needs no lock.
fn is_up_to_date(connection: &Connection, reader: &Reader) -> Result<bool, Trouble> {
    let segments = reader.segments()?;
    let Some(state) = State::read(connection)? else { return Ok(segments.is_empty()) };
    if segments.first().map(|segment| segment.first) != Some(state.first) {
        return Ok(false);
    }
    let mut lines = reader.lines_from(state.last.segment, state.last.offset)?;
    Ok(lines.next().transpose()?.is_some_and(|line| state.is_last(&line)) && lines.next().transpose()?.is_none())
}

/// How far the log was read. If that was another log, everything is forgotten.
fn known(transaction: &Transaction<'_>, reader: &Reader) -> Result<Option<State>, Trouble> {
    let Some(state) = State::read(transaction)? else { return Ok(None) };
    if state.fits(reader)? {
        return Ok(Some(state));
    }
    for table in ["state", "blocks", "names", "places", "open"] {
        transaction.execute(&format!("DELETE FROM {table}"), [])?;
    }
    Ok(None)
}

/// Forgets what was removed from the beginning of the log.
fn shortened(transaction: &Transaction<'_>, reader: &Reader, known: State, first: u64) -> Result<State, Trouble> {
    let oldest = first / BLOCK;
    let mut state = State { first, ..known };
    let newest: Option<i64> = transaction.query_row("SELECT max(block) FROM blocks", [], |row| row.get(0))?;
    forget(transaction, 0, oldest + 1)?;
    transaction.execute("DELETE FROM open WHERE seq < ?1", [signed(first)])?;
    if newest.map(unsigned) == Some(oldest) {
        // The newest one is read anew in any case.
        (state.go, state.before) = Default::default();
    } else if let Some(block) = read_oldest(reader, oldest)? {
        // Which of its calls have ended is known already.
        block.write(transaction)?;
    }
    transaction.execute("DELETE FROM names WHERE id NOT IN (SELECT name FROM places)", [])?;
    state.write(transaction)?;
    Ok(state)
}

/// What is left of the oldest block.
fn read_oldest(reader: &Reader, number: u64) -> Result<Option<Block>, Trouble> {
    let (mut block, mut before): (Option<Block>, Before) = Default::default();
    for line in reader.lines_from(0, 0)? {
        let line = line?;
        match next(&line, &before) {
            Some(row) if row.seq / BLOCK != number => break,
            Some(row) => before = block.get_or_insert_with(|| Block::of(row.seq)).add(&row, line.offset, before),
            None => block.iter_mut().for_each(|block| block.unreadable += 1),
        }
    }
    Ok(block)
}

/// Reads some blocks.
fn advance(transaction: &Transaction<'_>, reader: &Reader, mut state: State) -> Result<Turn, Trouble> {
    let mut before = state.before;
    let mut block: Option<Block> = None;
    let (mut last, mut full) = (None, 0);
    for line in reader.lines_from(state.go.segment, state.go.offset)? {
        let line = line?;
        let Some(row) = next(&line, &before) else {
            block.iter_mut().for_each(|block| block.unreadable += 1);
            continue;
        };
        if let Some(block) = block.take_if(|block| block.number() != row.seq / BLOCK) {
            block.write(transaction)?;
            block.write_calls(transaction)?;
            (state.go, state.before) = (Place::of(&line), before);
            full += 1;
            if full == AT_ONCE {
                break;
            }
        }
        before = block.get_or_insert_with(|| Block::of(row.seq)).add(&row, line.offset, before);
        last = Some(line);
    }
    if let Some(block) = &block {
        block.write(transaction)?;
        block.write_calls(transaction)?;
    }
    if let Some(line) = last {
        (state.last, state.hash) = (Place::of(&line), hash(&line.bytes));
        state.write(transaction)?;
    }
    Ok(if full == AT_ONCE { Turn::More(state.go) } else { Turn::Done })
}

/// The record in a line, if it stands in its place: each has a larger number than the one before.
fn next(line: &Line, before: &Before) -> Option<Row> {
    Row::read(line).filter(|row| row.seq > before.seq)
}
