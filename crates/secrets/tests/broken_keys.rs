//! Keys that are unfinished or broken, and what stands next to them. What the first pass leaves, the second must leave.

use tollgate_secrets::scanner;

const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";
/// A line of a made-up key.
const BODY: &str = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";
const HIDDEN: &str = "[redacted:private-key]";

fn in_chunks(text: &str, size: usize) -> String {
    let mut stream = scanner().stream();
    let mut out: String = text.as_bytes().chunks(size).map(|chunk| stream.push_bytes(chunk)).collect();
    out += &stream.finish();
    out
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let once = scanner().redact(text).into_owned();
    assert_eq!(once, expected);
    assert_eq!(scanner().redact(&once), once, "a second time");
    for size in [1, 7, 64] {
        assert_eq!(in_chunks(text, size), once, "in chunks of {size}");
    }
}

#[test]
fn a_value_ends_where_a_key_begins() {
    check(&format!("token=C0a{BEGIN}\n\"{BODY}\n"), &format!("token=C0a{BEGIN}\n\"{HIDDEN}\n"));
    check(
        &format!("token=q8Zr2LmX0vBn{BEGIN}\n\"{BODY}\n"),
        &format!("token=[redacted:generic-secret]{BEGIN}\n\"{HIDDEN}\n"),
    );
    check(&format!("token=C0aPrivate-Lines: 2\n\"{BODY}\n"), &format!("token=C0aPrivate-Lines: 2\n\"{HIDDEN}\n"));
}

#[test]
fn a_quoted_value_ends_where_a_key_begins() {
    check(
        &format!("token='q8Zr2LmX0vBn{BEGIN}'\n'{BODY}'\n"),
        &format!("token='[redacted:generic-secret]{BEGIN}'\n'{HIDDEN}'\n"),
    );
}

#[test]
fn hyphens_that_are_no_marker_belong_to_the_value() {
    check("password='tR8!k-----q0Zx'", "password='[redacted:password]'");
}

#[test]
fn what_stands_behind_a_key_is_not_judged_with_its_marker() {
    check(&format!("{BEGIN}\n'{BODY}\n{END}j4p4WGeK"), &format!("{BEGIN}\n'{HIDDEN}\n{END}j4p4WGeK"));
    check(
        &format!("{BEGIN}\n'{BODY}\n{END}j4p4WGeKLs1Pt8Qu"),
        &format!("{BEGIN}\n'{HIDDEN}\n{END}[redacted:generic-secret]"),
    );
}

#[test]
fn an_object_behind_an_unfinished_key_is_read() {
    let object = |data: &str| format!("kind: Secret\ndata:\n  user: {data}\n");
    let (given, hidden) = (object("YWRtaW46cHdwd3B3"), object("[redacted:kubernetes-secret]"));
    check(&format!("{BEGIN}\n'{BODY}\n{given}"), &format!("{BEGIN}\n'{HIDDEN}\n{hidden}"));
    check(&format!("{BEGIN}\n{BODY}\n{given}"), &format!("{HIDDEN}\ndata:\n  user: [redacted:kubernetes-secret]\n"));
    check(
        &format!("{BEGIN}\nkind: Secret\n'{BODY}\ndata:\n  user: YWRtaW46cHdwd3B3\n"),
        &format!("{BEGIN}\nkind: Secret\n'{HIDDEN}\ndata:\n  user: [redacted:kubernetes-secret]\n"),
    );
}

#[test]
fn an_object_goes_on_within_and_behind_a_key() {
    let (data, hidden) = ("YWRtaW46cHdwd3B3", "[redacted:kubernetes-secret]");
    let secret = "kind: Secret\ndata:\n  a: x\n";
    check(
        &format!("{secret}---{BEGIN}\n'{BODY}\n  b: {data}\n"),
        &format!("{secret}---{BEGIN}\n'{HIDDEN}\n  b: {hidden}\n"),
    );
    check(
        &format!("{secret}  {BEGIN}\n  '{BODY}\n  b: {data}\n  '{BODY}\n"),
        &format!("{secret}  {BEGIN}\n  '{HIDDEN}\n  b: {hidden}\n  '{HIDDEN}\n"),
    );
    check(
        &format!("{secret}  {BEGIN}\n  '{BODY}\n  {END}b: {data}\n"),
        &format!("{secret}  {BEGIN}\n  '{HIDDEN}\n  {END}b: {hidden}\n"),
    );
}

