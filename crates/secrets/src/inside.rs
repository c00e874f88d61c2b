//! Tokens within longer names: `X_ghp_…`, `mcp__npm_…__x`. To a pattern a letter, a digit or `_` beside a token is part
//! of a word that only looks like one, so such a run is also read with blanks around the tokens in it.

use crate::rules::Rule;

/// The shortest start that is looked for.
const SHORTEST: usize = 3;
/// What ordinary words are or end with, too: `pico-`, `version_`, `unit_test_`; only `__` parts a token from them. Any two
/// letters may end a word: `task_`, `disk-`.
const ORDINARY: [&str; 11] = ["access", "aio", "api", "ext", "ico", "ion", "key", "live", "mob", "secret", "test"];
/// `_` behind so many letters, digits, `-` and `.` is no part of a name in words.
const LONG_STRETCH: usize = 16;
/// What stands for a blank.
const BLANK: u8 = b' ';

/// Other readings of a run in which a rule's tokens may stand within longer names, each as long as the run.
pub(crate) fn readings(rule: &Rule, run: &[u8]) -> Vec<Vec<u8>> {
    let Some(shape) = rule.pattern.trim_start_matches('(').strip_prefix(r"\b") else { return Vec::new() };
    let opened = open_starts(rule, literal(shape), run);
    let start = opened.as_deref().unwrap_or(run);
    // A token may have `_` in it, or end at one: the shape decides which reading is right.
    let closed = [close_stretches(start, usize::MAX), close_stretches(start, LONG_STRETCH)];
    opened.into_iter().chain(closed.into_iter().flatten()).collect()
}

/// The letters that a pattern begins with. One that may be missing is not among them, but then a group follows.
fn literal(shape: &str) -> &str {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    &shape[..shape.bytes().take_while(|byte| plain(*byte)).count()]
}

/// The run with a blank before each start of a token; none if nothing changes.
fn open_starts(rule: &Rule, literal: &str, run: &[u8]) -> Option<Vec<u8>> {
    let mut opened = None;
    for start in rule.keywords.iter().copied().chain((literal.len() >= SHORTEST).then_some(literal)) {
        let word = start.split_once(['_', '-']).map(|(word, _)| word);
        let ordinary = word.is_some_and(|word| ORDINARY.contains(&word));
        let telling = !ordinary && word.is_some_and(|word| word.len() > 2);
        let is_start = |window: &[u8]| window.eq_ignore_ascii_case(start.as_bytes());
        for (at, _) in run.windows(start.len()).enumerate().skip(1).filter(|(_, window)| is_start(window)) {
            let before = &run[..at];
            let parted = before.ends_with(if ordinary { &b"__"[..] } else { b"_" });
            if parted || telling && before.last().is_some_and(u8::is_ascii_alphanumeric) {
                opened.get_or_insert_with(|| run.to_vec())[at - 1] = BLANK;
            }
        }
    }
    opened
}

/// The run with a blank for each `_` before another one, or behind so many letters and the like; none if nothing changes.
fn close_stretches(run: &[u8], long: usize) -> Option<Vec<u8>> {
    let mut closed = None;
    let mut stretch = 0;
    for (at, byte) in run.iter().enumerate() {
        if *byte == b'_' && (stretch >= long || run.get(at + 1) == Some(&b'_')) {
            closed.get_or_insert_with(|| run.to_vec())[at] = BLANK;
        }
        let goes_on = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        stretch = if goes_on { stretch + 1 } else { 0 };
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    /// The readings of a run, one after another, by a rule's name.
    fn shown(id: &str, run: &str) -> String {
        let rule = rules::all().find(|rule| rule.id == id).unwrap();
        let texts: Vec<String> =
            readings(rule, run.as_bytes()).into_iter().map(|run| String::from_utf8(run).unwrap()).collect();
        texts.join("|")
    }

    #[test]
    fn a_run_is_read_with_blanks_around_the_tokens_in_it() {
        for (id, run, expected) in [
            ("github-token", "ghp_k3Jq9ZtB7LmX0vW2nR", ""),
            ("github-token", "/ghp_k3Jq9ZtB7LmX0vW2nR", ""),
            ("github-token", "X_ghp_k3Jq", "X ghp_k3Jq"),
            ("github-token", "Xghp_k3Jq_gho_1", " ghp_k3Jq gho_1"),
            ("npm-token", "a__npm_k3__x", "a_ npm_k3__x|a_ npm_k3 _x|a_ npm_k3 _x"),
            ("npm-token", "npm_k3Jq9ZtB7LmX0vW2nR_x", "npm_k3Jq9ZtB7LmX0vW2nR x"),
            ("openai-key", "my_sk-proj-", "my sk-proj-"),
            ("ai-secret-key", "my_sk-0a", "my sk-0a"),
            ("ai-secret-key", "disk-0a", ""),
            ("infracost-key", "pico-0a", ""),
            ("stripe-key", "task_live_0a", ""),
            ("mollie-key", "unit_test_0a", ""),
            ("mollie-key", "a__test_0a", "a_ test_0a"),
        ] {
            assert_eq!(shown(id, run), expected, "{id}: {run}");
        }
    }
}
