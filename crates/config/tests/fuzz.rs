//! Whatever a file holds, it is read or its mistakes are shown.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::path::Path;

use proptest::prelude::*;
use tollgate_config::{Diagnostics, File, Layer, PolicyFile, TEMPLATE, combine, pack, pack_names};
use tollgate_rules::form::Date;

/// Everything that may stand in a file, in one.
const WHOLE: &str = include_str!("whole.toml");

fn check(bytes: Vec<u8>) {
    let length = bytes.len();
    let found = match File::of_bytes(Layer::Project, Path::new("tollgate.toml"), bytes) {
        // What is no text is shown with replacements, which are longer.
        Err(mistake) => return shown(&[mistake].into_iter().collect(), length * 3),
        Ok(file) => combine(vec![file], false, Date::of_seconds(0)),
    };
    match found {
        Ok(plan) => shown(&plan.warnings, length),
        Err(wrong) => {
            assert!(wrong.has_errors());
            shown(&wrong, length);
        }
    }
}

fn shown(found: &Diagnostics, length: usize) {
    for one in found.iter() {
        let span = one.span.clone().unwrap_or(0..0);
        assert!(span.start <= span.end && span.end <= length, "{one:?}");
        assert!(one.text.text.get(span).is_some(), "{one:?}");
        assert!(!one.message.is_empty());
    }
    for line in found.to_string().lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.contains(|letter: char| letter.is_control()), "{line:?}");
    }
    let json = serde_json::to_value(found).unwrap();
    assert_eq!(json.as_array().map(Vec::len), Some(found.len()));
    assert_eq!(found.brief().is_empty(), found.is_empty());
    assert!(found.coloured().len() >= found.to_string().len());
}

/// What files are made of.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[[rule]]\n"),
        Just("[tools]\n"),
        Just("[override.\"a/b\"]\n"),
        Just("\n"),
        Just("\r\n"),
        Just(" = "),
        Just("\""),
        Just("'''"),
        Just("\\"),
        Just("{ "),
        Just(" }"),
        Just("["),
        Just("]"),
        Just(", "),
        Just("."),
        Just("#"),
        Just("id"),
        Just("rewrite"),
        Just("effect"),
        Just("any"),
        Just("not"),
        Just("arg"),
        Just("loop"),
        Just("packs.use"),
        Just("1979-05-27"),
        Just("true"),
        Just("-1"),
        Just("1e400"),
        Just("日本"),
        Just("\u{202e}"),
        Just("x = 1\n"),
        Just("deny = \"no\"\n"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn valid() -> impl Strategy<Value = String> {
    let packs = pack_names().into_iter().map(|name| pack(name).unwrap().unwrap().text.text.clone());
    prop::sample::select([WHOLE.to_owned(), TEMPLATE.to_owned()].into_iter().chain(packs).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(bytes);
    }

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        check(text.into_bytes());
    }

    #[test]
    fn any_pieces(text in pieces()) {
        check(text.into_bytes());
    }

    #[test]
    fn a_valid_file_with_a_piece_in_it(text in valid(), piece in pieces(), at in any::<prop::sample::Index>()) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len() + 1);
        bytes.splice(at..at, piece.into_bytes());
        check(bytes);
    }

    #[test]
    fn a_valid_file_with_a_part_missing(text in valid(), at in any::<prop::sample::Index>(), length in 0..300_usize) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes.drain(at..(at + length).min(bytes.len()));
        check(bytes);
    }

    #[test]
    fn a_valid_file_with_another_byte(text in valid(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        check(bytes);
    }
}

#[test]
fn a_file_as_data_is_the_same_file() {
    let form: PolicyFile = toml::from_str(WHOLE).unwrap();
    let json = serde_json::to_value(&form).unwrap();
    assert_eq!(serde_json::from_value::<PolicyFile>(json).unwrap(), form);
    let written = toml::to_string(&form).unwrap();
    assert_eq!(toml::from_str::<PolicyFile>(&written).unwrap(), form, "{written}");
}

#[test]
fn everything_that_may_stand_in_a_file() {
    let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), WHOLE.into()).unwrap();
    let plan = combine(vec![file], false, Date::of_seconds(0)).unwrap_or_else(|found| panic!("{found}"));
    assert!(plan.warnings.is_empty(), "{}", plan.warnings);
}

/// A large file with as many mistakes as fit must not keep anybody waiting; what takes longer for each
/// the more there are would take minutes here.
#[test]
fn a_large_file_of_mistakes() {
    let again = |text: &str| text.repeat((1 << 18) / text.len());
    let rule = "[[rule]]\nid='a'\ntool='x'\ndeny='n'\n";
    let over = "[[exception]]\nrule='shell-safety/disk'\ntool='x'\nuntil=1969-01-01\nreason='r'\n";
    let nothing = "[[exception]]\nrule='egress/x'\ntool='x'\nuntil=2069-01-01\nreason='r'\n";
    for text in ["=\n", "x\n", "[[rule]]\nidd=1\n", "= ", "'", "\"\\q\" ", "[", "{", "a=[1,\n", rule, over, nothing] {
        let large = if text == rule || text == over || text == nothing { 1 << 15 } else { 1 << 18 };
        check(again(text).into_bytes()[..large / text.len() * text.len()].to_vec());
    }
}
