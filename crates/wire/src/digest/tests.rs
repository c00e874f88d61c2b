use std::collections::HashMap;
use std::fs;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::samples::{documents, exact_numbers, numbers};

fn text(value: &Value) -> String {
    String::from_utf8(canonical(value)).unwrap()
}

/// The table of RFC 8785, appendix B, and the edges of ECMAScript's notation.
#[test]
fn floats() {
    for (bits, expected) in [
        (0x0000000000000000, "0"),
        (0x8000000000000000, "0"),
        (0x0000000000000001, "5e-324"),
        (0x8000000000000001, "-5e-324"),
        (0x7fefffffffffffff, "1.7976931348623157e+308"),
        (0xffefffffffffffff, "-1.7976931348623157e+308"),
        (0x4340000000000000, "9007199254740992"),
        (0xc340000000000000, "-9007199254740992"),
        (0x4430000000000000, "295147905179352830000"),
        (0x44b52d02c7e14af5, "9.999999999999997e+22"),
        (0x44b52d02c7e14af6, "1e+23"),
        (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
        (0x444b1ae4d6e2ef4e, "999999999999999700000"),
        (0x444b1ae4d6e2ef4f, "999999999999999900000"),
        (0x444b1ae4d6e2ef50, "1e+21"),
        (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
        (0x3eb0c6f7a0b5ed8d, "0.000001"),
        (0x41b3de4355555553, "333333333.3333332"),
        (0x41b3de4355555554, "333333333.33333325"),
        (0x41b3de4355555555, "333333333.3333333"),
        (0x41b3de4355555556, "333333333.3333334"),
        (0x41b3de4355555557, "333333333.33333343"),
        (0xbecbf647612f3696, "-0.0000033333333333333333"),
        (0x43143ff3c1cb0959, "1424953923781206.2"),
    ] {
        let float = f64::from_bits(bits);
        assert_eq!(text(&json!(float)), expected, "{float:e}");
    }
}

#[test]
fn whole_numbers() {
    for (number, expected) in [
        (json!(0), "0"),
        (json!(-1), "-1"),
        (json!(1_u64 << 53), "9007199254740992"),
        (json!((1_u64 << 53) + 1), "#9007199254740993"),
        (json!(-(1_i64 << 53) - 1), "#-9007199254740993"),
        (json!((1_u64 << 53) + 2), "9007199254740994"),
        (json!(1_u64 << 60), "1152921504606847000"),
        (json!(1_152_921_504_606_847_000_u64), "#1152921504606847000"),
        (json!(u64::MAX), "#18446744073709551615"),
        (json!(i64::MIN), "-9223372036854776000"),
        (json!(i64::MAX), "#9223372036854775807"),
    ] {
        assert_eq!(text(&number), expected, "{number}");
    }
}

/// The examples of RFC 8785, sections 3.2.2 and 3.2.3, and what else could go wrong.
#[test]
fn documents_of_the_standard() {
    for (source, expected) in [
        (
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
                "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        ),
        (
            r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
                "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#,
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        ),
        (r#""\u0000\u0008\u001f\u007f\u2028<>&""#, "\"\\u0000\\b\\u001f\u{7f}\u{2028}<>&\""),
        (r#"{"b":{"d":1,"c":2},"a":[],"":{}}"#, r#"{"":{},"a":[],"b":{"c":2,"d":1}}"#),
    ] {
        assert_eq!(text(&serde_json::from_str(source).unwrap()), expected, "{source}");
    }
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    value: Value,
    canonical: String,
    sha256: String,
}

/// Other implementations are checked against the same file.
#[test]
fn committed_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/digest.json");
    let vectors: Vec<Vector> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(vectors.len() >= 6);
    for vector in vectors {
        let found = (text(&vector.value), digest(&vector.value).to_string());
        assert_eq!(found, (vector.canonical, vector.sha256), "{}", vector.name);
    }
}

/// Every document that differs from this one in exactly one place, however deep.
fn neighbours(value: &Value) -> Vec<Value> {
    let mut found = vec![if value.is_null() { json!(0) } else { Value::Null }, json!([value])];
    match value {
        Value::Number(number) => found.extend([json!(number.to_string())]),
        Value::String(text) => found.extend([json!(format!("{text}x")), json!({text: null})]),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                found.extend(neighbours(item).into_iter().map(|other| {
                    let mut items = items.clone();
                    items[at] = other;
                    Value::Array(items)
                }));
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let with = |key: String, other: Value| {
                    let mut members = members.clone();
                    members.insert(key, other);
                    Value::Object(members)
                };
                found.extend(neighbours(member).into_iter().map(|other| with(key.clone(), other)));
                found.push(with(format!("{key}\u{10ffff}"), member.clone()));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    found
}

/// The same document with every object's members the other way round.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(reversed).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect())
        }
        other => other.clone(),
    }
}

#[test]
fn the_order_of_lists_counts_at_any_depth() {
    for (one, other) in [
        (json!([1, 2]), json!([2, 1])),
        (json!({"a": ["x", "y"]}), json!({"a": ["y", "x"]})),
        (json!({"a": [{"b": [null, false]}]}), json!({"a": [{"b": [false, null]}]})),
        (json!([[1, 2], [3]]), json!([[3], [1, 2]])),
        (json!([{"a": 1}, {"b": 2}]), json!([{"b": 2}, {"a": 1}])),
    ] {
        assert_ne!(digest(&one), digest(&other), "{one} and {other}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_foreign_implementation_agrees(value in documents(exact_numbers())) {
        prop_assert_eq!(text(&value), serde_json_canonicalizer::to_string(&value).unwrap());
    }

    #[test]
    fn every_difference_counts(value in documents(numbers())) {
        let own = digest(&value);
        for other in neighbours(&value) {
            prop_assert_ne!(digest(&other), own, "{} and {}", &value, &other);
        }
    }

    #[test]
    fn the_order_of_keys_does_not(value in documents(numbers())) {
        prop_assert_eq!(digest(&reversed(&value)), digest(&value));
    }

    #[test]
    fn different_numbers_have_different_forms(numbers in proptest::collection::vec(numbers(), 2..20)) {
        let mut forms: HashMap<String, Number> = HashMap::new();
        for number in numbers {
            let form = text(&Value::Number(number.clone()));
            let first = forms.entry(form).or_insert_with(|| number.clone());
            prop_assert_eq!(first.as_f64(), number.as_f64());
            prop_assert!(first.is_f64() != number.is_f64() || *first == number || number.as_f64() == Some(0.0));
        }
    }
}
