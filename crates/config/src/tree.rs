//! A file as a tree in which everything knows where it stands.

use std::ops::Range;

use tollgate_rules::Step;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// Deeper than anybody writes, and shallow enough for everything that walks the tree.
const MAX_DEPTH: usize = 100;

/// A value of the file.
pub(crate) type Node<'t> = Spanned<DeValue<'t>>;

/// What a mistake at a path is shown at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// The whole file.
pub(crate) struct Tree<'t> {
    pub(crate) root: Node<'t>,
    text: &'t str,
}

impl<'t> Tree<'t> {
    /// Reads a text as far as it can be read, and says what cannot.
    pub(crate) fn parse(text: &'t str) -> (Self, Vec<Error>) {
        let (root, errors) = DeTable::parse_recoverable(text);
        let span = root.span();
        (Self { root: Spanned::new(span, DeValue::Table(root.into_inner())), text }, errors)
    }

    /// A tree of these.
    pub(crate) fn of(root: DeTable<'t>, span: Range<usize>, text: &'t str) -> Self {
        Self { root: Spanned::new(span, DeValue::Table(root)), text }
    }

    /// What it was made of.
    pub(crate) fn into_parts(self) -> (Node<'t>, &'t str) {
        (self.root, self.text)
    }

    /// The place of something that is nested too deeply.
    pub(crate) fn too_deep(&self) -> Option<Range<usize>> {
        fn deep(node: &Node<'_>, left: usize) -> Option<Range<usize>> {
            if left == 0 {
                return Some(node.span());
            }
            match node.get_ref() {
                DeValue::Table(table) => table.values().find_map(|value| deep(value, left - 1)),
                DeValue::Array(items) => items.iter().find_map(|value| deep(value, left - 1)),
                _ => None,
            }
        }
        deep(&self.root, MAX_DEPTH)
    }

    /// What is at the end of a path.
    pub(crate) fn get(&self, path: &[Step]) -> Option<&Node<'t>> {
        path.iter().try_fold(&self.root, |node, step| descend(node, step).map(|(_, value)| value))
    }

    /// The ids in a file, of whatever has one, even if something else is wrong with it.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        let lists = self.root.get_ref().as_table().into_iter().flat_map(|table| table.values());
        let members = lists.filter_map(|list| list.get_ref().as_array()).flat_map(|items| items.iter());
        members.filter_map(|item| item.get_ref().as_table()?.get("id")?.get_ref().as_str())
    }

    /// Where the end of a path stands. Of a path that leads nowhere, where its longest existing part stands.
    pub(crate) fn locate(&self, path: &[Step], aim: Aim) -> Range<usize> {
        let (mut node, mut span) = (&self.root, 0..0);
        for step in path {
            let Some((key, value)) = descend(node, step) else { return span };
            span = if aim == Aim::Key { key.unwrap_or(value.span()) } else { value.span() };
            node = value;
        }
        span
    }

    /// Where bytes of the string at the end of a path stand.
    pub(crate) fn locate_within(&self, path: &[Step], within: &Range<usize>) -> Range<usize> {
        let whole = self.locate(path, Aim::Value);
        let value = self.get(path).and_then(|node| node.get_ref().as_str());
        let found = value.and_then(|value| {
            let written = self.text.get(whole.clone())?;
            let offsets = offsets(written, value)?;
            let start = *offsets.get(within.start)?;
            let end = *offsets.get(within.end.max(within.start))?;
            Some(whole.start + start..whole.start + end)
        });
        found.unwrap_or(whole)
    }
}

/// One step down: where the key stands, if there is one, and the value.
fn descend<'n, 't>(node: &'n Node<'t>, step: &Step) -> Option<(Option<Range<usize>>, &'n Node<'t>)> {
    match (node.get_ref(), step) {
        (DeValue::Table(table), Step::Key(key)) => {
            let (key, value) = table.get_key_value(key.as_str())?;
            Some((Some(key.span()), value))
        }
        (DeValue::Array(items), Step::Index(index)) => items.get(*index).map(|value| (None, value)),
        _ => None,
    }
}

