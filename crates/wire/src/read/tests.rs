use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::samples::{self, exact_numbers};

const TWICE: &str = "a key appears twice in one object";
const LONE: &str = "an escaped surrogate stands alone";
const AFTER: &str = "bytes follow the end";
const INEXACT: &str = "a number does not fit a 64-bit float";

/// The value and the ambiguity, or the fault, as one line.
fn said(bytes: &[u8]) -> String {
    match read(bytes) {
        (Ok(value), None) => value.to_string(),
        (Ok(value), Some(why)) => format!("{value} but {why}"),
        (Err(fault), None) => fault.to_string(),
        (Err(fault), Some(why)) => panic!("{fault} and also {why}"),
    }
}

fn check(text: impl AsRef<[u8]>, expected: &str) {
    let text = text.as_ref();
    assert_eq!(said(text), expected, "{}", String::from_utf8_lossy(text));
}

fn check_ambiguous(rows: &[(&str, &str)], why: &str) {
    for (text, value) in rows {
        check(text, &format!("{value} but {why}"));
    }
}

fn check_same(texts: &[&str]) {
    for text in texts {
        check(text, text);
    }
}

#[test]
fn plain_documents() {
    check_same(&["null", "true", "\"\"", "[]", "{}", r#"{"b":1,"a":[{"c":null}]}"#, r#"{"a":{"x":1},"b":{"x":1}}"#]);
    for (text, expected) in [
        (" \t\r\n{ \"a\" : 1 } \t\r\n", r#"{"a":1}"#),
        (r#"{"a":":","b":"}"}"#, r#"{"a":":","b":"}"}"#),
        (r#""\"\\\/\b\f\n\r\tA""#, r#""\"\\/\b\f\n\r\tA""#),
        // Keys by which `serde_json` talks to itself are keys like any other.
        (r#"{"$serde_json::private::RawValue":"[1]"}"#, r#"{"$serde_json::private::RawValue":"[1]"}"#),
        (r#"{"$serde_json::private::Number":"1"}"#, r#"{"$serde_json::private::Number":"1"}"#),
    ] {
        check(text, expected);
    }
}

#[test]
fn equal_keys() {
    let rows = [
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
        (r#"{"a":1,"\u0061":2}"#, r#"{"a":2}"#),
        (r#"{"/":1,"\/":2}"#, r#"{"/":2}"#),
        (r#"{"":1,"":2}"#, r#"{"":2}"#),
        (r#"[[{"x":{"a":1,"b":2,"a":3}}]]"#, r#"[[{"x":{"a":3,"b":2}}]]"#),
        (r#"{"a":{"b":1,"b":2},"a":3}"#, r#"{"a":3}"#),
        (r#"{"😀":1,"\ud83d\ude00":2}"#, r#"{"😀":2}"#),
    ];
    check_ambiguous(&rows, TWICE);
    check_same(&[
        r#"{"a":1,"A":2}"#,
        r#"{"a":{"a":{"a":1}}}"#,
        r#"[{"a":1},{"a":1}]"#,
        "{\"\u{e9}\":1,\"e\u{301}\":2}",
    ]);
}

#[test]
fn surrogates() {
    let rows = [
        (r#""\ud800""#, "\"\u{fffd}\""),
        (r#""\uDBFFx""#, "\"\u{fffd}x\""),
        (r#""\udc00""#, "\"\u{fffd}\""),
        (r#""\ud800\ud800\udc00""#, "\"\u{fffd}\u{10000}\""),
        (r#""\udc00\ud800""#, "\"\u{fffd}\u{fffd}\""),
        (r#""\ud800\n\udc00""#, "\"\u{fffd}\\n\u{fffd}\""),
        (r#""\ud800\u0041""#, "\"\u{fffd}A\""),
        (r#"{"\ud800":1}"#, "{\"\u{fffd}\":1}"),
        (r#"[["a",{"b":"\\\ud800"}]]"#, "[[\"a\",{\"b\":\"\\\\\u{fffd}\"}]]"),
    ];
    check_ambiguous(&rows, LONE);
    // A backslash before the backslash: no escape of a character at all.
    check_same(&[r#""\\ud800""#, r#""\\\\udc00""#, r#"{"\\ud800":"\\"}"#]);
    for (text, value) in [(r#""\ud83d\ude00""#, "\"😀\""), (r#""\uD800\uDC00\udbff\udfff""#, "\"\u{10000}\u{10ffff}\"")]
    {
        check(text, value);
    }
    check(r#"{"\ud800":1,"\udc00":2}"#, &format!("{{\"\u{fffd}\":2}} but {TWICE}"));
}

#[test]
fn the_end() {
    let rows = [
        ("{}{}", "{}"),
        (r#"{"a":1} {"a":2}"#, r#"{"a":1}"#),
        ("[1]]", "[1]"),
        ("null x", "null"),
        ("1 2", "1"),
        ("1,", "1"),
        ("1\"\"", "1"),
        ("\"\"\"\"", "\"\""),
        ("{}\0", "{}"),
        ("{}\u{a0}", "{}"),
        ("{}\u{feff}", "{}"),
        ("[]//", "[]"),
    ];
    check_ambiguous(&rows, AFTER);
    check("[]\n\n", "[]");
}

#[test]
fn numbers() {
    check_same(&["0", "-1", "9007199254740992", "0.1", "1.0", "5e-324", "-0.0", "1424953923781206.2"]);
    for (text, value) in [
        ("-0", "-0.0"),
        ("1E5", "100000.0"),
        ("1.50", "1.5"),
        ("100e-2", "1.0"),
        ("0.000e99", "0.0"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1.5E+300", "1.5e+300"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("2.2250738585072014E-308", "2.2250738585072014e-308"),
        ("100000000000000000000", "1e+20"),
    ] {
        check(text, value);
        check(format!("[{text}]"), &format!("[{value}]"));
    }
    let rows = [
        ("9007199254740993", "9007199254740993"),
        ("-9007199254740993", "-9007199254740993"),
        ("18446744073709551615", "18446744073709551615"),
        ("1152921504606846976", "1152921504606846976"),
        ("0.30000000000000005", "0.30000000000000004"),
        ("0.1000000000000000055", "0.1"),
        ("1e-400", "0.0"),
        ("10e-9223372036854775808", "0.0"),
        ("0.15e-99999999999999999999", "0.0"),
        (r#"{"a":[1,{"b":123456789012345678}]}"#, r#"{"a":[1,{"b":123456789012345678}]}"#),
    ];
    check_ambiguous(&rows, INEXACT);
    for text in ["1e400", "-1e400", "10e9223372036854775807", "1e99999999999999999999"] {
        let fault = said(text.as_bytes());
        assert!(fault.starts_with("unreadable: the document is not JSON: number out of range"), "{text}: {fault}");
    }
}

#[test]
fn no_documents() {
    let not_json = "unreadable: the document is not JSON: ";
    for (bytes, why) in [
        (&b"{"[..], "EOF while parsing an object at line 1 column 1"),
        (b"\"a", "EOF while parsing a string at line 1 column 2"),
        (b"\"a\\", "EOF while parsing a string at line 1 column 3"),
        (b"\"\\ud8", "EOF while parsing a string at line 1 column 5"),
        (b"\"\\u+123\"", "invalid escape at line 1 column 7"),
        (b"}", "expected value at line 1 column 1"),
        (b":", "expected value at line 1 column 1"),
        (b"tru", "EOF while parsing a value at line 1 column 3"),
        (b"truex", "trailing characters at line 1 column 5"),
        (b"01", "invalid number at line 1 column 2"),
        (b"+1", "expected value at line 1 column 1"),
        (b"NaN", "expected value at line 1 column 1"),
        (b"[1,]", "trailing comma at line 1 column 4"),
        (b"{'a':1}", "key must be a string at line 1 column 2"),
        (b"{1:1}", "key must be a string at line 1 column 2"),
        (b"\"\n\"", "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"),
        (b"\"\xff\"", "invalid unicode code point at line 1 column 2"),
        (b"{\"\xc3\x28\":1}", "invalid unicode code point at line 1 column 3"),
        (b"\xed\xa0\x80", "expected value at line 1 column 1"),
        (b"\xef\xbb\xbf{}", "expected value at line 1 column 1"),
    ] {
        check(bytes, &format!("{not_json}{why}"));
    }
    for bytes in ["", " ", "\r\n\t"] {
        check(bytes, "unreadable: the document is empty");
    }
}

#[test]
fn the_first_ambiguity_is_named() {
    check(r#"{"a":1,"a":"\ud800"} 1"#, &format!("{{\"a\":\"\u{fffd}\"}} but {TWICE}"));
    check(r#"["\ud800",9007199254740993]1"#, &format!("[\"\u{fffd}\",9007199254740993] but {LONE}"));
    check("[9007199254740993]1", &format!("[9007199254740993] but {AFTER}"));
}

#[test]
fn depth() {
    let nested = |open: &str, close: &str, count: usize| open.repeat(count) + "1" + &close.repeat(count);
    let too_deep = "unreadable: the document nests deeper than 128 levels";
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        check(nested(open, close, 127), &nested(open, close, 127));
        check(nested(open, close, 128), too_deep);
        check(nested(open, close, 10_000), too_deep);
        assert!(body(nested(open, close, 127)).json().is_ok(), "a body takes what the reader takes");
    }
}

#[test]
fn the_untouched_body_keeps_its_bytes() {
    let text = "{ \"b\" : 1.50,\n\"a\":[ ] } ";
    let mut body = body(text);
    assert_eq!(body.json(), Ok(&json!({"b": 1.5, "a": []})));
    assert_eq!((&*body.to_bytes(), body.ambiguity()), (text.as_bytes(), None));
    body.json_mut().unwrap()["a"] = 1.into();
    assert_eq!(&*body.to_bytes(), br#"{"b":1.5,"a":1}"#);
}

/// A reader that looked at every byte as often as there are bytes would take hours for these.
#[test]
fn hostile_input_takes_linear_time() {
    let started = Instant::now();
    let hostile = ["[", "{", "\"\"", "\\", "1", "\"\\\\", "\"\\ud800", "{\"a\":", "1.", "1e", ":", "-", "\0", "[\"\","];
    for piece in hostile {
        let text = piece.repeat(1_000_000 / piece.len());
        read(text.as_bytes()).0.ok();
        read(format!("\"{text}\"").as_bytes()).0.ok();
        read(format!("[{text}]").as_bytes()).0.ok();
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_large_body_is_read() {
    let item = r#"{"path":"src/main.rs","line":12,"text":"let x = \"1\";"},"#;
    let text = format!("[{}1]", item.repeat(50_000_000 / item.len()));
    let (value, ambiguity) = read(text.as_bytes());
    let count = value.unwrap().as_array().map(Vec::len);
    assert_eq!((count, ambiguity), (Some(50_000_000 / item.len() + 1), None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back(value in samples::documents(exact_numbers())) {
        prop_assert_eq!(read(value.to_string().as_bytes()), (Ok(value.clone()), None));
        prop_assert_eq!(read(format!("{value:#}").as_bytes()), (Ok(value), None));
    }

    #[test]
    fn it_agrees_with_the_usual_parser(text in samples::near_json()) {
        // Where nothing is ambiguous, ours and the usual parser see the same value, or neither sees one.
        let (ours, ambiguity) = read(text.as_bytes());
        if ambiguity.is_none() {
            prop_assert_eq!(ours.ok(), serde_json::from_str::<Value>(&text).ok(), "{}", text);
        }
    }

    #[test]
    fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (value, ambiguity) = read(&bytes);
        prop_assert!(value.is_ok() || ambiguity.is_none());
    }
}
