//! Files that are written by a program and committed must be what the program writes today.

use super::Finding;
use crate::Result;

/// Looks at how one of the programs ended that compare the committed files with what they are made from.
pub(super) fn check(compared: Result) -> Vec<Finding> {
    let Err(error) = compared else { return Vec::new() };
    let message =
        format!("a generated file is out of date or cannot be made; `cargo xtask schema` writes them: {error}");
    vec![Finding::new("crates/wire/examples/schema.rs", 1, message)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_shown_with_its_output() {
        assert_eq!(check(Ok(())), []);
        let findings = check(Err("event.json differs".to_owned()));
        assert!(findings[0].message.ends_with("`cargo xtask schema` writes them: event.json differs"));
    }
}
