//! What the scanner finds, leaves alone and writes.

use std::borrow::Cow;
use tollgate_secrets::{Custom, Scanner, rules, scanner};

fn found(text: &str) -> Vec<(String, &str)> {
    scanner().find(text).into_iter().map(|found| (found.rule.into_owned(), &text[found.range])).collect()
}

/// Joins parts, so that no scanner takes this file for a leak.
fn join(parts: &[&str]) -> String {
    parts.concat()
}

fn github() -> String {
    join(&["ghp_", "k3Jq9ZtB7LmX0vW2nRc8sYd4HfG6pAe1uKoT"])
}

#[test]
fn every_rule_finds_its_example() {
    for rule in rules::all() {
        let example = rule.example.concat();
        let hits = scanner().find(&example);
        assert!(!hits.is_empty(), "{}: nothing found in {example}", rule.id);
        let redacted = scanner().redact(&example);
        assert!(redacted.contains("[redacted:"), "{}: {redacted}", rule.id);
    }
}

#[test]
fn every_rule_is_reached_by_its_keywords_and_compiles() {
    for rule in rules::all() {
        let example = rule.example.concat();
        let lower = example.to_ascii_lowercase();
        let named = rule.keywords.iter().any(|word| lower.contains(&word.to_ascii_lowercase()));
        assert!(named, "{}: no keyword in {example}", rule.id);
        let regex = regex::bytes::RegexBuilder::new(rule.pattern).unicode(false).build();
        assert!(regex.is_ok_and(|regex| regex.is_match(example.as_bytes())), "{}", rule.id);
        assert!(rule.least <= example.len(), "{}", rule.id);
    }
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names: Vec<_> = rules::all().map(|rule| rule.id).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(
        names
            .iter()
            .all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'))
    );
}

#[test]
fn the_usual_tokens_are_taken_out() {
    let tokens = [
        github(),
        join(&["github_pat_", "11ABCDEFG0q9ZtB7LmX0vW_2nRc8sYd4HfG6pAe1uKoTk3Jq9ZtB7LmX0vW2nRc8sYd4HfG6pAe1uKoTx"]),
        join(&["ghs_", "k3Jq9ZtB7LmX0vW2nRc8sYd4HfG6pAe1uKoT"]),
        join(&["v1.", "9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c9a0b2d4f6e"]),
        join(&["AKIA", "QW3RT8ZX51LMNB7K"]),
    ];
    for token in &tokens {
        let text = format!("before {token} after");
        let redacted = scanner().redact(&text);
        assert!(
            !redacted.contains(token) && redacted.starts_with("before [redacted:") && redacted.ends_with("] after"),
            "{redacted}"
        );
    }
    let text = tokens.join("\n");
    assert_eq!(scanner().find(&text).len(), tokens.len());
}

#[test]
fn named_values_are_taken_out() {
    assert_eq!(scanner().redact("/a?key=q8Zr2LmX0vBnT4wYc1"), "/a?key=[redacted:generic-secret]");
    assert_eq!(scanner().redact("token=q8Zr2LmX0vBn"), "token=[redacted:generic-secret]");
    assert_eq!(scanner().redact("password: 'cor7ect!horse'"), "password: '[redacted:password]'");
    assert_eq!(scanner().redact("--api-key q8Zr2LmX0vBnT4wYc1 run"), "--api-key [redacted:generic-secret] run");
}

#[test]
fn what_is_found_stays_the_same_when_patterns_are_compiled() {
    let own = Scanner::with(Vec::new(), Vec::new()).unwrap();
    let text = format!("a {} b password=tR8!kq0Zx", github());
    // After some thousand steps a pattern is compiled.
    for _ in 0..2_000 {
        assert_eq!(own.redact(&text), "a [redacted:github-token] b password=[redacted:password]");
        assert_eq!(found(&text).len(), 2);
    }
}

