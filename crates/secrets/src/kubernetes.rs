//! The data of Kubernetes secrets: values without a telling name, below `data:` in an object of `kind: Secret`.

use crate::{check::decode_base64, made_up, value};
use std::ops::Range;

/// The longest object considered, in lines.
const MOST_LINES: u16 = 200;

/// Where in an object the reader is. It is carried from line to line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Object {
    lines_left: u16,
    /// The indentation of `data:`, while inside.
    data: Option<usize>,
}

impl Object {
    /// Whether lines need to be read at all.
    pub(crate) fn is_open(&self) -> bool {
        self.lines_left > 0
    }

    /// What has become of it behind a key, in which a line that begins an object may pass for a header. No line of a key
    /// ends one.
    pub(crate) fn behind_key(self, key: &str) -> Self {
        let mut object = self;
        for line in key.lines().filter(|_| !self.is_open()) {
            object.read(line.as_bytes(), 0..line.len());
        }
        object
    }

    /// Reads a line and gives the secret in it.
    pub(crate) fn read(&mut self, text: &[u8], line: Range<usize>) -> Option<Range<usize>> {
        let bytes = &text[line.clone()];
        let indent = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let content = bytes[indent..].trim_ascii_end();
        if content == b"---" {
            *self = Self::default();
            return None;
        }
        if let Some(kind) = content.strip_prefix(b"kind:") {
            let name = kind.trim_ascii().trim_ascii();
            let plain = name.iter().filter(|byte| !matches!(byte, b'"' | b'\'')).count();
            let secret = value::contains_ignoring_case(name, b"secret") && plain == 6;
            *self = Self { lines_left: if secret { MOST_LINES } else { 0 }, data: None };
            return None;
        }
        self.lines_left = self.lines_left.saturating_sub(1);
        if !self.is_open() || content.is_empty() || content.starts_with(b"#") {
            return None;
        }
        if content == b"data:" || content == b"stringData:" {
            self.data = Some(indent);
            return None;
        }
        if self.data.is_some_and(|outer| indent <= outer) {
            self.data = None;
        }
        self.data?;
        secret_of_entry(bytes, indent).map(|range| line.start + range.start..line.start + range.end)
    }
}

/// The value of `name: value`, or of a line of a block scalar, if it is base64 of something printable.
fn secret_of_entry(line: &[u8], indent: usize) -> Option<Range<usize>> {
    let colon = line[indent..].iter().position(|&byte| byte == b':').map(|at| indent + at + 1);
    let mut start = colon.unwrap_or(indent);
    start += line[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\'')).count();
    let end = (start..line.len()).find(|&at| !(line[at].is_ascii_alphanumeric() || b"+/=".contains(&line[at])));
    let range = start..end.unwrap_or(line.len());
    let secret = &line[range.clone()];
    let rest_is_plain = line[range.end..].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'"' | b'\''));
    let is_base64 = secret.len() >= 12 && secret.len().is_multiple_of(4) && decode_base64(secret).is_some();
    let given = !value::is_placeholder(secret) && !made_up::is_published(secret);
    (rest_is_plain && is_base64 && given).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets_of(text: &str) -> Vec<&str> {
        let mut object = Object::default();
        let mut start = 0;
        let mut found = Vec::new();
        for line in text.split_inclusive('\n') {
            let end = start + line.trim_end_matches('\n').len();
            found.extend(object.read(text.as_bytes(), start..end).map(|range| &text[range]));
            start += line.len();
        }
        found
    }

    #[test]
    fn only_data_of_secrets_is_hidden() {
        let text = "kind: Secret\nmetadata:\n  name: YWJjZGVmZw==\ndata:\n  a: YWRtaW46cHdw\n  b: plain\n---\nkind: ConfigMap\ndata:\n  a: YWRtaW46cHdw\n";
        assert_eq!(secrets_of(text), ["YWRtaW46cHdw"]);
    }
}
