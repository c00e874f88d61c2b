use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;
use tollgate_secrets::rules;

use super::*;

fn check(value: &Value, limit: usize, expected: &Value) {
    let kept = document(value, limit);
    assert_eq!(kept, *expected, "{limit} bytes of {value:.100}");
    assert!(size(&kept, limit) <= limit);
    assert_eq!(document(&kept, limit), kept);
}

#[test]
fn what_fits_is_kept_without_credentials() {
    for (value, expected) in [
        (
            json!({"command": "ls -la", "n": [1, 2.5, null, true]}),
            json!({"command": "ls -la", "n": [1, 2.5, null, true]}),
        ),
        (json!({"password": "hunter2hunter2"}), json!({"password": "[redacted:password]"})),
        (json!({"AKIAQW3RT8ZX51LMNB7K": 1}), json!({"[redacted:aws-access-key-id]": 1})),
        (json!("token=q8Zr2LmX0vBn"), json!("token=[redacted:generic-secret]")),
    ] {
        check(&value, 1000, &expected);
    }
}

#[test]
fn what_does_not_fit_says_how_much_is_missing() {
    let long = "x y ".repeat(1000);
    let numbers: Map<_, _> = (0..500).map(|number| (number.to_string(), json!(number))).collect();
    let values = [
        json!(long),
        // What comes behind a long text is kept, too.
        json!({"content": long, "path": "a.txt"}),
        json!([long, [long, 1], 2]),
        json!({ long.clone(): 1 }),
        json!(vec!["abc"; 500]),
        json!(numbers),
    ];
    let lines: Vec<String> = values
        .iter()
        .map(|value| {
            let kept = document(value, 400);
            check(value, 400, &kept);
            kept.to_string()
        })
        .collect();
    expect![[r#"
        "x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y … [3664 bytes left out]"
        {"content":"x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x… [3903 bytes left out]","path":"a.txt"}
        ["x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x … [3898 bytes left out]",["… [2 items left out]"],2]
        {"x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x y x … [3930 bytes left out]":1}
        ["abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","abc","… [455 items left out]"]
        {"0":0,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10,"11":11,"12":12,"13":13,"14":14,"15":15,"16":16,"17":17,"18":18,"19":19,"20":20,"21":21,"22":22,"23":23,"24":24,"25":25,"26":26,"27":27,"28":28,"…":"[471 members left out]"}"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn a_placeholder_is_not_torn() {
    for blanks in 100..260 {
        let text = format!("{} token=q8Zr2LmX0vBnT4wYc1 {}", "a ".repeat(blanks / 2), "b ".repeat(400));
        let kept = super::text(&text, 300);
        assert!(!kept.contains("q8Zr2") && !kept.contains("[redacted:generic-secre…"), "{kept}");
    }
}

#[test]
fn sizes_are_those_of_the_canonical_form() {
    for value in [
        json!(null),
        json!([true, false, 0, -1, 9, 10, 1_000_000, -999]),
        json!({"a\"b": "\n\u{1}é…", "": {}}),
        json!("\u{8}\u{c}\r\t\\"),
        json!([[], {}, [[1]]]),
    ] {
        assert_eq!(size(&value, usize::MAX), tollgate_wire::canonical(&value).len(), "{value}");
    }
    for number in [json!(u64::MAX), json!(i64::MIN), json!(-1.234_567_890_123_456_7e-6), json!(1.5e300), json!(-1e20)] {
        assert!(size(&number, 100) >= number.to_string().len() + 2, "{number}");
    }
}

/// Texts of credentials (made up), each with what is secret in it.
fn samples() -> Vec<(String, String)> {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----";
    let mut texts: Vec<String> = rules::all().map(|rule| rule.example.concat()).collect();
    texts.extend([key.to_owned(), "DB_PASSWORD='k9#mQz!2vb7Tq'".to_owned()]);
    let secret = |text: String| {
        let found = scanner().find(&text).into_iter().max_by_key(|found| found.range.len())?;
        let secret = text[found.range].to_owned();
        Some((text, secret))
    };
    texts.into_iter().filter_map(secret).filter(|(_, secret)| secret.len() >= 12).collect()
}

/// The longest part of a credential that shows, if it has 12 bytes or more.
fn shows(secret: &str, kept: &str) -> bool {
    secret.as_bytes().windows(12).filter_map(|part| std::str::from_utf8(part).ok()).any(|part| kept.contains(part))
}

fn filler() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,40}", "([a-z]{1,9} ){0,60}", "([a-z]{1,5}\n){0,100}", "[\"\\\\\u{e9}\n\u{1}]{0,30}"]
}

/// Documents of the parts given, in all sorts of places.
fn tree(leaf: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::vec(("[a-z_]{0,12}(key|token|\n)?", inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_document() -> impl Strategy<Value = Value> {
    let texts: Vec<String> = samples().into_iter().map(|(text, _)| text).collect();
    let sample = (filler(), proptest::sample::select(texts), filler(), 1..40_usize)
        .prop_map(|(before, text, after, times)| Value::from(format!("{before} {text} {after}").repeat(times)));
    let leaf = prop_oneof![
        2 => sample,
        2 => filler().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    tree(leaf)
}

proptest! {
    #[test]
    fn it_stays_within_the_limit_and_as_it_is(value in any_document(), limit in LEAST..5000_usize) {
        let kept = document(&value, limit);
        prop_assert!(tollgate_wire::canonical(&kept).len() <= limit, "{kept}");
        prop_assert_eq!(document(&kept, limit), kept);
    }

    #[test]
    fn no_credential_shows_wherever_it_is_cut(
        (text, secret) in proptest::sample::select(samples()),
        before in 0..3000_usize,
        after in 0..3000_usize,
        lines: bool,
        limit in LEAST..3000_usize,
    ) {
        let fill = if lines { "lorem ip\n" } else { "lorem ip " };
        let fill = |count: usize| fill.repeat(count / 9);
        let whole = format!("{}{text}\n{}", fill(before), fill(after));
        prop_assume!(!shows(&secret, &scanner().redact(&whole)));
        for value in [
            json!(whole),
            json!({ "a": "b", "content": whole, "z": [whole] }),
            json!({ whole.clone(): whole }),
        ] {
            let kept = document(&value, limit).to_string();
            prop_assert!(!shows(&secret, &kept), "{kept}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Long lines are redacted piece by piece, and the redactor holds back what it is not sure of.
    #[test]
    fn no_credential_shows_in_a_long_line_or_text(
        (text, secret) in proptest::sample::select(samples()),
        before in 0..200_000_usize,
        after in 0..200_000_usize,
        lines: bool,
        limit in 60_000..70_000_usize,
    ) {
        let fill = if lines { "lorem ip\n" } else { "lorem ip " };
        let whole = format!("{}{text}\n{}", fill.repeat(before / 9), fill.repeat(after / 9));
        prop_assume!(!shows(&secret, &scanner().redact(&whole)));
        let kept = super::text(&whole, limit);
        prop_assert!(!shows(&secret, &kept));
        prop_assert_eq!(super::text(&kept, limit), kept);
    }
}