#[test]
fn the_longest_match_wins() {
    let token = github();
    let text = format!("token={token}");
    assert_eq!(found(&text), [("github-token".to_owned(), token.as_str())]);
    let custom = Custom { id: "wide".into(), pattern: "x-ghp_[A-Za-z0-9]+-x".into() };
    let wide = Scanner::with(vec![custom], Vec::new()).unwrap();
    assert_eq!(wide.redact(&format!("<x-{token}-x>")), "<[redacted:wide]>");
}

#[test]
fn offsets_are_those_of_the_text() {
    let token = github();
    let text = format!("Schlüssel für „Größe“: {token} — ✓ {token}");
    for hit in scanner().find(&text) {
        assert_eq!(&text[hit.range], token);
    }
    assert_eq!(scanner().find(&text).len(), 2);
}

#[test]
fn digests_and_identifiers_are_not_secrets() {
    let texts = [
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709  empty.txt",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
        "request 0f8fad5b-d9cb-469f-a165-70867728950e failed",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "clientId: 0f8fad5b-d9cb-469f-a165-70867728950e",
        "public_key = \"MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE\"",
        "cache_key: da39a3ee5e6b4b0d3255bfef95601890afd80709",
    ];
    for text in texts {
        assert!(matches!(scanner().redact(text), Cow::Borrowed(_)), "{text}: {:?}", scanner().find(text));
    }
}

#[test]
fn what_stands_in_a_made_up_placeholder_is_searched() {
    let token = concat!("ghp_", "0123456789abcdefABCDEF0123456789abcd");
    for text in [format!("x [redacted:{token}] y"), format!("[redacted:token={token}"), format!("[redacted: {token}]")]
    {
        let redacted = scanner().redact(&text);
        assert!(!redacted.contains(token), "{redacted}");
        assert_eq!(scanner().redact(&redacted), redacted);
    }
}

#[test]
fn placeholders_and_variables_are_not_secrets() {
    let texts = [
        "password = ${DB_PASSWORD}",
        "api_key: <your-api-key>",
        "token = os.environ[\"API_TOKEN\"]",
        "secret: {{ .Values.secret }}",
        "PASSWORD=changeme",
        "token=xxxxxxxxxxxxxxxxxxxx",
        "password: String",
        "https://user:${PASSWORD}@host/",
        "AKIAQW3RT8ZX5EXAMPLE",
        "let tokens = tokenizer.tokenize(input);",
        "auth = authenticate(user_name, options)",
    ];
    for text in texts {
        assert!(scanner().find(text).is_empty(), "{text}: {:?}", scanner().find(text));
    }
}

#[test]
fn json_text_stays_json() {
    let token = github();
    let body = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";
    let key = format!("-----BEGIN PRIVATE KEY-----\n{body}\n{body}\n-----END PRIVATE KEY-----\n");
    let document = serde_json::json!({
        "password": "a\"b\\c1!d2e3", "lines": ["-----BEGIN PRIVATE KEY-----", body, body, "-----END PRIVATE KEY-----"],
        "nested": format!("{{\"token\": \"{token}\"}}\n{token}\t{token}"), "private_key": key, "api_key": 12345678901234567_u64,
    });
    for json in
        [document.to_string(), format!("{document:#}"), serde_json::Value::from(document.to_string()).to_string()]
    {
        let redacted = scanner().redact(&json);
        assert!(serde_json::from_str::<serde_json::Value>(&redacted).is_ok(), "{redacted}");
        assert!(!redacted.contains(&token) && !redacted.contains(body), "{redacted}");
        assert_eq!(scanner().redact(&redacted), redacted);
    }
}

#[test]
fn an_address_loses_its_password_only() {
    assert_eq!(
        scanner().redact("DATABASE_URL=mysql://app:u7Rw-p2x@db.internal:3306/main"),
        "DATABASE_URL=mysql://app:[redacted:url-password]@db.internal:3306/main"
    );
}

