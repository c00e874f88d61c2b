use serde_json::Value;
use tollgate_core::{Body, Name};

/// What an edit changed: where in the document, as JSON pointers, and `name`, `headers`, `notes` or `labels`.
/// Never what was there or is there now, so that it can be written down.
///
/// A list or a type that changed is named whole; the empty pointer is the whole document.
///
/// ```
/// use serde_json::json;
/// use tollgate_wire::form::changes;
///
/// let before = json!({"path": "a", "options": {"a/b": 1, "c": [1]}});
/// let after = json!({"path": "a", "options": {"a/b": 2, "c": [1, 2]}, "force": true});
/// assert_eq!(changes(&before.into(), &after.into()), ["/options/a~1b", "/options/c", "/force"]);
/// ```
pub fn changes(before: &Body, after: &Body) -> Vec<String> {
    let mut found = Vec::new();
    match (before.json(), after.json()) {
        (Ok(old), Ok(new)) => compare(old, new, "", &mut found),
        (Err(_), Err(_)) => {}
        _ => found.push(String::new()),
    }
    let parts = [
        ("name", before.renamed().map(Name::written) != after.renamed().map(Name::written)),
        ("headers", before.headers() != after.headers()),
        ("notes", before.notes != after.notes || before.tells != after.tells),
        ("labels", before.labels() != after.labels()),
    ];
    found.extend(parts.into_iter().filter(|(_, changed)| *changed).map(|(part, _)| part.to_owned()));
    found
}

fn compare(old: &Value, new: &Value, at: &str, found: &mut Vec<String>) {
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        if old != new {
            found.push(at.to_owned());
        }
        return;
    };
    for (key, old) in before {
        let place = step(at, key);
        match after.get(key) {
            Some(new) => compare(old, new, &place, found),
            None => found.push(place),
        }
    }
    found.extend(after.keys().filter(|key| !before.contains_key(*key)).map(|key| step(at, key)));
}

/// One step further down, as RFC 6901 writes it.
fn step(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents() {
        for (before, after, expected) in [
            (json!({}), json!({}), &[][..]),
            (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), &[]),
            (json!({"a": 1}), json!({"a": 2}), &["/a"]),
            (json!({"a": 1}), json!({"a": 1.0}), &["/a"]),
            (json!({"a": 1}), json!({"b": 1}), &["/a", "/b"]),
            (json!({"a": {"b": {"c": 1, "d": 2}}}), json!({"a": {"b": {"c": 1, "d": 3}}}), &["/a/b/d"]),
            (json!({"a": [1, {"b": 2}]}), json!({"a": [1, {"b": 3}]}), &["/a"]),
            (json!({"a": {"b": 1}}), json!({"a": [1]}), &["/a"]),
            (json!({"a": null}), json!({}), &["/a"]),
            (json!({"~": 1, "/": 1, "~1": 1, "": {"": 1}}), json!({}), &["/~0", "/~1", "/~01", "/"]),
            (json!({"": {"": 1}}), json!({"": {"": 2}}), &["//"]),
            (json!([1]), json!([2]), &[""]),
            (json!("secret"), json!({"secret": 1}), &[""]),
        ] {
            assert_eq!(changes(&before.clone().into(), &after.clone().into()), expected, "{before} to {after}");
        }
    }

    #[test]
    fn what_travels_with_the_document() {
        type Edit = fn(&mut Body);
        let rows: [(Edit, &[&str]); 7] = [
            (|_| {}, &[]),
            (|body| body.rename("read"), &["name"]),
            (|body| body.headers_mut().set("a", "b"), &["headers"]),
            (|body| body.notes.push("n".into()), &["notes"]),
            (|body| body.tells.push("t".into()), &["notes"]),
            (|body| body.label("k", "v"), &["labels"]),
            (
                |body| {
                    body.label("k", "v");
                    body.rename("x");
                    body.set(json!(1));
                },
                &["", "name", "labels"],
            ),
        ];
        for (at, (edit, expected)) in rows.into_iter().enumerate() {
            let before = Body::from(json!({}));
            let mut after = before.clone();
            edit(&mut after);
            assert_eq!(changes(&before, &after), expected, "row {at}");
        }
    }

    #[test]
    fn documents_that_cannot_be_read() {
        let (bad, good) = (crate::body("{"), Body::from(json!({})));
        for (before, after, expected) in [(&bad, &bad, &[][..]), (&bad, &good, &[""]), (&good, &bad, &[""])] {
            assert_eq!(changes(before, after), expected);
        }
    }
}
