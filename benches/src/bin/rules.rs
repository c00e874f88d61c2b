//! Measures decisions by policy, beside other guards; see the library's page for how to run it.

use std::fmt::Write as _;
use std::io::Write;

use tollgate_benches::cases::Trouble;
use tollgate_benches::harness::{Effort, measure};
use tollgate_benches::peers;
use tollgate_benches::policy::{self, COMMANDS, TEN_COMMANDS};
use tollgate_benches::report::Report;
use tollgate_testkit::CountingAlloc;

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

fn main() -> Result<(), Trouble> {
    let (mut quick, mut json) = (false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => quick = true,
            "--json" => json = true,
            other => return Err(format!("there is no `{other}`; use --quick or --json").into()),
        }
    }
    let report = Report(measure(policy::all()?, if quick { Effort::QUICK } else { Effort::FULL }));
    let mut text = if json { report.json() } else { report.to_string() };
    // Installing others takes a while and needs the network; a quick look does without.
    if !quick && !json {
        text += &beside(&report)?;
    }
    // Whoever stopped reading has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

/// The same commands by other guards, each in a process of its own that has warmed up.
fn beside(report: &Report) -> Result<String, Trouble> {
    let ours = report.get(TEN_COMMANDS).map_or(f64::NAN, |row| row.min / COMMANDS.len() as f64);
    let mut text = format!("\none decision, on average over {} everyday commands\n", COMMANDS.len());
    let _ = writeln!(text, "  {:<38}{:>10.1} µs", "tollgate, all packs", ours / 1000.0);
    for peer in peers::measure(&COMMANDS, 20)? {
        let _ = writeln!(text, "  {:<38}{:>10.1} µs{:>8.0} ×", peer.name, peer.took / 1000.0, peer.took / ours);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_case_runs_and_names_a_floor_that_exists() {
        let mut cases = tollgate_benches::policy::all().unwrap();
        let known: Vec<_> = cases.iter().map(|case| case.what).collect();
        for case in &mut cases {
            (case.batch)(1);
            assert!(case.floor.is_none_or(|floor| known.contains(&floor)), "{}", case.what);
        }
    }
}