#[test]
fn ten_kilobytes_of_noise_are_handled() {
    let units =
        ["key=", "token=\"", "ghp_", "AKIA", "eyJ.", "://a:", "-----BEGIN PRIVATE KEY-----", "password: ", "\\\"", "A"];
    for unit in units {
        let text = unit.repeat(10_000 / unit.len());
        let redacted = scanner().redact(&text).into_owned();
        assert_eq!(scanner().redact(&redacted), redacted);
    }
}

#[test]
fn a_secret_in_noise_is_still_found() {
    let token = github();
    for noise in ["key= ", "token: ", "eyJ. ", "curl -u x:y "] {
        let text = format!("{}{token} {}", noise.repeat(2_000), noise.repeat(2_000));
        assert!(!scanner().redact(&text).contains(&token), "{noise}");
    }
}

#[test]
fn a_long_key_block_does_not_get_out() {
    let body = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n".repeat(3_000);
    let text =
        format!("first\nx: -----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY----- {}\nlast", github());
    let expected = "first\nx: [redacted:private-key] [redacted:github-token]\nlast";
    assert_eq!(scanner().redact(&text), expected);
    for size in [1, 7, 64, 65, 1_000, 70_000] {
        let mut stream = scanner().stream();
        let mut out: String = text.as_bytes().chunks(size).map(|chunk| stream.push_bytes(chunk)).collect();
        out += &stream.finish();
        assert_eq!(out, expected, "chunks of {size}");
    }
}

#[test]
fn a_long_line_is_cut_the_same_way_for_every_chunking() {
    let token = github();
    for filler in ["word ", "abc,", "QWxh"] {
        let text = format!("{}{token} {}", filler.repeat(40_000), filler.repeat(40_000));
        let whole = scanner().redact(&text).into_owned();
        for size in [1_000, 65_536, 65_537] {
            let mut stream = scanner().stream();
            let mut out: String = text.as_bytes().chunks(size).map(|chunk| stream.push_bytes(chunk)).collect();
            out += &stream.finish();
            assert_eq!(out, whole, "{filler} in chunks of {size}");
        }
    }
}

#[test]
fn debug_output_shows_no_secret() {
    let token = github();
    let scanner = Scanner::with(Vec::new(), vec![token.clone()]).unwrap();
    let mut stream = scanner.stream();
    let held = stream.push(&token);
    let shown = format!("{scanner:?} {stream:?} {:?} {held}", scanner.find(&token));
    assert!(!shown.contains(&token[4..]), "{shown}");
}

#[test]
fn known_values_are_hidden_in_json_form_too() {
    let scanner = Scanner::with(Vec::new(), vec!["pa\"ss\\word".into()]).unwrap();
    let json = serde_json::json!({"note": "it is pa\"ss\\word."}).to_string();
    assert_eq!(scanner.redact(&json), "{\"note\":\"it is [redacted:known-value].\"}");
}

#[test]
fn no_escape_is_torn_apart() {
    for (pattern, text, expected) in [
        (r"hidden\\", r"a hidden\nb", r"a [redacted:own]\nb"),
        (r"hidden\\\\", r"a hidden\\nb", r"a [redacted:own]nb"),
        (r"hidden\\u00", r"a hidden\u00e9b", r"a [redacted:own]\u00e9b"),
        (r"hidden\\\\u00", r"a hidden\\u00e9b", r"a [redacted:own]e9b"),
        (r"hidden\\u00", r"a hidden\u00xyb", r"a [redacted:own]xyb"),
        (r"hidden\\u00e9", r"a hidden\u00e9b", r"a [redacted:own]b"),
        (r"nhidden", r"a\nhidden b", r"a\n[redacted:own] b"),
        (r"nhidden", r"a\\nhidden b", r"a\\[redacted:own] b"),
        (r"u00e9hidden", r"a\u00e9hidden b", r"a\u00e9[redacted:own] b"),
        (r"00e9hidden", r"a\u00e9hidden b", r"a\u00e9[redacted:own] b"),
        (r"9hidden", r"a\u00e9hidden b", r"a\u00e9[redacted:own] b"),
        (r"9hidden", r"a\\u00e9hidden b", r"a\\u00e[redacted:own] b"),
        (r"9hidden", r"a\u0e9hidden b", r"a\u0e[redacted:own] b"),
    ] {
        let own = Custom { id: "own".to_owned(), pattern: pattern.to_owned() };
        let scanner = Scanner::with(vec![own], Vec::new()).unwrap();
        assert_eq!(scanner.redact(text), expected, "{pattern} in {text}");
    }
}

