//! Which records fit a query.

use std::ops::Range;
use std::time::Duration;

use rusqlite::{Connection, Statement, Transaction, params};

use super::bits::{BLOCK, Bits};
use super::block::{ALL, Column, id, unpacked};
use super::store::{Trouble, signed, unsigned};
use crate::{Query, stamp};

/// Visits the records that fit, block by block, the newest first, until `visit` has had enough.
pub(super) fn each(
    transaction: &Transaction<'_>,
    query: &Query,
    before: Option<u64>,
    mut visit: impl FnMut(u64, &Bits) -> bool,
) -> Result<(), Trouble> {
    let Some(names) = names(transaction, query)? else { return Ok(()) };
    let range = range(transaction, query.since, query.until)?;
    let range = range.start..before.map_or(range.end, |before| range.end.min(before));
    let mut find = transaction.prepare("SELECT bits FROM places WHERE block = ?1 AND name = ?2")?;
    for block in blocks(transaction, &range)?.into_iter().rev() {
        let start = block * BLOCK;
        let mut bits = Bits::range(range.start.saturating_sub(start), range.end.saturating_sub(start));
        if meet(&mut find, block, &names, &mut bits)? && !visit(start, &bits) {
            break;
        }
    }
    Ok(())
}

/// Leaves the records of a block that all the names stand in. Says whether there are any.
fn meet(find: &mut Statement<'_>, block: u64, names: &[i64], bits: &mut Bits) -> Result<bool, Trouble> {
    for name in names {
        let mut rows = find.query(params![signed(block), name])?;
        let Some(row) = rows.next()? else { return Ok(false) };
        let places = Bits::decode(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
        bits.and(&places.ok_or_else(|| Trouble::Damaged("a set of records makes no sense".to_owned()))?);
    }
    Ok(bits.count() > 0)
}

/// What stands for the names in a query. None if one of them was never seen: then nothing fits.
fn names(connection: &Connection, query: &Query) -> Result<Option<Vec<i64>>, Trouble> {
    let tool = query.tool.as_ref().map(|tool| tool.to_ascii_lowercase());
    let wanted = [
        (Column::Session, &query.session),
        (Column::Agent, &query.agent),
        (Column::Tool, &tool),
        (Column::Act, &query.act),
        (Column::Point, &query.point),
        (Column::Rule, &query.rule),
    ];
    let mut find = connection.prepare("SELECT id FROM names WHERE kind = ?1 AND text = ?2")?;
    let mut found = Vec::new();
    for (column, name) in wanted {
        let Some(name) = name else { continue };
        let Some(id) = id(&mut find, column, name)? else { return Ok(None) };
        found.push(id);
    }
    if found.is_empty() {
        found.push(ALL);
    }
    Ok(Some(found))
}

/// The numbers of the records between two moments. Records stand in the order of their moments.
pub(super) fn range(
    connection: &Connection,
    since: Option<Duration>,
    until: Option<Duration>,
) -> Result<Range<u64>, Trouble> {
    let start = since.map_or(Ok(0), |since| first_since(connection, since))?;
    let end = until.map_or(Ok(u64::MAX), |until| first_since(connection, until))?;
    Ok(start..end)
}

/// The first record that is not before a moment.
fn first_since(connection: &Connection, moment: Duration) -> Result<u64, Trouble> {
    // Moments in records are not more exact than their text.
    let micros = super::micros(stamp::moment(&stamp::stamp(moment)).unwrap_or(moment));
    let sql = "SELECT block, times FROM blocks WHERE last_time >= ?1 ORDER BY last_time, block LIMIT 1";
    let mut find = connection.prepare(sql)?;
    let mut rows = find.query([signed(micros)])?;
    let Some(row) = rows.next()? else { return Ok(u64::MAX) };
    let times = unpacked(&row.get::<_, Vec<u8>>(1)?);
    if !times.is_sorted() {
        return Err(Trouble::Damaged("moments are out of order".to_owned()));
    }
    Ok(unsigned(row.get(0)?) * BLOCK + times.partition_point(|time| *time < micros) as u64)
}

/// The blocks in which these records stand.
pub(super) fn blocks(connection: &Connection, range: &Range<u64>) -> Result<Vec<u64>, Trouble> {
    let mut find = connection.prepare("SELECT block FROM blocks WHERE last >= ?1 AND first < ?2 ORDER BY block")?;
    let rows = find.query_map([signed(range.start), signed(range.end)], |row| row.get(0).map(unsigned))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
