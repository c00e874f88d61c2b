//! What must hold for every text. `PROPTEST_CASES` sets how many are drawn.

use proptest::prelude::*;
use tollgate_secrets::{Custom, Scanner, rules, scanner};

/// Texts of secrets (made up), of what surrounds them, and of anything.
fn piece() -> impl Strategy<Value = String> {
    let examples: Vec<String> = rules::all().map(|rule| rule.example.concat()).collect();
    prop_oneof![
        4 => proptest::sample::select(examples),
        2 => Just("-----BEGIN RSA PRIVATE KEY-----\n".to_owned()),
        2 => Just("MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n".to_owned()),
        1 => Just("-----END RSA PRIVATE KEY-----".to_owned()),
        1 => Just("kind: Secret\ndata:\n  user: YWRtaW46cHdwd3B3\n".to_owned()),
        3 => "[a-zA-Z_]{0,8}(key|token|secret|password|auth)[\"' ]{0,2}(=|:|:=|=>| |>)[\"' \n]{0,2}[A-Za-z0-9+/!$._-]{0,40}[\"']?",
        3 => "[ \n\"'\\\\=:,;@<>{}\\[\\]/.-]{1,4}",
        2 => "[a-z ]{0,30}",
        2 => "\\PC{0,20}",
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Cuts a text where the numbers say.
fn cut<'t>(text: &'t [u8], cuts: &[usize]) -> Vec<&'t [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn findings_are_in_order_and_on_boundaries(text in text()) {
        let mut end = 0;
        for found in scanner().find(&text) {
            prop_assert!(found.range.start >= end && found.range.start < found.range.end);
            prop_assert!(text.get(found.range.clone()).is_some());
            end = found.range.end;
        }
    }

    #[test]
    fn redacted_text_stays_as_it_is(text in text()) {
        let once = scanner().redact(&text).into_owned();
        prop_assert_eq!(scanner().redact(&once).into_owned(), once);
    }

    #[test]
    fn chunks_do_not_matter(text in text(), cuts in proptest::collection::vec(any::<usize>(), 0..10)) {
        let mut stream = scanner().stream();
        let mut out = String::new();
        for chunk in cut(text.as_bytes(), &cuts) {
            out += &stream.push_bytes(chunk);
        }
        out += &stream.finish();
        prop_assert_eq!(out, scanner().redact(&text).into_owned());
    }

    #[test]
    fn single_bytes_do_not_matter(text in text()) {
        let mut stream = scanner().stream();
        let mut out: String = text.as_bytes().iter().map(|byte| stream.push_bytes(&[*byte])).collect();
        out += &stream.finish();
        prop_assert_eq!(out, scanner().redact(&text).into_owned());
    }

    #[test]
    fn broken_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200), cuts in proptest::collection::vec(any::<usize>(), 0..4)) {
        let mut stream = scanner().stream();
        let mut out: String = cut(&bytes, &cuts).into_iter().map(|chunk| stream.push_bytes(chunk)).collect();
        out += &stream.finish();
        prop_assert_eq!(out, scanner().redact(&String::from_utf8_lossy(&bytes)).into_owned());
    }

    #[test]
    fn json_stays_json(texts in proptest::collection::vec(text(), 0..5), names in proptest::collection::vec("[a-z_]{1,6}(key|token|password)?", 5), pretty: bool) {
        let members = names.into_iter().zip(texts).map(|(name, text)| (name, serde_json::Value::from(text)));
        let inner = serde_json::Value::Object(members.collect());
        let document = serde_json::json!({"number_token": 1234567890123456_u64, "nested": inner.to_string(), "inner": inner});
        let json = if pretty { format!("{document:#}") } else { document.to_string() };
        let redacted = scanner().redact(&json).into_owned();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&redacted).is_ok(), "{redacted}");
        let mut document = document;
        scanner().redact_json(&mut document);
        prop_assert_eq!(scanner().redact_json(&mut document), 0);
    }

    #[test]
    fn known_values_never_get_out(value in "[!-~]{8,20}", before in text(), after in text(), cuts in proptest::collection::vec(any::<usize>(), 0..6)) {
        let custom = vec![Custom { id: "digits".into(), pattern: "[0-9]{6}".into() }];
        let scanner = Scanner::with(custom, vec![value.clone()]).unwrap();
        let text = format!("{before} {value} {after}");
        let mut stream = scanner.stream();
        let mut out: String = cut(text.as_bytes(), &cuts).into_iter().map(|chunk| stream.push_bytes(chunk)).collect();
        out += &stream.finish();
        prop_assert_eq!(&out, &scanner.redact(&text).into_owned());
        prop_assert_eq!(scanner.redact(&out).into_owned(), out.clone());
        prop_assert!(!out.contains(&value) || "[redacted:known-value]".contains(&value), "{out}");
    }
}
