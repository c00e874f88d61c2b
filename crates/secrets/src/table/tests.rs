use super::*;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The same keywords in an automaton, with what each of its patterns announces.
struct Automaton {
    automaton: AhoCorasick,
    announced: Vec<Vec<(&'static str, Sign)>>,
}

static AUTOMATON: LazyLock<Automaton> = LazyLock::new(|| {
    let mut words: BTreeMap<String, Vec<(&str, Sign)>> = BTreeMap::new();
    for (word, sign) in ANNOUNCED {
        words.entry(word.to_ascii_lowercase()).or_default().push((word, sign));
    }
    let (words, announced): (Vec<_>, Vec<_>) = words.into_iter().unzip();
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::DFA));
    Automaton { automaton: builder.build(&words).unwrap(), announced }
});

fn by_automaton(text: &[u8]) -> Vec<(Range<usize>, Sign)> {
    let mut all = Vec::new();
    for hit in AUTOMATON.automaton.find_overlapping_iter(text) {
        for &(word, sign) in &AUTOMATON.announced[hit.pattern().as_usize()] {
            let exact = word.bytes().any(|byte| byte.is_ascii_uppercase());
            if !exact || &text[hit.range()] == word.as_bytes() {
                all.push((hit.range(), sign));
            }
        }
    }
    all
}

fn by_table(text: &[u8]) -> Vec<(Range<usize>, Sign)> {
    let mut all = Vec::new();
    each_keyword(text, |word, sign| all.push((word, sign)));
    all
}

/// Pieces of keywords, in their own case and in others, and what may stand between them.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let part = (0..COUNT, any::<[bool; 3]>(), 0..30_usize, 0..30_usize).prop_map(
        |(number, [upper, lower, cut], from, length)| {
            let mut word = ANNOUNCED[number].0.as_bytes().to_vec();
            match (upper, lower) {
                (true, false) => word.make_ascii_uppercase(),
                (false, true) => word.make_ascii_lowercase(),
                _ => {}
            }
            let from = if cut { from % word.len() } else { 0 };
            let end = if cut { word.len().min(from + length) } else { word.len() };
            word[from..end].to_vec()
        },
    );
    prop_oneof![
        6 => part,
        1 => proptest::sample::select(vec![" ", "_", "-", "s", "p", "a", "k", "\n", "é"]).prop_map(|text| text.into()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ]
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(512);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_table_gives_what_an_automaton_gives(pieces in proptest::collection::vec(piece(), 0..24)) {
        let text = pieces.concat();
        prop_assert_eq!(by_table(&text), by_automaton(&text));
    }
}

#[test]
fn every_keyword_is_found_alone_and_next_to_every_other() {
    for (word, sign) in ANNOUNCED {
        assert!(by_table(word.as_bytes()).contains(&(0..word.len(), sign)), "{word}");
        for (other, _) in ANNOUNCED {
            let text = [word.as_bytes(), other.as_bytes()].concat();
            assert_eq!(by_table(&text), by_automaton(&text), "{word}{other}");
        }
    }
}

#[test]
fn examples_of_rules_give_the_same_keywords() {
    for rule in crate::rules::all() {
        let example = rule.example.concat();
        for text in [example.to_uppercase(), example.to_lowercase(), example] {
            assert_eq!(by_table(text.as_bytes()), by_automaton(text.as_bytes()), "{}", rule.id);
        }
    }
}

/// A sign outside of the classes would be lost among all that no keyword holds.
#[test]
fn each_byte_of_a_keyword_has_a_class() {
    for (word, _) in ANNOUNCED {
        assert!(word.len() >= 2 && word.bytes().all(|byte| byte == b'[' || class_of(byte) > 0), "{word}");
    }
}

/// Long chains would make dense text slow.
#[test]
fn chains_are_short() {
    let length = |head: u16| {
        std::iter::successors(Some(head), |&at| (at > 0).then(|| TABLE.keywords[usize::from(at) - 1].next)).count() - 1
    };
    assert!(TABLE.heads.iter().all(|&head| head == 0 || length(head) <= 24));
}
