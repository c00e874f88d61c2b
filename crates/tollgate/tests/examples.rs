//! The examples do what they say: each prints exactly what its header promises, and the README and its
//! picture show what the examples hold.

#![allow(clippy::expect_used, clippy::panic, reason = "a test ends here, and says why")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const MANIFEST: &str = "crates/tollgate/Cargo.toml";
const PICTURE: &str = "docs/session.svg";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("cannot read `{path}`: {error}"))
}

/// The names of the programs in `examples/`.
fn files() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("examples")).expect("there is a folder `examples`");
    let names = entries.map(|entry| entry.expect("it can be read").file_name().into_string().expect("a plain name"));
    names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect()
}

/// The names that the manifest lists, checked against their paths.
fn listed(manifest: &str) -> BTreeSet<String> {
    let value = |table: &str, key: &str| {
        let line = table.lines().take_while(|line| !line.starts_with('[')).find(|line| line.starts_with(key))?;
        line.split('"').nth(1).map(str::to_owned)
    };
    let mut names = BTreeSet::new();
    for table in manifest.split("[[example]]\n").skip(1) {
        let name = value(table, "name").unwrap_or_else(|| panic!("an example without a name in `{MANIFEST}`"));
        assert_eq!(value(table, "path"), Some(format!("../../examples/{name}.rs")), "the path of example `{name}`");
        assert!(names.insert(name.clone()), "`{MANIFEST}` lists example `{name}` twice");
    }
    names
}

/// What the header says the program prints.
fn promised(source: &str) -> Option<String> {
    let header: Vec<&str> = source.lines().take_while(|line| line.starts_with("//!")).collect();
    let header = header.iter().map(|line| line.strip_prefix("//! ").unwrap_or_default());
    let mut lines = header.skip_while(|line| *line != "Prints:").skip_while(|line| *line != "```text").skip(1);
    let mut block = String::new();
    loop {
        match lines.next()? {
            "```" => return Some(block),
            line => block.extend([line, "\n"]),
        }
    }
}

/// Where cargo puts built examples: next to the folder this test is in.
fn built() -> PathBuf {
    let this = std::env::current_exe().expect("a test knows where it is");
    this.parent().and_then(Path::parent).expect("it is two folders deep").join("examples")
}

/// Some ways of running tests build the examples first and some do not: builds what is not there or is older
/// than the sources.
fn build(names: &BTreeSet<String>) {
    let folders = ["examples", "crates/core/src", "crates/wire/src", "crates/tollgate/src"];
    let newest = folders.iter().filter_map(|folder| newest(&root().join(folder))).max();
    let stale = |name: &String| modified(&program(name)) < newest;
    if !names.iter().any(stale) {
        return;
    }
    let (built, mut cargo) = (built(), Command::new(env!("CARGO")));
    cargo.current_dir(root()).args(["build", "--quiet", "--package", "tollgate", "--examples"]);
    let profile = built.parent().expect("it is in a profile's folder");
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    cargo.arg("--target-dir").arg(profile.parent().expect("which is in the target folder"));
    assert!(cargo.status().expect("cargo runs").success(), "the examples cannot be built");
}

fn program(name: &str) -> PathBuf {
    built().join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|about| about.modified()).ok()
}

/// When something in a folder was last changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries
        .filter_map(|entry| if entry.path().is_dir() { newest(&entry.path()) } else { modified(&entry.path()) })
        .max()
}

/// What is wrong with an example, if anything is.
fn problem(name: &str) -> Option<String> {
    let Some(promised) = promised(&read(&format!("examples/{name}.rs"))) else {
        return Some(format!("`{name}` does not say what it prints: a line `Prints:`, then a block of text"));
    };
    let output = match Command::new(program(name)).current_dir(root()).output() {
        Ok(output) => output,
        Err(error) => return Some(format!("`{name}` does not run: {error}")),
    };
    let (printed, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() && printed == promised && complaint.is_empty() {
        return None;
    }
    let status = output.status;
    Some(format!("`{name}` ({status})\n--- promised\n{promised}--- printed\n{printed}--- complained\n{complaint}"))
}

#[test]
fn the_manifest_lists_every_example() {
    assert_eq!(listed(&read(MANIFEST)), files(), "left: in `{MANIFEST}`; right: in `examples/`");
}

#[test]
fn examples_print_what_they_promise() {
    let names = files();
    build(&names);
    let problems: Vec<String> = names.iter().filter_map(|name| problem(name)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_code_in_the_readme_is_in_an_example() {
    let sources: Vec<String> = files().iter().map(|name| read(&format!("examples/{name}.rs"))).collect();
    let readme = read("README.md");
    let blocks = readme.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut count = 0;
    for block in blocks {
        assert!(sources.iter().any(|source| source.contains(block)), "in no example:\n{block}");
        count += 1;
    }
    assert!(count > 0, "the README shows no code");
}

#[test]
fn the_picture_shows_the_session() {
    let picture = read(PICTURE);
    let texts = picture.split("<text ").skip(1).filter_map(|rest| rest.split_once('>')?.1.split("</text>").next());
    let shown: Vec<String> = texts.map(text_of).collect();
    let promised = promised(&read("examples/session.rs")).unwrap_or_default();
    let expected = ["$ cargo run --example session"].into_iter().chain(promised.lines());
    let expected: Vec<String> = expected.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    assert_eq!(shown, expected, "`{PICTURE}` is not of this session");
}

/// What stands between the tags.
fn text_of(element: &str) -> String {
    let text: String = element.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