#[test]
fn a_line_behind_a_key_is_judged_with_what_stands_before_the_key() {
    let token = ["s.", "k3Jq9ZtB7LmX0vW2nRc8sYd4"].concat();
    check(
        &format!("vault {BEGIN}\n{BODY}\n{END} {token}\n"),
        &format!("vault {HIDDEN} [redacted:vault-legacy-token]\n"),
    );
}

#[test]
fn a_header_does_not_reach_out_of_a_json_string() {
    check(
        &format!("{{\"a\":\"{BEGIN}\\n{BODY}\\nkey: \",\"b\":\"\\n\"}}"),
        &format!("{{\"a\":\"{HIDDEN}\",\"b\":\"\\n\"}}"),
    );
    check(
        &format!("[\"{BEGIN}\\n{BODY}\\nkey: \",\"\\n{BODY}\"]"),
        &format!("[\"{BEGIN}\\n{HIDDEN}\\nkey: \",\"\\n{HIDDEN}\"]"),
    );
    check(
        &format!("{{\"a\":\"{BEGIN}\\n{BODY}\\nb: \",\"c\":\"\\nd: \\n\"}}"),
        &format!("{{\"a\":\"{HIDDEN}\",\"c\":\"\\nd: \\n\"}}"),
    );
    check(&format!("{{\"a\":\"{BEGIN}\\n{BODY}\\n\",\"b: c\":1}}"), &format!("{{\"a\":\"{HIDDEN}\\n\",\"b: c\":1}}"));
    check(&format!("[\"{BEGIN}\\n{BODY}\\n\", \"{END}\"]"), &format!("[\"{HIDDEN}\\n\", \"{END}\"]"));
    check(&format!("{BEGIN}\nb: \"{BODY}\n{BODY}\n"), &format!("{BEGIN}\nb: \"{HIDDEN}\n{HIDDEN}\n"));
    check(&format!("{BEGIN}\nComment: \"my key\"\n{BODY}\n{END}\n"), &format!("{HIDDEN}\n"));
}

#[test]
fn a_key_with_headers_is_hidden_where_another_begins_on_its_line() {
    let key = format!("{BEGIN}\\nProc-Type: 4,ENCRYPTED\\nDEK-Info: AES-128-CBC,9F2C\\n\\n{BODY}\\n");
    check(
        &format!("{{\"a\":\"{key}{END}\",\"b\":\"{key}{END}\"}}\n"),
        &format!("{{\"a\":\"{HIDDEN}\",\"b\":\"{HIDDEN}\"}}\n"),
    );
    check(
        &format!("[\"{key}d: \",\"{key}d: \",[\"{END}\",\"{key}\"]]\n"),
        &format!("[\"{HIDDEN}\\nd: \",\"{HIDDEN}\\nd: \",[\"{END}\",\"{HIDDEN}\\n\"]]\n"),
    );
}

#[test]
fn chained_keys_are_hidden_each_by_itself() {
    check(&format!("{BODY}\n{END}{BEGIN}\n{BODY}\n"), &format!("{BODY}\n{END}{HIDDEN}\n"));
    check(
        &format!("kind: Secret\ndata:\n  user: YWRtaW46cHdwd3B3\n{BEGIN}\n{BEGIN}\n{BODY}\n"),
        &format!("kind: Secret\ndata:\n  user: [redacted:kubernetes-secret]\n{BEGIN}\n{HIDDEN}\n"),
    );
}

#[test]
fn json_with_broken_keys_is_redacted_once_and_for_all() {
    let texts = [
        format!("{BODY}\n{END}{BEGIN}\n{BODY}\n"),
        format!("kind: Secret\ndata:\n  user: YWRtaW46cHdwd3B3\n{BEGIN}\n{BEGIN}\n{BODY}\n"),
        format!("{BEGIN}\n,{BODY}\nkind: Secret\ndata:\n  user: YWRtaW46cHdwd3B3\n"),
        format!("{BEGIN}\n{BODY}private key 0xb10e724e387e01b9f3778da2216bd369ff5150d888d531c7bb030ce19f279201"),
        format!("{BEGIN}\n{BODY}\nkey: "),
    ];
    for (text, name) in texts.iter().flat_map(|text| ["a", "a_key", "token"].map(|name| (text, name))) {
        let inner = serde_json::json!({name: text, "b": text, "c": [text, text]});
        let mut document = serde_json::json!({"nested": inner.to_string(), "inner": inner});
        let redacted = scanner().redact(&document.to_string()).into_owned();
        assert!(serde_json::from_str::<serde_json::Value>(&redacted).is_ok(), "{redacted}");
        assert!(scanner().redact_json(&mut document) > 0);
        assert_eq!(scanner().redact_json(&mut document), 0, "{document}");
    }
}