/// The lines of a made-up key.
const BODY: &str = "MHcCAQEEIK9vXq2LmT0wYb4RzJ7cNdE1uPfG8hSa5oVkQi3xB6rZoAoGCCqGSM49";

fn in_chunks(text: &str, size: usize) -> String {
    let mut stream = scanner().stream();
    let mut out: String = text.as_bytes().chunks(size).map(|chunk| stream.push_bytes(chunk)).collect();
    out += &stream.finish();
    out
}

#[test]
fn damaged_and_chained_key_blocks_are_hidden_for_every_chunking() {
    let begin = "-----BEGIN EC PRIVATE KEY-----";
    let end = "-----END EC PRIVATE KEY-----";
    let texts = [
        format!("{begin}\n{BODY}\n-----END EC PRIV; {begin}\n{BODY}\n{end}\n"),
        format!("{begin}\n{BODY}-END `x` \"{begin}\n{BODY}\n{end}\" {begin}\n{BODY}"),
        format!("{begin}{begin}\n{BODY}\n{end}{begin}\n{BODY}\n-----END"),
        format!("{begin}\n{BODY}\n-----END EC PRIVATE KEY---------BEGIN EC PRIVATE KEY-----\n{BODY}\n"),
        format!("-----BEGIN EC PRIVATE KEY---------BEGIN EC PRIVATE KEY-----\n{BODY}\n{end}\n"),
        format!("-----BEGIN_EC PRIVATE KEY-----\n{BODY}\n-----END_EC PRIVATE KEY-----\n"),
        format!("{begin}\nNote: {begin}\n{BODY}\n{end}\n"),
        format!("password=tR8!kq0Zx {begin}\n{BODY}\n{end} {begin}\n\n\n{BODY}\n-----END`\n{begin}\n{BODY}\n"),
        format!("{begin}\n{BODY}\nb\"{begin}\n{BODY}\n{end}\"\n").repeat(3),
    ];
    for text in texts {
        let whole = scanner().redact(&text).into_owned();
        assert!(!whole.contains(BODY), "{whole}");
        for size in 1..80 {
            assert_eq!(in_chunks(&text, size), whole, "{text:?} in chunks of {size}");
        }
    }
}

#[test]
fn a_line_is_judged_alike_alone_and_with_the_lines_before_it() {
    let texts = [
        "SECRET_SKIAQWERTYUIOPASDFGH\nSECRETACCESSKEY=JXU_KEY=XUERTYUIOPASDFGH\n",
        "ESSKEY_CsIAQWERTYUIOPASDFGH\nKEYKEYKEYKEY_rKIAQWERTYUIOPASDFGH\n",
        "ACCESS_KEYAQWERTYUIOPASDFGH\nSECRETACCESSECRETACCESS_KEYAQWERTYUIOPASDFGH\n",
    ];
    for text in texts {
        let whole = scanner().redact(text).into_owned();
        for size in 1..80 {
            assert_eq!(in_chunks(text, size), whole, "{text:?} in chunks of {size}");
        }
    }
}

