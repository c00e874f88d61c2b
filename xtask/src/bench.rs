//! Running one benchmark. Each is a program of its own in the `tollgate-benches` package.

use std::path::PathBuf;

use serde_json::Value;

use crate::{Result, built, cargo, dist};

const PACKAGE: &str = "tollgate-benches";

/// `NAME [--quick]`
pub(crate) fn run(args: &[&str]) -> Result {
    let names = names(&cargo::metadata()?);
    let command = command(args, &names)?;
    if !args.contains(&"hook") {
        return cargo::run(&command);
    }
    let program = hook(args.contains(&"--quick"))?.display().to_string();
    cargo::run_with(&[("TOLLGATE_HOOK", &program)], &command)
}

/// Shows that every benchmark still runs. As the tests are built: what it prints is not for comparing.
pub(crate) fn briefly() -> Result {
    let program = built::path("tollgate-hook")?.display().to_string();
    let run = |name: &String| built::run(name, &["--quick"], &[("TOLLGATE_HOOK", &program)]);
    names(&cargo::metadata()?).iter().try_for_each(run)
}

/// The program that the benchmark of hooks starts: as it is given to others or, to see that it still runs, as it is.
fn hook(quick: bool) -> Result<PathBuf> {
    if !quick {
        return dist::hook();
    }
    cargo::run("build -q --release -p tollgate-hook --bin tollgate-hook")?;
    Ok(PathBuf::from(cargo::text(&cargo::metadata()?, "target_directory")).join("release/tollgate-hook"))
}

fn command(args: &[&str], names: &[String]) -> Result<String> {
    let (name, quick) = match args {
        [name] => (name, false),
        [name, "--quick"] | ["--quick", name] => (name, true),
        [] => return Err(format!("say which benchmark to run: {}", choices(names))),
        _ => {
            return Err(format!(
                "`{}` is not understood; write a benchmark's name, and perhaps `--quick`",
                args.join(" ")
            ));
        }
    };
    if !names.iter().any(|known| known == name) {
        return Err(format!("there is no benchmark `{name}`; choose from: {}", choices(names)));
    }
    let tail = if quick { " --quick" } else { "" };
    Ok(format!("run --release -q -p {PACKAGE} --bin {name} --{tail}"))
}

fn choices(names: &[String]) -> String {
    if names.is_empty() { format!("(package `{PACKAGE}` has no programs yet)") } else { names.join(", ") }
}

fn names(metadata: &Value) -> Vec<String> {
    let packages = cargo::list(metadata, "packages").filter(|package| cargo::text(package, "name") == PACKAGE);
    let targets = packages.flat_map(|package| cargo::list(package, "targets"));
    let programs = targets.filter(|target| cargo::list(target, "kind").any(|kind| kind == "bin"));
    programs.map(|target| cargo::text(target, "name").to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_the_programs_of_the_package() {
        let metadata = json!({"packages": [
            {"name": "xtask", "targets": [{"name": "xtask", "kind": ["bin"]}]},
            {"name": "tollgate-benches", "targets": [
                {"name": "core", "kind": ["bin"]},
                {"name": "tollgate_benches", "kind": ["lib"]},
            ]},
        ]});
        assert_eq!(names(&metadata), ["core"]);
    }

    #[test]
    fn arguments() {
        let names = ["core".to_owned(), "wire".to_owned()];
        for (args, expected) in [
            (&["core"][..], Ok("run --release -q -p tollgate-benches --bin core --")),
            (&["wire", "--quick"], Ok("run --release -q -p tollgate-benches --bin wire -- --quick")),
            (&["cone"], Err("there is no benchmark `cone`; choose from: core, wire")),
            (&[], Err("say which benchmark to run: core, wire")),
            (
                &["core", "--wrong"],
                Err("`core --wrong` is not understood; write a benchmark's name, and perhaps `--quick`"),
            ),
        ] {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(command(args, &names), expected, "{args:?}");
        }
    }
}
