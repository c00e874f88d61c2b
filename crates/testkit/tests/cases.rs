//! Every case in `spec/cases`, through core's pipeline and through the reference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::path::Path;

use tollgate_testkit::{OnCore, OnNaive, Replay, case, check_case};

fn cases() -> Vec<case::Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases");
    case::load_all(&folder).unwrap_or_else(|problem| panic!("{problem}"))
}

fn failures(through: &str, replay: &mut impl Replay) -> Vec<String> {
    let failed = |case: &case::Case| {
        let lines = check_case(case, replay);
        let text = format!("{} through {through} ({}):\n    {}", case.name, case.about, lines.join("\n    "));
        (!lines.is_empty()).then_some(text)
    };
    cases().iter().filter_map(failed).collect()
}

#[test]
fn core_passes_every_case() {
    let failures = failures("core", &mut OnCore);
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_reference_passes_every_case() {
    let failures = failures("the reference", &mut OnNaive);
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn there_are_many_and_each_says_what_for() {
    let cases = cases();
    assert!(cases.len() >= 100, "{} cases", cases.len());
    for case in cases {
        assert!(case.about.ends_with('.'), "{}: `about` is a sentence", case.name);
    }
}
