//! Texts that look like secrets and hold none, by what tells them apart. Next to each stands one that is a secret.

use tollgate_secrets::scanner;

#[track_caller]
fn is_clean(text: &str) {
    let found = scanner().find(text);
    assert!(found.is_empty(), "{text}: {found:?}");
}

#[track_caller]
fn is_secret(text: &str) {
    assert!(!scanner().find(text).is_empty(), "{text}");
}

/// Forty characters drawn at random.
const RANDOM: &str = "q8Zr2LmX0vBnT4wYc1KdH7sPf9GjU3eAoW5iRt6N";

#[test]
fn values_that_count_are_made_up() {
    is_clean("api_token = \"uvwxyzabcdefghijklmnopqrst98\"");
    is_clean("licenseKey: k1l2m3n4o5p6q7r8s9t0u1v2w3x4");
    is_clean(&["gsk", "_", &"AbCdEfGhIjKlMnOpQrStUvWxYz".repeat(2)].concat());
    is_clean(&["AI", "za", "abcdefghijklmnopqrstuvwxyz", "012345678"].concat());
    is_secret(&format!("licenseKey: {}", &RANDOM[..28]));
    is_secret(&["gsk", "_", RANDOM, &RANDOM[..12]].concat());
}

#[test]
fn numbers_that_repeat_are_made_up() {
    is_clean("{\"token\": \"xoxp-7777-7777-7777-9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c9a\"}");
    is_secret(&["{\"token\": \"xox", "p-770183456-771093482-9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c9a\"}"].concat());
    is_secret("heroku_key = 87654321-5555-5555-5555-9f2c4e6a8b0d");
}

#[test]
fn what_says_example_is_one() {
    is_clean(&["AK", "IA", "Q3RT8ZX51EXAMPLE"].concat());
    is_clean(&format!("secret_token = {}EXAMPLE{}", &RANDOM[..12], &RANDOM[..9]));
    is_secret(&["AK", "IA", "Q3RT8ZX51SAMPLE7"].concat());
}

#[test]
fn letters_that_no_uuid_has_make_none() {
    is_clean("apiKey=app-9k2m4n6p-7q8r-1s3t-5u7v-8w0x2y4z6k8m");
    is_secret("apiKey=app-9a2b4c6d-7e8f-4a3b-9c7d-8e0f2a4b6c8d");
}

#[test]
fn encoded_words_are_not_random() {
    is_clean("ANY_TOKEN = c29tZSBwbGFpbiB3b3JkcyBvbiBhIGxpbmU=");
    is_secret("ANY_TOKEN = hJ3cZ+7xQ2vLw9Rk/4TnBd0sYgF6pAe1uKo=");
}

#[test]
fn a_name_may_deny_its_value() {
    is_clean("invalidToken := \"x7q2m9k4w8r3t6zb\"");
    is_clean("fake_api_key: x7q2m9k4w8r3t6zb");
    is_clean("nonMatchingSecret = 'x7q2m9k4w8r3t6zb'");
    is_secret("nonceToken := \"x7q2m9k4w8r3t6zb\"");
    is_secret("validToken := \"x7q2m9k4w8r3t6zb\"");
}

#[test]
fn key_alone_is_the_key_of_a_map() {
    is_clean(&format!("key = {RANDOM}"));
    is_secret(&format!("https://h.net/?key={RANDOM}"));
    is_secret(&format!("--key {RANDOM}"));
    is_secret(&format!("api_key = {RANDOM}"));
}

#[test]
fn identifiers_of_clients_are_no_secrets() {
    is_clean(&format!("AUTH0_CLIENT_ID=\"{}\"", &RANDOM[..32]));
    is_secret(&format!("AUTH0_CLIENT_SECRET=\"{}\"", &RANDOM[..32]));
}

#[test]
fn tokens_of_a_fixed_form_have_no_other() {
    is_clean("token = \"sm_pat_x7q2m9k4w8\"");
    is_clean("\"token\": \"xoxp-8302719465\"");
    is_clean("DATABRICKS_TOKEN=dapi9f2c4e6a8b0d1f3e5c7a9b1d3f5e7cxz");
    is_clean(&["AWS_SECRET_ACCESS_KEY=", &RANDOM[..37]].concat());
    is_clean(&["telegram_token = \"5550001:A", &RANDOM[..33], "\""].concat());
    is_clean("TWITCH_STREAM_KEY = \"430118265_V8ma0FX05ijgApqVl889\"");
    is_secret(&["DATABRICKS_TOKEN=da", "pi9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c90"].concat());
    is_secret(&["AWS_SECRET_ACCESS_KEY=", RANDOM].concat());
    is_secret(&["telegram_token = \"5550001:A", &RANDOM[..34], "\""].concat());
}

#[test]
fn a_registry_has_a_name() {
    is_clean("///:_authToken=9f2c4e6a-8b0d-4f3e-9c7a-9b1d3f5e7c9a");
    is_secret("//npm.acme.net/:_authToken=9f2c4e6a-8b0d-4f3e-9c7a-9b1d3f5e7c9a");
    is_secret("_authToken=9f2c4e6a-8b0d-4f3e-9c7a-9b1d3f5e7c9a");
    is_secret("{\"_authToken\": \"9f2c4e6a-8b0d-4f3e-9c7a-9b1d3f5e7c9a\"}");
}

#[test]
fn keys_end_where_their_form_says() {
    let anthropic = |kind: &str, end: &str| ["sk-ant", kind, RANDOM, RANDOM, &RANDOM[..13], end].concat();
    is_secret(&anthropic("-api03-", "AA"));
    is_clean(&anthropic("-api03-", "Zq"));
    is_clean(&anthropic("-admin01-", "qqqqAA"));
    is_secret(&anthropic("-oat01-", "Zq"));
    let sentry = |length: usize| ["sntrys", "_eyJ", RANDOM, "=_", &[RANDOM, RANDOM].concat()[..length]].concat();
    is_secret(&sentry(43));
    is_clean(&sentry(42));
    is_clean(&sentry(44));
}

#[test]
fn a_token_that_was_cut_off_is_none() {
    // Version, place and identifier of a macaroon, with and without the signature behind them.
    let start =
        ["pypi-", "AgEIcHlwaS5vcmcCJDlmMmM0ZTZhLThiMGQtNGYzZS05YzdhLTliMWQzZjVlN2M5YQACF1sxLFsibWluaW1h"].concat();
    is_clean(&start);
    is_secret(&["pypi-", "AgEIcHlwaS5vcmc", RANDOM, RANDOM].concat());
}

#[test]
fn what_vendors_print_in_their_documents_is_known() {
    is_clean(&["password: MWYyZDFl", "MmU2N2Rm"].concat());
    is_clean(&["kind: Secret\ndata:\n  password: MWYyZDFl", "MmU2N2Rm\n"].concat());
    is_clean(&["<add key=\"ClearTextPassword\" value=\"33f", "!!lloppa\" />"].concat());
    is_secret("kind: Secret\ndata:\n  password: N2YzYTljMGVlNDFi\n");
}
