//! Documents for tests, read the way the surfaces do it.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;
use tollgate_core::{Body, Fault};

thread_local! {
    /// How many documents this thread has read, for the reference pipeline to see whether somebody looked.
    static LOOKS: Cell<usize> = const { Cell::new(0) };
}

/// A document as it came in: not yet read, and counted when it is.
pub fn body(text: impl Into<Vec<u8>>) -> Body {
    Body::from_bytes(text, counting_read)
}

fn counting_read(bytes: &[u8]) -> (Result<Value, Fault>, Option<&'static str>) {
    LOOKS.set(LOOKS.get() + 1);
    tollgate_wire::read(bytes)
}

/// How many documents were read so far.
pub(crate) fn looks() -> usize {
    LOOKS.get()
}

/// The document of a body, read without anybody noticing: clones share what was read, so bytes that came in
/// are read apart.
pub(crate) fn peek(body: &Body) -> Result<Value, Fault> {
    match body.to_bytes() {
        Cow::Borrowed(raw) => tollgate_wire::read(raw).0,
        Cow::Owned(_) => body.json().cloned(),
    }
}
