//! Measures the pipeline; see the library's page for how to run it.

use std::io::Write;

use tollgate_benches::cases::{self, Trouble};
use tollgate_benches::harness::{Effort, measure};
use tollgate_benches::report::Report;
use tollgate_testkit::CountingAlloc;

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

fn main() -> Result<(), Trouble> {
    let (mut effort, mut json) = (Effort::FULL, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => effort = Effort::QUICK,
            "--json" => json = true,
            other => return Err(format!("there is no `{other}`; use --quick or --json").into()),
        }
    }
    let report = Report(measure(cases::all()?, effort));
    let text = if json { report.json() } else { report.to_string() };
    // Whoever stopped reading has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use tollgate_benches::cases::{NOTHING, OTHERS, TEN_GUARDS, all};

    #[test]
    fn every_case_runs_and_names_a_floor_that_exists() {
        let mut cases = all().unwrap();
        let known: Vec<_> = cases.iter().map(|case| case.what).collect();
        for case in &mut cases {
            (case.batch)(1);
            assert!(case.floor.is_none_or(|floor| known.contains(&floor)), "{}", case.what);
        }
    }

    #[test]
    fn nothing_is_allocated_where_that_is_promised() {
        for mut case in all().unwrap() {
            if [NOTHING, OTHERS, TEN_GUARDS].contains(&case.what) {
                (case.batch)(1);
                assert_eq!((case.batch)(10).allocations, 0, "{}", case.what);
            }
        }
    }
}
