//! Here-documents: their bodies come after the line that asks for them.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Part, Reader, RedirectKind, Word};

pub(super) struct Pending {
    end: String,
    quoted: bool,
    strip_tabs: bool,
    body: Rc<OnceCell<Word>>,
}

impl Reader<'_> {
    /// After `<<` or `<<-`: remembers what to read when the line ends.
    pub(super) fn here_operator(&mut self, strip_tabs: bool) -> RedirectKind {
        self.skip_blanks();
        let start = self.at;
        self.word();
        let raw = &self.text[start..self.at];
        let quoted = raw.contains(['\'', '"', '\\']);
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending {
            end: if quoted { without_quotes(raw) } else { raw.to_owned() },
            quoted,
            strip_tabs,
            body: Rc::clone(&body),
        });
        RedirectKind::Here(body)
    }

    /// At the beginning of a line: the bodies that were asked for.
    pub(super) fn here_documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.here_body(&pending);
            let parts = if pending.quoted {
                vec![Part::Quoted(body)]
            } else {
                self.deeper(|reader| reader.within(&body, |inner| inner.here_parts()))
            };
            // Nobody else sets it: each redirection makes its own cell.
            let _ = pending.body.set(Word { parts });
        }
    }

    /// All lines up to the one that ends it. Bash takes everything when there is none.
    fn here_body(&mut self, pending: &Pending) -> String {
        let rest = self.rest();
        let (length, after) = find_end(rest, pending)
            .or_else(|| if self.depth > 0 { find_end_before_paren(rest, pending) } else { None })
            .unwrap_or((rest.len(), rest.len()));
        self.at += after;
        let body = &rest[..length];
        if pending.strip_tabs {
            body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
        } else {
            body.to_owned()
        }
    }
}

/// Length of the body, and where the text goes on.
fn find_end(rest: &str, pending: &Pending) -> Option<(usize, usize)> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let bare = if pending.strip_tabs { bare.trim_start_matches('\t') } else { bare };
        if bare == pending.end {
            return Some((at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// In a substitution, `EOF)` also ends it.
fn find_end_before_paren(rest: &str, pending: &Pending) -> Option<(usize, usize)> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let bare = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
        if bare.strip_prefix(pending.end.as_str()).is_some_and(|after| after.trim_start().starts_with(')')) {
            return Some((at, at + line.len() - bare.len() + pending.end.len()));
        }
        at += line.len();
    }
    None
}

fn without_quotes(raw: &str) -> String {
    let mut text = String::new();
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {}
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    text
}
