use proptest::prelude::*;
use serde_json::json;

use super::*;

fn changes(key: &str, value: Option<i64>) -> Changes {
    [(key.to_owned(), value.map(|value| json!(value)))].into()
}

const HEAD: &str = "tollgate state 2 0123456789abcdef\n";

/// A log of three lines: a = 1, b = 2, a gone.
fn log() -> Vec<u8> {
    let lines = [changes("a", Some(1)), changes("b", Some(2)), changes("a", None)];
    let lines = lines.iter().flat_map(|changes| line(changes).unwrap());
    HEAD.bytes().chain(lines).collect()
}

fn parse(bytes: &[u8]) -> Result<Known, String> {
    let mut known = Known::default();
    known.follow(bytes).map(|()| known)
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
        (with(HEADER + 20, b'#'), Err("is damaged at byte 34".to_owned())),
        (with(0, b'T'), Err("is not a state file that this version can read".to_owned())),
        (
            b"tollgate state 1\n0123456789abcdef {}\n".to_vec(),
            Err("is not a state file that this version can read".to_owned()),
        ),
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
        let _ = parse(&[HEAD.as_bytes(), &bytes].concat());
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

#[test]
fn what_is_known_is_believed_only_while_it_stands_there() {
    let path = std::env::temp_dir().join(format!("tollgate-log-{}", std::process::id()));
    let text = |lines: &[Changes]| -> Vec<u8> {
        HEAD.bytes().chain(lines.iter().flat_map(|changes| line(changes).unwrap())).collect()
    };
    let (one, two) = (changes("a", Some(1)), changes("b", Some(2)));
    let whole = text(&[one.clone(), two.clone()]);
    let garbled = {
        let mut bytes = whole.clone();
        bytes[HEADER + 20] = b'#';
        bytes
    };
    // What stands in the file afterwards, which is the same file, and whether what was known is still believed.
    for (bytes, believed) in [
        (whole.clone(), true),
        // Where it was believed, it was not read again.
        (garbled, true),
        ([&whole[..], b"half a line"].concat(), true),
        (text(&[one.clone(), two.clone(), changes("c", Some(3))]), true),
        // Of the same length, longer, shorter, and nothing.
        (text(&[one.clone(), changes("b", Some(3))]), false),
        (text(&[changes("a", Some(11)), two.clone()]), false),
        // Another log whose last line is the same, at the same place.
        (
            String::from_utf8(text(&[changes("a", Some(9)), two.clone()])).unwrap().replace("abcdef", "fedcba").into(),
            false,
        ),
        (text(&[one]), false),
        (Vec::new(), false),
    ] {
        fs::write(&path, &whole).unwrap();
        let known = look(&path, None).unwrap();
        fs::write(&path, &bytes).unwrap();
        let again = look(&path, Some(known.clone()));
        let anew = look(&path, None);
        if let Ok(anew) = anew {
            assert_eq!(again.as_ref().unwrap(), &anew, "{:?}", String::from_utf8_lossy(&bytes));
        }
        let mut file = File::open(&path).unwrap();
        let about = file.metadata().unwrap();
        assert_eq!(known.still_holds(&mut file, &about).unwrap(), believed, "{:?}", String::from_utf8_lossy(&bytes));
        let unchanged = bytes.len() == whole.len() && believed;
        assert_eq!(Arc::ptr_eq(&again.unwrap().ledger, &known.ledger), unchanged || bytes.ends_with(b"a line"));
    }
    fs::remove_file(path).unwrap();
}
