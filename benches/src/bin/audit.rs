//! Measures the record; see the library's page for how to run it.

use std::io::Write;

use tollgate_benches::audit;
use tollgate_benches::cases::Trouble;

fn main() -> Result<(), Trouble> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (quick, json) = match args[..] {
        [] => (false, false),
        ["--quick"] => (true, false),
        ["--json"] => (false, true),
        ["--quick", "--json"] | ["--json", "--quick"] => (true, true),
        ["--append"] => {
            let _ = std::io::stdout().write_all(audit::appending()?.as_bytes());
            return Ok(());
        }
        // How it starts itself, to measure a process that records once.
        [job @ ("read" | "record"), root, call] => return audit::child(job, root, call),
        _ => return Err(format!("`{}` is not understood; use --quick, --json or --append", args.join(" ")).into()),
    };
    let shown = audit::all(quick)?;
    let text = if json { shown.json() } else { shown.to_string() };
    // Whoever stopped reading has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}
