use super::*;

/// Texts that are made to be slow.
const ADVERSARIAL: [&str; 16] = [
    "key=",
    "token: ",
    "eyJ-",
    "eyJ.",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ0K",
    "ghp_sk-AKIAxoxb-",
    "://a:b",
    "key=\"'\\",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----",
    "[redacted:x] key=",
    "twitter_heroku_=",
    "authorization: bearer ",
    "curl -u a:b ",
    "kind: Secret\ndata:\n",
    "a\nkey=\n",
];

fn work_on(keywords: &Keywords, text: &str) -> f64 {
    let outcome = scan(keywords, &Additions::default(), text, 0..text.len(), 0, &mut Object::default());
    outcome.work as f64 / text.len() as f64
}

#[test]
fn many_rules_at_once_cost_no_more_for_a_longer_text() {
    let keywords = Keywords::new();
    let unit: String = keywords.rules.iter().flat_map(|lazy| lazy.rule.keywords).copied().collect();
    let work = |count: usize| work_on(&keywords, &unit.repeat(count));
    assert!(work(40) <= work(10) * 1.5, "{} then {}", work(10), work(40));
}

#[test]
fn work_grows_no_faster_than_the_text() {
    let keywords = Keywords::new();
    for unit in ADVERSARIAL {
        let work = |size: usize| work_on(&keywords, &unit.repeat(size / unit.len()));
        let (short, long) = (work(1_000), work(100_000));
        assert!(long <= 40.0 && long <= short * 8.0 + 8.0, "{unit:?}: {short} then {long} steps for each byte");
    }
}

#[test]
fn compiled_patterns_find_the_same() {
    let compiled = Keywords::new();
    compiled.rules.iter().for_each(|lazy| lazy.pattern.compile());
    let find = |keywords: &Keywords, text: &str| {
        scan(keywords, &Additions::default(), text, 0..text.len(), 0, &mut Object::default()).found
    };
    let examples: Vec<_> = compiled.rules.iter().map(|lazy| lazy.rule.example.concat()).collect();
    for (number, example) in examples.iter().enumerate() {
        // Fresh ones, lest much work have them compiled.
        let followed = Keywords::new();
        let next = &examples[(number + 1) % examples.len()];
        for text in [example.clone(), format!("key=\"{example}\" {next}"), format!("{example}/{next}:{example}")] {
            assert_eq!(find(&followed, &text), find(&compiled, &text), "{text}");
        }
    }
}