/// For each byte of a string's value, and its end: where it is written. None if the two do not belong together.
fn offsets(written: &str, value: &str) -> Option<Vec<usize>> {
    let (open, escapes) = match written {
        text if text.starts_with("\"\"\"") => (3, true),
        text if text.starts_with("'''") => (3, false),
        text if text.starts_with('"') => (1, true),
        text if text.starts_with('\'') => (1, false),
        _ => return None,
    };
    let inner = written.get(open..written.len().checked_sub(open)?)?;
    let skipped = match open {
        3 => inner.len() - inner.strip_prefix("\r\n").or_else(|| inner.strip_prefix('\n')).unwrap_or(inner).len(),
        _ => 0,
    };
    let mut found = Vec::with_capacity(value.len() + 1);
    let mut letters = inner[skipped..].char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let place = open + skipped + at;
        let mut bytes = letter.len_utf8();
        if escapes && letter == '\\' {
            let (_, kind) = letters.next()?;
            let digits = match kind {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            let code = letters.by_ref().take(digits).map(|(_, digit)| digit).collect::<String>();
            bytes = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).map_or(1, char::len_utf8);
            if kind.is_whitespace() {
                // A backslash at the end of a line swallows what follows it.
                while letters.next_if(|(_, letter)| letter.is_ascii_whitespace()).is_some() {}
                continue;
            }
        }
        found.extend(std::iter::repeat_n(place, bytes));
    }
    found.push(written.len() - open);
    (found.len() == value.len() + 1).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_string_are_found_in_what_was_written() {
        // Each time the place of the `X`.
        for text in [
            r#"a = "abXcd""#,
            r#"a = "a\nbXcd""#,
            r#"a = "\u00e9\x41\U0001F600Xcd""#,
            r"a = 'a\Xcd'",
            "a = \"\"\"\nabXcd\"\"\"",
            "a = \"\"\"\r\nab\r\nXcd\"\"\"",
            "a = \"\"\"ab\\\n   Xcd\"\"\"",
            "a = '''\nabXcd'''",
            "a = \"éé\\\\X\"",
        ] {
            let (tree, errors) = Tree::parse(text);
            assert_eq!(errors, [], "{text}");
            let path = [Step::from("a")];
            let value = tree.get(&path).and_then(|node| node.get_ref().as_str()).unwrap();
            let at = value.find('X').unwrap();
            let found = tree.locate_within(&path, &(at..at + 1));
            assert_eq!(&text[found], "X", "{text}");
            assert!(tree.locate_within(&path, &(0..1000)).end <= text.len());
        }
    }

    #[test]
    fn paths_lead_to_keys_and_values() {
        let text =
            "top = 1\n[[rule]]\nid = 'a'\n[[rule]]\nid = 'b'\narg.x.y = [1, 2]\n[override.\"p/q\"]\nmode = 'off'\n";
        let (tree, _) = Tree::parse(text);
        let check = |path: &[Step], key: &str, value: &str| {
            assert_eq!(&text[tree.locate(path, Aim::Key)], key, "{path:?}");
            assert_eq!(&text[tree.locate(path, Aim::Value)], value, "{path:?}");
        };
        let rule = |index: usize| vec![Step::from("rule"), Step::from(index)];
        let in_rule = |keys: &[&str]| [rule(1), keys.iter().map(|key| Step::from(*key)).collect()].concat();
        check(&["top".into()], "top", "1");
        check(&rule(1), "[[rule]]", "[[rule]]");
        check(&in_rule(&["id"]), "id", "'b'");
        check(&in_rule(&["deny"]), "[[rule]]", "[[rule]]");
        check(&in_rule(&["arg", "x", "y"]), "y", "[1, 2]");
        check(&[in_rule(&["arg", "x", "y"]), vec![Step::from(1)]].concat(), "2", "2");
        check(&["override".into(), "p/q".into(), "mode".into()], "mode", "'off'");
        check(&["override".into(), "p/q".into()], "\"p/q\"", "[override.\"p/q\"]");
        check(&["nothing".into()], "", "");
    }
}
