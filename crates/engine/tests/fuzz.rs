//! Whatever somebody writes into the files of a state, it is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::fs;

use common::{Folder, START};
use proptest::prelude::*;
use tollgate_core::Digest;
use tollgate_engine::state::{Bucket, Files, Space, State, Take};

/// Bytes that begin like a log more often than not.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let line = r#"[0-9a-f]{16} \{"(counter|pin|hold|seen)/[a-z]":[^\n]{0,20}\}"#;
    let text = prop::collection::vec(line, 0..4)
        .prop_map(|lines| format!("tollgate state 2 0123456789abcdef\n{}\n", lines.join("\n")));
    prop_oneof![any::<Vec<u8>>(), text.prop_map(String::into_bytes)]
}

proptest! {
    #[test]
    fn any_file(bytes in bytes()) {
        let folder = Folder::new();
        let state: &dyn State = &Files::new(folder.path());
        state.pin("a", Digest([1; 32])).unwrap();
        let log = folder.path().join("all.log");
        fs::write(&log, &bytes).unwrap();
        let bucket = Bucket { max: 1.0, every: None };
        let take = Take { space: Space::All, key: "k", bucket, amount: 1.0 };
        match state.reserve(START, "s", "c", &[take]) {
            // What can be read can be written, and is there afterwards.
            Ok(taken) => {
                prop_assert!(taken.is_ok());
                prop_assert_eq!(state.left(START, Space::All, "k", bucket).unwrap(), 0.0);
            }
            Err(error) => {
                prop_assert!(error.to_string().contains("rm "), "{}", error);
                prop_assert_eq!(fs::read(&log).unwrap(), bytes);
            }
        }
    }
}
