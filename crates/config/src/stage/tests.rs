use std::path::Path;

use super::*;
use crate::load::combine_by;
use crate::{File, Layer};

/// Policies of a machine, a user and a project that nobody trusts.
const POLICIES: [[&str; 3]; 4] = [
    [
        "dry_run = true\n[[limit]]\nid = 'few'\ntool = 'x'\nmax = 3\nask = 'more?'\n[override.few]\ndecision = 'deny'\n",
        "mode = 'observe'\n[packs]\nuse = ['git-safety']\n[[rule]]\nid = 'a'\ntool = 'a'\ndeny = 'no'\n\
         [[rule]]\nid = 'b'\ntool = 'a'\ndeny = 'no'\n[override.a]\nmode = 'off'\n[[loop]]\nid = 'again'\ntool = '*'\n\
         [override.again]\nmode = 'off'\n[override.'git-safety/discard']\ndecision = 'ask'\n",
        "workspace = ['..']\n[tools]\nread = ['get_*']\n[[rule]]\nid = 'c'\ntool = 'x'\nrewrite = [{ remove = ['a'] }]\n\
         [[exception]]\nrule = 'c'\ntool = 'x'\nuntil = 2999-01-01\nreason = 'r'\n[audit]\nkeep = 'nothing'\n",
    ],
    [
        "[packs]\nuse = []\n[tools]\ndeny = [{ regex = '(' }]\n[audit]\nretain = 'soon'\n",
        "[[limit]]\nid = 'two'\ntool = { regex = '(' }\nmax = 0\ndeny = 'no'\nask = 'really?'\n[override.two]\ndecision = 'deny'\n\
         [[limit]]\nid = 'off'\ntool = { regex = '[' }\nmax = 1\n[override.off]\nmode = 'off'\n",
        "workspace = ['~']\n[[rule]]\nid = 'l'\ntool = 'x'\ndeny = 'no'\n[[loop]]\nid = 'l'\ntool = 'x'\n[override.nobody]\nmode = 'off'\n",
    ],
    ["", "dry_run = true\n[packs]\nuse = []\n", "[tools]\nread = ['get_*']\n"],
    [
        "[packs]\nuse = []\n",
        "[[rule]]\nid = 'i'\neffect = 'infra'\ndeny = 'no'\nexamples.pass = [{ tool = 'acme' }]\n",
        "[[tool]]\nname = 'acme'\neffects = 'infra'\n",
    ],
];

/// What comes of policies, in words; what is listed in the order in which it was found is sorted.
fn outcome(stages: &[Stage], texts: [&str; 3]) -> String {
    let layers = [(Layer::Machine, "machine"), (Layer::User, "user"), (Layer::Project, "project")];
    let files = layers.into_iter().zip(texts).map(|((layer, name), text)| {
        File::of_bytes(layer, &Path::new("/nowhere").join(name).join("tollgate.toml"), text.into()).unwrap()
    });
    let sorted = |all: &Diagnostics| {
        let mut all: Vec<String> = all.iter().map(|one| format!("{one:?}")).collect();
        all.sort();
        all.concat()
    };
    match combine_by(stages, files.collect(), false, Date::of_seconds(0)) {
        Err(wrong) => sorted(&wrong),
        Ok(mut plan) => {
            plan.ignored.sort_by_key(|one| format!("{one:?}"));
            let compiled = (plan.compiled.as_ref().unwrap().list(), plan.checks.as_ref().unwrap());
            format!("{}\n{compiled:?}\n{}", serde_json::to_string(&plan).unwrap(), sorted(&plan.warnings))
        }
    }
}

/// The stages in another order, which is as good: each time one of those that may come next, by turns.
fn another(turn: usize) -> Vec<Stage> {
    let (mut order, mut left) = (Vec::<Stage>::new(), STAGES.to_vec());
    while !left.is_empty() {
        let before = |name: &&str| order.iter().any(|stage| stage.name == *name);
        let may: Vec<usize> = (0..left.len()).filter(|at| left[*at].after.iter().all(before)).collect();
        let next = left.remove(may[(turn * 7 + order.len() * 3) % may.len()]);
        order.push(next);
    }
    order
}

#[test]
fn stages_stand_after_what_they_need() {
    for (at, stage) in STAGES.iter().enumerate() {
        for name in stage.after {
            assert!(STAGES[..at].iter().any(|other| other.name == *name), "{} needs {name}", stage.name);
        }
    }
}

#[test]
fn there_are_no_other_reasons_for_the_order_of_stages() {
    for texts in POLICIES {
        let expected = outcome(&STAGES, texts);
        for turn in 0..12 {
            let order = another(turn);
            let names: Vec<_> = order.iter().map(|stage| stage.name).collect();
            assert_eq!(outcome(&order, texts), expected, "{names:?}");
        }
    }
}

/// A reason that is none would only stand in the way of whoever adds a stage.
#[test]
fn every_reason_for_the_order_of_stages_is_one() {
    for (at, stage) in STAGES.iter().enumerate() {
        for name in stage.after {
            let mut order = STAGES.to_vec();
            let early = order.remove(at);
            let place = order.iter().position(|other| other.name == *name).unwrap();
            order.insert(place, early);
            let differs = POLICIES.iter().any(|texts| outcome(&order, *texts) != outcome(&STAGES, *texts));
            assert!(differs, "{} may as well come before {name}", stage.name);
        }
    }
}
