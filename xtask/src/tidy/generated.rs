//! Files that are written by a program and committed must be what the program writes today.

use super::Finding;
use crate::Result;

/// Compare the committed JSON schemas, and the page about agents, with what they are made from.
pub(super) const SCHEMAS: [&str; 3] = [
    "run -q -p tollgate-wire --example schema -- --check",
    "run -q -p tollgate-config --example policy_schema -- --check",
    "run -q -p tollgate-hook --example agents_page -- --check",
];

/// Looks at how one of [`SCHEMAS`] ended.
pub(super) fn check(output: Result<String>) -> Vec<Finding> {
    let Err(error) = output else { return Vec::new() };
    let message =
        format!("a generated file is out of date or cannot be made; `cargo xtask schema` writes them: {error}");
    vec![Finding::new("crates/wire/examples/schema.rs", 1, message)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_shown_with_its_output() {
        assert_eq!(check(Ok(String::new())), []);
        let findings = check(Err("event.json differs".to_owned()));
        assert!(findings[0].message.ends_with("`cargo xtask schema` writes them: event.json differs"));
    }
}
