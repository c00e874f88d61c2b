//! Tables in a TOML file that belongs to somebody else.

use crate::text::{Edited, Insertion, Made, inserted};

/// A table to put in, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its first line: `[servers.one]`.
    pub header: String,
    /// The lines below.
    pub lines: Vec<String>,
}

/// What a file says; or what is wrong with it, and where.
pub fn read(text: &str) -> Result<toml::Table, String> {
    text.trim_start_matches('\u{feff}').parse::<toml::Table>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {}", error.message())
    })
}

/// Puts tables at the end of a file. Whether it can still be read is for [`read`] to say: the file may state them
/// otherwise already.
pub fn add(text: &str, tables: &[Table]) -> Edited {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut block = String::new();
    if !text.is_empty() && !text.ends_with('\n') {
        block.push_str(newline);
    }
    for Table { header, lines } in tables {
        if !(text.is_empty() && block.is_empty()) {
            block.push_str(newline);
        }
        for line in std::iter::once(header).chain(lines) {
            block.push_str(line);
            block.push_str(newline);
        }
    }
    inserted(text, vec![Insertion { at: text.len(), text: block }], Made::default())
}

/// Takes out the tables with this header, as far as they are written the way [`add`] writes them. `own` tells our lines;
/// if there are others in a table, they and its header stay.
pub fn remove(text: &str, header: &str, own: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    while let Some(at) = lines.iter().position(|line| line.trim() == header) {
        let end = at + 1 + lines[at + 1..].iter().take_while(|line| own(line)).count();
        let is_all = lines.get(end).is_none_or(|line| line.trim().is_empty() || line.trim_start().starts_with('['));
        if !is_all {
            lines.drain(at + 1..end);
            break;
        }
        let blank = at > 0 && lines[at - 1].trim().is_empty();
        lines.drain(at - usize::from(blank)..end);
    }
    lines.concat()
}
