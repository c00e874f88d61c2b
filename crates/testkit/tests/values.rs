//! What the values of core promise by themselves: headers keep their order and ignore case, approvals come in time.

use std::time::Duration;

use tollgate_core::{Approval, Digest, Headers, Question};

const FIELDS: [(&str, &str); 4] = [("Accept", "a"), ("X-Trace", "1"), ("x-trace", "2"), ("Empty", "")];

fn headers(fields: &[(&str, &str)]) -> Headers {
    let mut headers = Headers::default();
    fields.iter().for_each(|(name, value)| headers.append(name, *value));
    headers
}

#[test]
fn the_first_value_is_found_however_its_name_is_written() {
    for (name, expected) in
        [("accept", Some("a")), ("X-TRACE", Some("1")), ("empty", Some("")), ("trace", None), ("", None)]
    {
        assert_eq!(headers(&FIELDS).get(name), expected, "{name}");
    }
}

#[test]
fn remove_says_whether_there_was_one() {
    for (name, removed, left) in [
        ("ACCEPT", true, vec![FIELDS[1], FIELDS[2], FIELDS[3]]),
        ("x-Trace", true, vec![FIELDS[0], FIELDS[3]]),
        ("trace", false, FIELDS.to_vec()),
    ] {
        let mut headers = headers(&FIELDS);
        assert_eq!(headers.remove(name), removed, "{name}");
        assert_eq!(headers.iter().collect::<Vec<_>>(), left, "{name}");
        assert!(!headers.remove(name), "{name}, again");
    }
}

#[test]
fn set_leaves_one_value_at_the_end() {
    for (name, expected) in [
        ("ACCEPT", vec![FIELDS[1], FIELDS[2], FIELDS[3], ("ACCEPT", "new")]),
        ("x-Trace", vec![FIELDS[0], FIELDS[3], ("x-Trace", "new")]),
        ("Host", vec![FIELDS[0], FIELDS[1], FIELDS[2], FIELDS[3], ("Host", "new")]),
    ] {
        let mut headers = headers(&FIELDS);
        headers.set(name, "new");
        assert_eq!(headers.iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn an_approval_counts_until_its_deadline() {
    let answer = |at: u64| {
        let digest = Digest([1; 32]);
        let deadline = Some(Duration::from_secs(10));
        let approval = Approval { digest, granted: true, by: "ann".into(), at: Duration::from_secs(at) };
        format!("{:?}", Question { parts: Vec::new(), digest, deadline, route: None }.answer(&approval))
    };
    for (at, counts) in [(9, true), (10, true), (11, false)] {
        assert_eq!(answer(at) == answer(0), counts, "after {at} seconds: {}", answer(at));
    }
}
