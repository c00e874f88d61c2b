use super::*;
use crate::rules;
use proptest::prelude::*;

/// What is found step by step, whatever it takes.
fn followed(pattern: &Pattern, text: &[u8]) -> Option<Vec<Range<usize>>> {
    pattern.state().effort.store(usize::MAX, Ordering::Relaxed);
    pattern.follow(text, usize::MAX)
}

fn agree(pattern: &Pattern, text: &[u8]) {
    let searched = pattern.search(text);
    assert_eq!(followed(pattern, text).as_ref(), Some(&searched), "{} on {:?}", pattern.source, text.escape_ascii());
}

fn patterns() -> Vec<Pattern> {
    rules::all().map(|rule| Pattern::new(rule.pattern)).collect()
}

#[test]
fn every_pattern_can_be_followed() {
    for pattern in patterns() {
        assert!(followed(&pattern, b"").is_some(), "{}", pattern.source);
    }
}

#[test]
fn examples_give_the_same_either_way() {
    for (pattern, rule) in patterns().iter().zip(rules::all()) {
        let example = rule.example.concat();
        agree(pattern, example.as_bytes());
        assert!(pattern.is_match(example.as_bytes()), "{}", rule.id);
        for around in [".", "\"", " ", "-", "a", "é", "=", "\n"] {
            agree(pattern, format!("{around}{example}{around}{example}{example}{around}").as_bytes());
        }
        for other in rules::all() {
            agree(pattern, format!("{} {}", other.example.concat(), other.example.concat()).as_bytes());
        }
    }
}

/// Whatever is cut out of an example, doubled in it or put in its place.
#[test]
fn changed_examples_give_the_same_either_way() {
    for (pattern, rule) in patterns().iter().zip(rules::all()) {
        let example = rule.example.concat().into_bytes();
        for at in 0..example.len().min(160) {
            agree(pattern, &[&example[..at], &example[at + 1..]].concat());
            agree(pattern, &[&example[..=at], &example[at..]].concat());
            let strange = b"-_. \"\n=:a0Z\xc3"[at % 12];
            agree(pattern, &[&example[..at], &[strange], &example[at + 1..]].concat());
        }
    }
}

#[test]
fn what_the_rules_do_not_use_is_left_to_the_compiled_pattern() {
    for source in
        [r"a.c", r"[[:alpha:]]", r"(a)(b)", r"[a&&b]", r"\pL", r"a*", r"(?x)a", r"[\.-z]", r"\<a", r"[]a]", r"\Aa"]
    {
        assert_eq!(followed(&Pattern::new(source), b"abc"), None, "{source}");
    }
}

#[test]
fn a_pattern_is_compiled_when_it_has_taken_too_long() {
    let pattern = Pattern::new(r"(?:a+)+b");
    let text = [b"a".repeat(40), b"c aab".to_vec()].concat();
    assert_eq!(pattern.find(&text).first(), Some(&(42..45)));
    assert_eq!(pattern.state().effort.load(Ordering::Relaxed), 0);
    assert!(pattern.state().compiled.get().is_some());
}

/// Texts of pieces of examples, and of what stands around them.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let examples: Vec<String> = rules::all().map(|rule| rule.example.concat()).collect();
    let part = (proptest::sample::select(examples), 0..400_usize, 0..400_usize).prop_map(|(example, from, length)| {
        let from = if from < 200 { 0 } else { from % example.len() };
        example.as_bytes()[from..example.len().min(from + length)].to_vec()
    });
    let piece = prop_oneof![
        4 => part,
        2 => "[ \n\"'\\\\=:,;@<>{}/._$-]{1,3}".prop_map(String::into_bytes),
        2 => "[A-Za-z0-9]{1,40}".prop_map(String::into_bytes),
        1 => "[0-9a-f]{30,66}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_texts_give_the_same_either_way(seed in 0..1000_usize, texts in proptest::collection::vec(text(), 8)) {
        let all: Vec<_> = rules::all().collect();
        for (offset, text) in texts.iter().enumerate() {
            let rule = all[(seed + offset * 37) % all.len()];
            let pattern = Pattern::new(rule.pattern);
            agree(&pattern, text);
            agree(&pattern, &[text, rule.example[0].as_bytes(), rule.example[1].as_bytes(), text].concat());
        }
    }
}
