//! Made-up documents for the property tests.

use proptest::prelude::*;
use serde_json::{Map, Number, Value};

/// Numbers that a 64-bit float holds exactly, and that print as such.
pub(crate) fn exact_numbers() -> impl Strategy<Value = Number> + Clone + use<> {
    const LARGEST: i64 = 1 << 53;
    let float = any::<f64>().prop_filter_map("JSON has finite numbers only", Number::from_f64);
    prop_oneof![(-LARGEST..=LARGEST).prop_map(Number::from), (-9_i64..9).prop_map(Number::from), float]
}

/// Any number a document can hold.
pub(crate) fn numbers() -> impl Strategy<Value = Number> + Clone + use<> {
    prop_oneof![exact_numbers(), any::<i64>().prop_map(Number::from), any::<u64>().prop_map(Number::from)]
}

/// Text that is short, and often odd.
pub(crate) fn texts() -> impl Strategy<Value = String> + Clone + use<> {
    prop_oneof!["[ab/~]{0,2}", "[a\"\\\\\u{0}-\u{1f}\u{7f}é\u{ff61}\u{fffd}😀]{0,4}", any::<String>()]
}

/// Documents of lists and objects over these numbers.
pub(crate) fn documents(numbers: impl Strategy<Value = Number> + Clone + 'static) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers.prop_map(Value::Number),
        texts().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let members = proptest::collection::vec((texts(), inner.clone()), 0..5);
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::Array),
            members.prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// Text made of JSON's pieces, most often not JSON.
pub(crate) fn near_json() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        " ",
        "\"",
        "\"a\"",
        "\"\\u0061\"",
        "1",
        "-",
        "0.1",
        "1e5",
        "9007199254740993",
        "true",
        "null",
        "\\",
        "\\u",
        "d800",
        "\\udc00",
        "\u{feff}",
        "{\"a\":",
        "[1,",
        "\n",
    ];
    proptest::collection::vec(proptest::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.concat())
}
