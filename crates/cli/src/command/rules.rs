//! `tollgate rules`

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_config::{Placed, Plan};
use tollgate_rules::form::{Mode, Rule};
use tollgate_shell::{Flag, Kind, Place};

use super::Done;
use crate::args::{Policy, RulesWhat};
use crate::open;
use crate::output::{Paint, print, print_json, short, visible, wrap};

pub(super) fn run(policy: &Policy, what: &RulesWhat, paint: Paint) -> Done {
    match what {
        RulesWhat::List(json) => {
            let plan = open::plan(policy, paint)?;
            if json.json { print_json(&listed(&plan))? } else { print(&list(&plan, paint))? }
        }
        RulesWhat::Show { id, json } => {
            let plan = open::plan(policy, paint)?;
            let rule = find(&plan, id)?;
            if json.json { print_json(&about(rule))? } else { print(&show(&plan, rule, paint)?)? }
        }
        RulesWhat::Effects(json) => {
            if json.json {
                print_json(&vocabulary())?
            } else {
                print(&effects(paint))?
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn decision(rule: &Rule) -> &'static str {
    rule.decisions().first().map_or("-", |decision| decision.name())
}

fn reason(rule: &Rule) -> String {
    rule.deny.clone().or_else(|| rule.log.clone()).unwrap_or_default()
}

/// What an override made of it.
fn state(plan: &Plan, rule: &Rule) -> String {
    let overridden = plan.overrides.get(&rule.id).map(|over| format!("{over:?}").to_lowercase());
    match (&overridden, rule.mode) {
        (Some(_), _) => "overridden".to_owned(),
        (None, Some(Mode::Observe)) => "observe".to_owned(),
        _ => decision(rule).to_owned(),
    }
}

fn list(plan: &Plan, paint: Paint) -> String {
    let mut out = String::new();
    let mut origin = "";
    for placed in &plan.rules {
        if &*placed.origin != origin {
            origin = &placed.origin;
            let _ = writeln!(out, "{}", paint.bold(origin));
        }
        let (id, state) = (visible(&placed.form.id), state(plan, &placed.form));
        let _ = writeln!(out, "  {id:<32} {state:<10} {}", short(&visible(&reason(&placed.form)), 34));
    }
    out
}

fn listed(plan: &Plan) -> Value {
    plan.rules.iter().map(about).collect()
}

fn about(placed: &Placed<Rule>) -> Value {
    json!({ "origin": &*placed.origin, "rule": placed.form })
}

fn find<'p>(plan: &'p Plan, id: &str) -> Result<&'p Placed<Rule>, String> {
    let found = plan.rules.iter().find(|placed| placed.form.id == id);
    found.ok_or_else(|| {
        let ids: Vec<&str> = plan.rules.iter().map(|placed| placed.form.id.as_str()).collect();
        let near = tollgate_rules::nearest(id, &ids);
        let hint = near.map_or("`tollgate rules list` shows all".to_owned(), |near| format!("did you mean `{near}`?"));
        format!("there is no rule `{id}`; {hint}")
    })
}

fn show(plan: &Plan, placed: &Placed<Rule>, paint: Paint) -> Result<String, String> {
    let rule = &placed.form;
    let mut out = format!("{}  ({}, {})\n", paint.bold(&visible(&rule.id)), placed.origin, state(plan, rule));
    let mut say = |text: &str| {
        let _ = writeln!(out, "{}", wrap(&visible(text), 2, 80));
    };
    say(&reason(rule));
    if let Some(suggest) = &rule.suggest {
        say(&format!("instead: {suggest}"));
    }
    for placed in plan.exceptions.iter().filter(|placed| placed.form.rule == rule.id) {
        say(&format!("exception until {}: {}", placed.form.until, placed.form.reason));
    }
    let text = toml::to_string_pretty(rule).map_err(|error| format!("cannot show `{}`: {error}", rule.id))?;
    let _ = write!(
        out,
        "\n{}",
        text.lines().map(|line| format!("  {}", visible(line)).trim_end().to_owned() + "\n").collect::<String>()
    );
    Ok(out)
}

fn effects(paint: Paint) -> String {
    let row = |title: &str, names: Vec<&str>| format!("{}\n{}\n\n", paint.bold(title), wrap(&names.join(", "), 2, 80));
    let mut out = row("effect: what a call does", Kind::ALL.iter().map(|kind| kind.name()).collect());
    out += &row("place: where its path lies", Place::ALL.iter().map(|place| place.name()).collect());
    out += &row("flag: how it does it", Flag::ALL.iter().map(|flag| flag.name()).collect());
    out += &row("kind: what sort of tool it is", tollgate_wire::KINDS.to_vec());
    out.trim_end().to_owned() + "\n"
}

fn vocabulary() -> Value {
    json!({
        "effect": Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        "place": Place::ALL.iter().map(|place| place.name()).collect::<Vec<_>>(),
        "flag": Flag::ALL.iter().map(|flag| flag.name()).collect::<Vec<_>>(),
        "kind": tollgate_wire::KINDS,
    })
}
