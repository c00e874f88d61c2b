use proptest::prelude::*;
use serde_json::json;

use super::*;

fn changes(key: &str, value: Option<i64>) -> Changes {
    [(key.to_owned(), value.map(|value| json!(value)))].into()
}

/// A log of three lines: a = 1, b = 2, a gone.
fn log() -> Vec<u8> {
    let lines = [changes("a", Some(1)), changes("b", Some(2)), changes("a", None)];
    let lines = lines.iter().flat_map(|changes| line(changes).unwrap());
    HEADER.bytes().chain(lines).collect()
}

fn keys(bytes: &[u8]) -> Result<Vec<String>, String> {
    parse(bytes).map(|read| read.ledger.keys(""))
}

#[test]
fn a_log_cut_anywhere_is_what_was_finished() {
    let log = log();
    let ends: Vec<usize> = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=log.len() {
        let finished = ends.iter().filter(|end| **end <= cut).count();
        let expected: &[&str] = [&[][..], &[], &["a"], &["a", "b"], &["b"]][finished];
        let read = parse(&log[..cut]).unwrap();
        assert_eq!(read.ledger.keys(""), expected, "cut at {cut}");
        assert_eq!(read.good, ends.iter().copied().filter(|end| *end <= cut).max().unwrap_or(0), "cut at {cut}");
    }
}

#[test]
fn damage() {
    let log = log();
    let with = |at: usize, byte: u8| {
        let mut log = log.clone();
        log[at] = byte;
        log
    };
    let last = log.len() - 3;
    for (bytes, expected) in [
        (with(last, b'#'), Ok(vec!["a".to_owned(), "b".to_owned()])),
        ([log.clone(), vec![0; 100]].concat(), Ok(vec!["b".to_owned()])),
        ([log.clone(), b"\n\n".to_vec()].concat(), Ok(vec!["b".to_owned()])),
        (with(HEADER.len() + 20, b'#'), Err("is damaged at byte 17".to_owned())),
        (with(0, b'T'), Err("is no state that this version can read".to_owned())),
        (b"tollgate state 2\n".to_vec(), Err("is no state that this version can read".to_owned())),
        (b"tollgate sta".to_vec(), Ok(vec![])),
        (Vec::new(), Ok(vec![])),
    ] {
        assert_eq!(keys(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes: Vec<u8>, cut: prop::sample::Index) {
        let _ = parse(&bytes);
        let _ = parse(&[HEADER.as_bytes(), &bytes].concat());
        // Anything after a good log changes nothing, unless it happens to be a good line.
        let log = log();
        let cut = cut.index(log.len() + 1);
        let finished = parse(&log[..cut]).unwrap();
        if !bytes.contains(&b'\n') {
            prop_assert_eq!(&parse(&[&log, &bytes[..]].concat()).unwrap().ledger, &parse(&log).unwrap().ledger);
        }
        prop_assert!(finished.good <= cut);
    }
}