#[test]
fn long_blocks_and_long_lines_are_cut_the_same_way_for_every_chunking() {
    let begin = "-----BEGIN PRIVATE KEY-----";
    let quoted = format!("\"{BODY}\",\n").repeat(1_200);
    let escaped = format!("{BODY}\\n").repeat(1_200);
    let texts = [
        format!("a = [\"{begin}\",\n{quoted}\"-----END PRIVATE KEY-----\"] {begin}\n{BODY}\n"),
        format!("{{\"key\": \"{begin}\\n{escaped}-----END PRIVATE KEY-----\\n\", \"b\": \"{begin}\\n{BODY}\\n\"}}\n"),
        format!("{begin}\n{}{BODY}\n", "\n".repeat(70_000)),
        format!("{begin}\n{BODY}\n{}last {begin}\n{BODY}", "\n".repeat(140_000)),
        format!("{}{begin} {BODY} {}", "x ".repeat((1 << 15) - 6), "x ".repeat(70_000)),
    ];
    for (index, text) in texts.iter().enumerate() {
        let whole = scanner().redact(text).into_owned();
        assert!(index == 2 || !whole.contains(BODY), "text {index}");
        for size in [61, 4_096, 65_536, 65_537] {
            assert!(in_chunks(text, size) == whole, "text {index} in chunks of {size}");
        }
    }
}

#[test]
fn a_key_within_an_object_does_not_end_it() {
    let text = format!(
        "kind: Secret\nstringData:\n  a: \"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n-----END PRIVATE KEY-----\\n\"\n  b: cTh6UjJsTXgw\n"
    );
    assert!(!scanner().redact(&text).contains("cTh6UjJsTXgw"));
}

/// Whether a token of this shape begins with letters that say what it is.
fn begins_with_its_name(rule: &rules::Rule) -> bool {
    let shape = rule.pattern.trim_start_matches('(').strip_prefix(r"\b");
    let starts =
        rule.keywords.iter().any(|word| rule.example.concat().to_lowercase().starts_with(&word.to_lowercase()));
    shape.is_some() && starts && rule.span == rules::Span::Run
}

#[test]
fn a_token_within_a_longer_name_is_found() {
    let (mut count, mut missed) = (0, Vec::new());
    for rule in rules::all().filter(|rule| begins_with_its_name(rule)) {
        let token = rule.example.concat();
        // These are words, too: a name like `unit_test_…` is no token.
        let ordinary = ["aio_", "api_", "ico-", "ion_", "key-", "live_", "secret_", "test_"]
            .iter()
            .any(|word| token.starts_with(word));
        let parted = [("mcp__", "__x"), ("X__", ""), ("X_", ""), ("a-b_", " c"), ("see x/_", "")];
        for (before, after) in &parted[..if ordinary { 2 } else { 5 }] {
            let redacted = scanner().redact(&format!("{before}{token}{after}")).into_owned();
            missed.extend(redacted.contains(rule.example[1]).then(|| format!("{}: {redacted}", rule.id)));
        }
        count += 1;
    }
    assert!(missed.is_empty() && count > 100, "{count}: {missed:#?}");
    // The starts of these say enough by themselves.
    for start in ["ghp_", "github_pat_", "npm_", "glpat-", "xoxb-"] {
        let rule = rules::all().find(|rule| rule.example.concat().starts_with(start)).unwrap();
        let redacted = scanner().redact(&format!("see Me{}", rule.example.concat())).into_owned();
        assert_eq!(redacted, format!("see Me[redacted:{}]", rule.id));
    }
}

#[test]
fn words_that_end_like_the_start_of_a_token_are_not_secrets() {
    for text in [
        "task-0f8fad5bd9cb469fa16570867728950e",
        "disk-0f8fad5bd9cb469fa16570867728950e",
        "the_task_0f8fad5bd9cb469fa16570867728950e0f8fad5bd9cb469f",
        "core_settings_loadedFromTheDisk",
        "mcp__github__list_pull_requests_of_a_repository",
        "transaction_0123456789abcdefghijklmnopqrstuvwxyzABCDEF",
    ] {
        assert_eq!(scanner().redact(text), text);
    }
}
