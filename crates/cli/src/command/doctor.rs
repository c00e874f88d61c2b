//! `tollgate doctor`

mod around;

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_config::Paths;
use tollgate_engine::Installed;
use tollgate_hook::setup::{Finding, Place, Report, SETUPS, Setup, Weight, chosen, examine};

use super::{Done, Failure, NO};
use crate::args::{Doctor, Policy};
use crate::output::{Paint, print, print_json, visible, wrap};

pub(super) fn run(policy: &Policy, args: &Doctor, paint: Paint) -> Done {
    let place = Place::of_process()?;
    let program = place.this_program()?;
    let reports: Vec<Report> =
        examined(policy, args, &place)?.into_iter().map(|setup| examine(setup, &place, &program)).collect();
    let around = around::findings(policy, &reports);
    let worst = around.iter().map(|finding| finding.weight).chain(reports.iter().map(Report::weight)).max();
    // Where there is no agent, nobody knows whether something is enforced.
    let worst = worst.filter(|_| !reports.is_empty()).unwrap_or(Weight::Unknown);
    if args.json.json {
        print_json(&document(&around, &reports, worst))?;
    } else {
        print(&shown(&around, &reports, worst, &place, paint))?;
    }
    Ok(match worst {
        Weight::Good | Weight::Note => ExitCode::SUCCESS,
        Weight::Bad => ExitCode::from(NO),
        Weight::Unknown => ExitCode::from(2),
    })
}

/// The agents that were named; else those that are installed or registered.
fn examined(policy: &Policy, args: &Doctor, place: &Place) -> Result<Vec<&'static Setup>, Failure> {
    let found = chosen(place, &args.agent)?;
    if !args.agent.is_empty() {
        return Ok(found);
    }
    let paths = Paths::of_process(policy.config.as_deref())?;
    let installed = paths.data().ok().and_then(|data| Installed::read(data).ok()).unwrap_or_default();
    let is_registered = |id: &str| installed.agents().iter().any(|(agent, _)| *agent == id);
    let wanted = |setup: &&Setup| found.iter().any(|found| found.id == setup.id) || is_registered(setup.id);
    Ok(SETUPS.iter().filter(|setup| setup.agent().is_some()).filter(wanted).collect())
}

/// What a weight means for an agent.
fn standing(weight: Weight) -> &'static str {
    match weight {
        Weight::Good | Weight::Note => "enforced",
        Weight::Bad => "NOT ENFORCED",
        Weight::Unknown => "not known",
    }
}

fn painted(weight: Weight, text: &str, paint: Paint) -> String {
    match weight {
        Weight::Good => paint.green(text),
        Weight::Note => paint.dim(text),
        Weight::Unknown => paint.yellow(text),
        Weight::Bad => paint.red(text),
    }
}

fn shown(around: &[Finding], reports: &[Report], worst: Weight, place: &Place, paint: Paint) -> String {
    let mut out = String::new();
    section(&mut out, &paint.bold("Tollgate"), around, paint);
    for report in reports {
        let weight = report.weight();
        let standing = painted(if weight == Weight::Note { Weight::Good } else { weight }, standing(weight), paint);
        section(&mut out, &format!("{}  {standing}", paint.bold(report.setup.title())), &report.findings, paint);
    }
    if reports.is_empty() {
        let known = SETUPS.iter().filter(|setup| setup.agent().is_some());
        let looked = known.map(|setup| format!("  {:<12} {}\n", setup.id, visible(&setup.looked_for(place))));
        let _ = write!(out, "no coding agent was found; looked for\n{}\n", looked.collect::<String>());
    }
    let end = match worst {
        Weight::Good | Weight::Note => paint.green("everything is enforced"),
        Weight::Bad => paint.red("something is not enforced"),
        Weight::Unknown if reports.is_empty() => {
            paint.yellow("nothing is judged yet; name an agent that is not installed yet: tollgate init --agent NAME")
        }
        Weight::Unknown => paint.yellow("whether everything is enforced is not known"),
    };
    let _ = writeln!(out, "{end}");
    out
}

fn section(out: &mut String, title: &str, findings: &[Finding], paint: Paint) {
    let _ = writeln!(out, "{title}");
    for Finding { weight, text, mend } in findings {
        let mark = match weight {
            Weight::Good => "ok",
            Weight::Note => "note",
            Weight::Unknown => "?",
            Weight::Bad => "NO",
        };
        let text = wrap(&visible(text), 8, 80);
        let _ = writeln!(out, "  {}{}", painted(*weight, &format!("{mark:<6}"), paint), text.trim_start());
        if let Some(mend) = mend {
            let _ = writeln!(out, "{}", wrap(&format!("mend: {}", visible(mend)), 8, 80));
        }
    }
    out.push('\n');
}

fn document(around: &[Finding], reports: &[Report], worst: Weight) -> Value {
    let finding = |finding: &Finding| {
        let weight = match finding.weight {
            Weight::Good => "good",
            Weight::Note => "note",
            Weight::Unknown => "unknown",
            Weight::Bad => "bad",
        };
        json!({ "weight": weight, "text": finding.text, "mend": finding.mend })
    };
    let findings = |list: &[Finding]| list.iter().map(finding).collect::<Vec<_>>();
    let enforced = |weight: Weight| match weight {
        Weight::Good | Weight::Note => json!(true),
        Weight::Bad => json!(false),
        Weight::Unknown => Value::Null,
    };
    let agents = reports.iter().map(|report| {
        json!({
            "agent": report.setup.id,
            "enforced": enforced(report.weight()),
            "files": report.files,
            "events": report.events,
            "findings": findings(&report.findings),
        })
    });
    json!({
        "ok": worst <= Weight::Note,
        "enforced": enforced(worst),
        "tollgate": findings(around),
        "agents": agents.collect::<Vec<_>>(),
    })
}
