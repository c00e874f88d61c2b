use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::actors::hush_intended_panics;
use crate::case::{self, Case, differences};
use crate::{OnCore, Replay as _, Report};

/// What a surface made of one moment of a case: what it tells of the outcome, or why it has no words for it.
pub type Shown = Result<Report, &'static str>;

/// Plays every case in `spec/cases` through a surface and says how many moments it can show, and how many it cannot, by
/// reason. `play` gets a case with what core's pipeline makes of each of its moments.
///
/// Every key of what it shows must be as core has it; else the error says where it is not.
pub fn through_surface(mut play: impl FnMut(&Case, &[Report]) -> Vec<Shown>) -> Result<String, String> {
    hush_intended_panics();
    let cases = case::load_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases"))?;
    let (mut shown, mut not, mut wrong) = (0, BTreeMap::<&str, usize>::new(), Vec::new());
    for case in &cases {
        let core = OnCore.play(case)?;
        let came = play(case, &core);
        if came.len() != core.len() {
            wrong.push(format!("{}: {} moments, and {} shown", case.name, core.len(), came.len()));
        }
        for (index, (core, came)) in core.iter().zip(came).enumerate() {
            match came {
                Ok(came) => {
                    shown += 1;
                    let lines = unlike(core, &came).into_iter();
                    wrong.extend(lines.map(|line| format!("{}, step {}: {line}", case.name, index + 1)));
                }
                Err(why) => *not.entry(why).or_default() += 1,
            }
        }
    }
    let mut out = format!("{shown} shown\n");
    for (why, count) in not {
        let _ = writeln!(out, "{count} not: {why}");
    }
    if wrong.is_empty() { Ok(out) } else { Err(wrong.join("\n")) }
}

/// What a surface shows otherwise than core has it. It may leave keys out, but never the act.
fn unlike(core: &Report, came: &Report) -> Vec<String> {
    if !came.contains_key("act") {
        return vec!["does not say which act it was".to_owned()];
    }
    let expect = came.keys().map(|key| (key.clone(), core.get(key).cloned().unwrap_or_default()));
    differences(&expect.collect(), came)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_shown_otherwise_is_told() {
        let report = |value: serde_json::Value| value.as_object().cloned().unwrap_or_default();
        let core = report(json!({"act": "deny", "reason": "no"}));
        for (came, expected) in [
            (json!({"act": "deny"}), vec![]),
            (json!({"act": "deny", "reason": "no"}), vec![]),
            (json!({"act": "pass"}), vec![r#"act: expected "deny", came "pass""#]),
            (json!({"act": "deny", "name": "x"}), vec![r#"name: expected null, came "x""#]),
            (json!({"reason": "no"}), vec!["does not say which act it was"]),
        ] {
            assert_eq!(unlike(&core, &report(came.clone())), expected, "{came}");
        }
    }
}
