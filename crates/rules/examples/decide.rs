//! How long a decision takes with few rules and with many. Run with `cargo run --release -p tollgate-rules --example
//! decide`; the ratios are what counts.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that measures")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_core::{Body, Event, Guard, Point, Role, Step, Verdict};
use tollgate_rules::form::Date;
use tollgate_rules::{Ambient, GUARD, RuleSet, Setting, Source, Still, compile};

/// Rules as people write them, each about something else.
fn rules(count: usize, sort: &str) -> RuleSet {
    let rule = |number: usize| {
        let sort = if sort == "mixed" { ["tool", "text", "regex", "path", "host", "when"][number % 6] } else { sort };
        let conditions = match sort {
            "tool" => json!({"tool": format!("tool_{number}")}),
            "text" => json!({"tool": "exec", "arg": {"command": {"contains": format!("service-{number}x")}}}),
            "regex" => json!({"kind": "exec", "text": {"regex": format!(r"(?i)\bdeploy-{number}\s+--prod")}}),
            "path" => json!({"effect": "delete", "path": format!("/srv/data{number}/**")}),
            "host" => json!({"effect": "network", "host": format!("*.h{number}.internal")}),
            _ => json!({"tool": format!("pay_{number}"), "when": "args.amount > 100"}),
        };
        let mut form = conditions;
        form["id"] = json!(format!("r{number}"));
        form["deny"] = json!("no");
        Source { form: serde_json::from_value(form).unwrap(), origin: "bench".into(), path: Vec::new() }
    };
    compile((0..count).map(rule).collect(), &Setting::on(Date::new(2026, 1, 1).unwrap())).unwrap()
}

/// The time of one decision, the best of several rounds.
fn decide(set: &RuleSet, tool: &str, arguments: &Value) -> Duration {
    let ambient: Arc<dyn Ambient> = Arc::new(Still::default());
    let registrations = set.registrations(&ambient, None);
    let guard = registrations.iter().find_map(|registration| match &registration.role {
        Role::Guard(guard) if *registration.id == *GUARD => Some(Arc::clone(guard)),
        _ => None,
    });
    let guard: Arc<dyn Guard> = guard.unwrap();
    let names = tollgate_wire::names();
    let name = names.name(tool);
    let event = Event { cwd: Some("/home/user/project"), ..Event::tool(Point::ToolBefore, &name, "c") };
    let body = Body::from(arguments.clone());
    let once = || match guard.judge(black_box(&event), &body) {
        Step::Now(Ok(Verdict::Pass)) => {}
        _ => std::process::abort(),
    };
    let round = || {
        let start = Instant::now();
        (0..200).for_each(|_| once());
        start.elapsed() / 200
    };
    (0..20).map(|_| round()).min().unwrap()
}

fn main() {
    println!("{:<8}{:<24}{:>10}{:>10}{:>10}{:>8}", "rules", "call", "1", "100", "10000", "ratio");
    let calls = [
        ("exec", json!({"command": "cargo test -p core && rm -rf target/tmp | tee out.log"})),
        ("exec", json!({"command": "ls"})),
        ("read", json!({"file_path": "src/main.rs"})),
        ("mcp__github__list", json!({"owner": "a", "repo": "b", "page": 3})),
    ];
    for sort in ["tool", "text", "regex", "path", "host", "when", "mixed"] {
        let sets = [1, 100, 10_000].map(|count| rules(count, sort));
        for (tool, arguments) in &calls {
            let [one, few, many] = [0, 1, 2].map(|at| decide(&sets[at], tool, arguments).as_nanos());
            let call: String = arguments.to_string().chars().take(22).collect();
            let ratio = many as f64 / few as f64;
            println!("{sort:<8}{call:<24}{one:>8}ns{few:>8}ns{many:>8}ns{ratio:>7.1}x");
        }
    }
    for sort in ["tool", "text", "regex", "path", "host", "when", "mixed"] {
        let [few, many] = [100, 10_000].map(|count| {
            let start = Instant::now();
            drop(black_box(rules(count, sort)));
            start.elapsed()
        });
        println!("compiling {sort}: 100 in {few:.1?}, 10000 in {many:.1?}");
    }
}
