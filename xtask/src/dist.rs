//! What is given to others: static programs, with completions, a manual page, checksums and an install script.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, cargo};

/// The one platform that is tested.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The same platform with a C library that does nothing before `main`. The usual one asks the processor some seventy
/// things about its caches first, and inside a virtual machine each question takes as long as opening ten files.
const SWIFT: &str = "x86_64-unknown-linux-musl";
/// Without a loader and without relocations a program is started in half the time, and runs on any Linux.
const FLAGS: &str = "-C target-feature=+crt-static -C relocation-model=static";
const SHELLS: [(&str, &str); 3] = [("bash", "tollgate.bash"), ("zsh", "_tollgate"), ("fish", "tollgate.fish")];
const INSTALL: &str = include_str!("dist/install.sh");

/// `[--out DIR]`
pub(crate) fn run(args: &[&str]) -> Result {
    let out = match args {
        [] => PathBuf::from("dist"),
        ["--out", folder] => PathBuf::from(folder),
        _ => return Err(format!("`{}` is not understood; write nothing, or `--out DIR`", args.join(" "))),
    };
    let name = format!("tollgate-{}-x86_64-linux", env!("CARGO_PKG_VERSION"));
    let folder = out.join(&name);
    let _ = fs::remove_dir_all(&folder);
    make(&folder)?;
    let programs = [build(TARGET, "tollgate-cli", "tollgate")?, hook()?];
    for program in &programs {
        copy(program, &folder)?;
    }
    let tollgate = &programs[0];
    for (shell, file) in SHELLS {
        write(&folder.join(file), &said(tollgate, &["completions", shell])?)?;
    }
    write(&folder.join("tollgate.1"), &said(tollgate, &["man"])?)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(Path::new(licence), &folder)?;
    }
    // Its own files are checked again when they are installed, whichever way they came.
    write(&folder.join("SHA256SUMS"), &sums(&folder)?)?;
    write(&folder.join("install.sh"), INSTALL.as_bytes())?;
    execute(Command::new("chmod").arg("+x").arg(folder.join("install.sh")))?;
    let archive = format!("{name}.tar.gz");
    execute(Command::new("tar").current_dir(&out).args([
        "--owner=0",
        "--group=0",
        "--sort=name",
        "-czf",
        &archive,
        &name,
    ]))?;
    let sum = said(Path::new("sha256sum"), &[&out.join(&archive).display().to_string()])?;
    let sum = String::from_utf8_lossy(&sum).split(' ').next().unwrap_or_default().to_owned();
    write(&out.join(format!("{archive}.sha256")), format!("{sum}  {archive}\n").as_bytes())?;
    println!("{}\n  sha256 {sum}", out.join(&archive).display());
    Ok(())
}

/// The hook's program, as it is given to others.
pub(crate) fn hook() -> Result<PathBuf> {
    let target = match install(SWIFT) {
        Ok(()) => SWIFT,
        Err(problem) => {
            println!("{problem}; the hook is built for {TARGET} instead, and starts about 0.7 ms later");
            TARGET
        }
    };
    build(target, "tollgate-hook", "tollgate-hook")
}

/// Sees to it that programs can be built for a target.
fn install(target: &str) -> Result {
    let library = said(Path::new("rustc"), &["--print", "target-libdir", "--target", target])?;
    if Path::new(String::from_utf8_lossy(&library).trim()).exists() {
        return Ok(());
    }
    said(Path::new("rustup"), &["target", "add", target]).map(drop)
}

fn build(target: &str, package: &str, program: &str) -> Result<PathBuf> {
    // Other flags are other artifacts: a folder of their own keeps both.
    let folder = artifacts()?.join("static");
    let line = format!("build -q --profile dist --target {target} -p {package} --bin {program}");
    let folder_text = folder.display().to_string();
    cargo::run_with(&[("RUSTFLAGS", FLAGS), ("CARGO_TARGET_DIR", &folder_text)], &line)?;
    Ok(folder.join(target).join("dist").join(program))
}

fn artifacts() -> Result<PathBuf> {
    let metadata = cargo::metadata()?;
    Ok(PathBuf::from(cargo::text(&metadata, "target_directory")))
}

fn sums(folder: &Path) -> Result<String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut text = String::new();
    for name in names {
        let said = said(Path::new("sha256sum"), &[&folder.join(&name).display().to_string()])?;
        let sum = String::from_utf8_lossy(&said).split(' ').next().unwrap_or_default().to_owned();
        let _ = writeln!(text, "{sum}  {name}");
    }
    Ok(text)
}

fn said(program: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{} {} failed: {}", program.display(), args.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}

fn execute(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}

fn make(folder: &Path) -> Result {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

fn write(path: &Path, bytes: &(impl AsRef<[u8]> + ?Sized)) -> Result {
    fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn copy(from: &Path, folder: &Path) -> Result {
    let name = from.file_name().ok_or_else(|| format!("{} is no file", from.display()))?;
    let copied = fs::copy(from, folder.join(name));
    copied.map(drop).map_err(|error| format!("cannot copy {}: {error}", from.display()))
}
