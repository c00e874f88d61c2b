//! Commands of which every file that runs is known without running them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::find::{BUILT_IN, Finder, INTERPRETERS};
use crate::words::Word;

/// What a shell does itself and that runs nothing else.
const HARMLESS: &[&str] = &[":", "[", "echo", "exit", "false", "printf", "pwd", "test", "true"];
/// What runs that which its arguments or files of its own choice say.
const RUNNERS: &[&str] = &[
    "ant",
    "bazel",
    "bundle",
    "bunx",
    "busybox",
    "cargo",
    "chroot",
    "conda",
    "corepack",
    "direnv",
    "docker",
    "doas",
    "env",
    "expect",
    "find",
    "flock",
    "gem",
    "git",
    "go",
    "gradle",
    "gradlew",
    "guile",
    "hatch",
    "invoke",
    "ionice",
    "java",
    "just",
    "ld.so",
    "make",
    "gmake",
    "mise",
    "mvn",
    "nice",
    "nix",
    "nodejs",
    "nohup",
    "nox",
    "npm",
    "npx",
    "osascript",
    "parallel",
    "pdm",
    "pipenv",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "pwsh",
    "pypy",
    "rake",
    "Rscript",
    "run-parts",
    "rye",
    "script",
    "setsid",
    "ssh",
    "stdbuf",
    "su",
    "sudo",
    "task",
    "tclsh",
    "time",
    "timeout",
    "tox",
    "uv",
    "uvx",
    "watch",
    "xargs",
    "yarn",
];

/// The program and the script that a command runs, if it is one of which all that is known.
pub(crate) fn runs(finder: &Finder<'_>, words: &[&Word], line: bool) -> Option<Vec<PathBuf>> {
    let (first, rest) = words.split_first()?;
    if !words.iter().all(|word| word.plain) {
        return None;
    }
    if line && BUILT_IN.contains(&first.text.as_str()) {
        return HARMLESS.contains(&first.text.as_str()).then(Vec::new);
    }
    // A variable that is set for the program may be what it loads.
    if line && first.text.contains('=') {
        return None;
    }
    let program = finder.program_of(&first.text).ok()?;
    let real = program.canonicalize().ok()?;
    // By whichever name it is called: a link may have another.
    let interpreter = [&program, &real].into_iter().map(|path| bare(path)).find(|name| INTERPRETERS.contains(name));
    match interpreter {
        Some(interpreter) => {
            let script = finder.folder.join(&script(interpreter, rest)?.text);
            script.is_file().then(|| vec![program, script])
        }
        None if [&program, &real].iter().any(|path| RUNNERS.contains(&bare(path))) => None,
        None => Some(vec![program]),
    }
}

/// Whether an interpreter is told to run a module: it looks for that where it runs.
pub(crate) fn has_module(words: &[&Word]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let options = rest.iter().take_while(|word| word.text.starts_with('-'));
    let module = |word: &&Word| word.text.starts_with("-") && !word.text.starts_with("--") && word.text.contains('m');
    INTERPRETERS.contains(&bare(Path::new(&first.text))) && options.copied().any(|word| module(&word))
}

/// The name of a program, without the version.
fn bare(program: &Path) -> &str {
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// The script, behind options that load and run nothing.
fn script<'w>(interpreter: &str, words: &[&'w Word]) -> Option<&'w Word> {
    let letters = match interpreter {
        "python" => "uBIEsSOqvbd",
        "sh" | "bash" | "dash" | "ksh" | "zsh" => "euxfv",
        "perl" | "ruby" => "w",
        _ => "",
    };
    let harmless = |option: &str| !option.is_empty() && option.chars().all(|letter| letters.contains(letter));
    let word = words.iter().find(|word| !word.text.strip_prefix('-').is_some_and(harmless))?;
    (!word.text.starts_with(['-', '+'])).then_some(*word)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use crate::find::{Given, Program, find};

    fn found(folder: &std::path::Path, given: Given<'_>) -> Option<Program> {
        find(given, folder, Some("/usr/bin:/bin".as_ref())).ok().filter(|program| program.plain)
    }

    #[test]
    fn commands_whose_files_are_all_known() {
        let folder = std::env::temp_dir().canonicalize().unwrap();
        let folder = folder.join(format!("tollgate-plain-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).unwrap();
        for file in ["a.sh", "guard.py", "guard.js", "sub/b.sh", "d.sh", "x y.sh"] {
            fs::write(folder.join(file), "").unwrap();
            fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink("/usr/bin/env", folder.join("harmless")).unwrap();
        let out = folder.to_str().unwrap();
        for (line, files) in [
            ("python3 guard.py", "guard.py"),
            ("python3 -u guard.py --strict", "guard.py"),
            ("  sh -eu sub/b.sh  \n", "sub/b.sh"),
            ("./a.sh guard.py", "./a.sh guard.py"),
            ("sh 'x y.sh'", "x y.sh"),
            ("\"$CLAUDE_PROJECT_DIR\"/a.sh", "a.sh"),
            ("OUT/a.sh", "a.sh"),
            ("true", ""),
            ("exit 2", ""),
            ("grep -q prod", ""),
        ] {
            let program = found(&folder, Given::Line(&line.replace("OUT", out)));
            let shown = |program: Program| {
                let names: Vec<String> = program.files.iter().map(|file| file.display().to_string()).collect();
                names.join(" ").replace(&format!("{out}/"), "")
            };
            assert_eq!(program.map(shown).as_deref(), Some(files), "{line}");
        }
        for line in [
            "sh \"$PWD/a.sh\"",
            "sh -c 'true; ./b.sh || true'",
            "node guard",
            "python3 guard",
            "python3 -m guard",
            "python3 -mguard",
            "python3 sub",
            "python3",
            "python3 -c 'import guard' guard.py",
            "perl -e 1 a.sh",
            "perl -Mx a.sh",
            "bash --rcfile d.sh a.sh",
            "make -s x",
            "env ./a.sh",
            "./harmless ./a.sh",
            "sh ./?.sh",
            "sh ${X-./d.sh}",
            "sh<a.sh",
            "sh a.sh; sh d.sh",
            "sh a.sh &",
            "sh a.sh\nsh d.sh",
            "sh a.sh `sh d.sh`",
            "sh a.sh $(sh d.sh)",
            "X=1 sh a.sh",
            ". ./a.sh",
            "exec ./a.sh",
            "eval ./a.sh",
            "~/a.sh",
        ] {
            assert_eq!(found(&folder, Given::Line(line)), None, "{line}");
        }
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (text, plain) in [("sh a.sh $HOME", true), ("sh -c sh<a.sh", false), ("true ; x", true), ("npm x", false)] {
            assert_eq!(found(&folder, Given::Words(&words(text))).is_some(), plain, "{text}");
        }
        // A program that lies nowhere special is known by what it holds.
        let elsewhere = folder.join("sub");
        let program = found(&elsewhere, Given::Line(&format!("{out}/a.sh"))).unwrap();
        assert_eq!(program.files, [folder.join("a.sh")]);
        let program = found(&elsewhere, Given::Line(&format!("sh {out}/a.sh"))).unwrap();
        assert_eq!(program.files, [folder.join("a.sh")]);
        let module = find(Given::Line("python3 -m http"), &folder, Some("/usr/bin:/bin".as_ref())).unwrap();
        assert!(module.stays);
        fs::remove_dir_all(&folder).unwrap();
    }
}
