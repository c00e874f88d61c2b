//! From what somebody wrote to a program that can be started.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::plain;
use crate::words::{Word, commands, only};

/// What runs lines.
const SHELL: &str = "/bin/sh";
/// The variable that stands for the project's folder in hooks of Claude Code.
pub(crate) const PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// A command, as it is written.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// A line for `sh -c`.
    Line(&'a str),
    /// A program and its arguments, without a shell.
    Words(&'a [String]),
}

/// A program that was found: it can be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Program {
    /// The program, with its full path, and its arguments.
    pub argv: Vec<String>,
    /// The folder that its relative names are relative to: that of the file it is written in.
    pub folder: PathBuf,
    /// Whether it runs in that folder, because it names files there. Else it runs where the event happens.
    pub stays: bool,
    /// The folder of the project it belongs to, if it came with one.
    pub project: Option<PathBuf>,
    /// The files below the folder that the command names: to trust it is to trust these. Where [`plain`](Self::plain),
    /// also the script it runs, wherever that lies.
    pub files: Vec<PathBuf>,
    /// Every file that the command names, wherever it lies, and the program itself.
    #[serde(default)]
    pub named: Vec<PathBuf>,
    /// Whether every file that it runs is known: it is a program, perhaps one that runs a script that is there, and
    /// plain arguments.
    #[serde(default)]
    pub plain: bool,
}

/// Why there is no such program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfound {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Which bytes of a line.
    pub within: Option<Range<usize>>,
    /// Which word of a list.
    pub word: Option<usize>,
}

/// What a shell does itself.
pub(crate) const BUILT_IN: &[&str] = &[
    "!", ".", ":", "[", "alias", "case", "cd", "command", "echo", "eval", "exec", "exit", "export", "false", "for",
    "if", "local", "printf", "pwd", "read", "return", "set", "shift", "source", "test", "time", "trap", "true", "type",
    "ulimit", "umask", "unset", "until", "wait", "while", "{",
];
/// What runs a script that is named next.
pub(crate) const INTERPRETERS: &[&str] = &[
    "bash", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "python", "ruby", "sh", "ts-node",
    "tsx", "zsh",
];

/// Looks for a program and for the script that it is told to run. `path` is where programs are looked for, like `$PATH`.
///
/// ```
/// use std::path::Path;
/// use tollgate_host_command::{Given, find};
///
/// let found = find(Given::Line("true"), Path::new("/tmp"), Some("/usr/bin:/bin".as_ref())).unwrap();
/// assert_eq!(found.argv, ["/bin/sh", "-c", "true"]);
///
/// let words = ["no-such-program".to_owned()];
/// let unfound = find(Given::Words(&words), Path::new("/tmp"), Some("/usr/bin:/bin".as_ref())).unwrap_err();
/// assert_eq!(unfound.message, "there is no program `no-such-program`");
/// ```
pub fn find(given: Given<'_>, folder: &Path, path: Option<&OsStr>) -> Result<Program, Unfound> {
    let finder = Finder { folder, path };
    match given {
        Given::Line(line) => finder.line(line),
        Given::Words(words) => finder.words(words),
    }
}

pub(crate) struct Finder<'a> {
    pub(crate) folder: &'a Path,
    path: Option<&'a OsStr>,
}

impl Finder<'_> {
    fn line(&self, line: &str) -> Result<Program, Unfound> {
        let folder = self.folder.to_string_lossy();
        let all = commands(line, &[(PROJECT, &folder)]);
        let Some(first) = all.first() else {
            return Err(Unfound { message: "the command is empty".to_owned(), ..Unfound::write_one() });
        };
        let assigns = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
        let words: Vec<&Word> = first.iter().skip_while(assigns).collect();
        self.check(&words)
            .map_err(|(word, unfound)| Unfound { within: words.get(word).map(|word| word.at.clone()), ..unfound })?;
        let plain: Vec<&str> = all.iter().flatten().filter(|word| word.plain).map(|word| word.text.as_str()).collect();
        let stays = all.len() > 1 || self.names_a_file(&plain) || plain::has_module(&words);
        let argv = vec![SHELL.to_owned(), "-c".to_owned(), line.to_owned()];
        let every: Vec<&Word> = all.iter().flatten().collect();
        let mut program = self.program(argv, stays, &plain, &every);
        if let Some(words) = only(line, &[(PROJECT, &folder)]) {
            self.settle(&mut program, plain::runs(self, &words.iter().collect::<Vec<_>>(), true));
        }
        // Where it goes, other names mean files there.
        for (at, command) in all.iter().enumerate() {
            if let [go, folder] = &command[..]
                && go.text == "cd"
                && folder.plain
            {
                let there = Finder { folder: &self.folder.join(&folder.text), path: self.path };
                let then = all[at + 1..].iter().flatten().filter(|word| word.plain).map(|word| word.text.as_str());
                program.files.extend(there.files(&then.collect::<Vec<_>>()));
            }
        }
        program.files.sort();
        program.files.dedup();
        Ok(program)
    }

    fn words(&self, given: &[String]) -> Result<Program, Unfound> {
        let words: Vec<Word> = given.iter().map(|text| Word { text: text.clone(), at: 0..0, plain: true }).collect();
        let words: Vec<&Word> = words.iter().collect();
        if given.first().is_none_or(|first| first.trim().is_empty()) {
            return Err(Unfound { message: "the command is empty".to_owned(), ..Unfound::write_one() });
        }
        let found = self.program_of(&given[0]).map_err(|unfound| Unfound { word: Some(0), ..unfound })?;
        self.script(&words).map_err(|(word, unfound)| Unfound { word: Some(word), ..unfound })?;
        let plain: Vec<&str> = given.iter().map(String::as_str).collect();
        let mut argv = given.to_vec();
        argv[0] = found.to_string_lossy().into_owned();
        let stays = self.names_a_file(&plain) || plain::has_module(&words);
        let mut program = self.program(argv, stays, &plain, &words);
        self.settle(&mut program, plain::runs(self, &words, false));
        Ok(program)
    }

    /// Whether the first command of a line can be started, and where not, at which word.
    fn check(&self, words: &[&Word]) -> Result<(), (usize, Unfound)> {
        let Some(first) = words.first().filter(|first| first.plain) else { return Ok(()) };
        if BUILT_IN.contains(&first.text.as_str()) {
            return Ok(());
        }
        self.program_of(&first.text).map_err(|unfound| (0, unfound))?;
        self.script(words)
    }

    pub(crate) fn program_of(&self, name: &str) -> Result<PathBuf, Unfound> {
        if !name.contains('/') {
            let folders = std::env::split_paths(self.path.unwrap_or_default()).filter(|folder| folder.is_absolute());
            let found = folders.map(|folder| folder.join(name)).find(|path| is_program(path));
            return found.ok_or_else(|| Unfound {
                message: format!("there is no program `{name}`"),
                help: "install it, or write its full path; it is looked for in the folders of $PATH".to_owned(),
                within: None,
                word: None,
            });
        }
        let path = self.folder.join(name);
        match fs::metadata(&path) {
            Ok(about) if about.is_file() && is_program(&path) => Ok(path),
            Ok(about) if about.is_file() => Err(Unfound {
                message: format!("`{name}` cannot be run"),
                help: format!("`chmod +x {name}`, or name what runs it first"),
                within: None,
                word: None,
            }),
            _ => Err(self.no_file(name)),
        }
    }

    /// The script that an interpreter is told to run.
    fn script(&self, words: &[&Word]) -> Result<(), (usize, Unfound)> {
        let Some((first, rest)) = words.split_first() else { return Ok(()) };
        let name = Path::new(&first.text).file_name().and_then(OsStr::to_str).unwrap_or_default();
        if !INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')) {
            return Ok(());
        }
        let options = rest.iter().take_while(|word| word.text.starts_with('-'));
        // Text or a module to run, and no file.
        if options.clone().any(|word| ["-c", "-e", "-m", "-p", "-"].contains(&word.text.as_str())) {
            return Ok(());
        }
        let at = options.count();
        let Some(script) = rest.get(at).filter(|script| script.plain) else { return Ok(()) };
        let is_path = script.text.contains('/') || Path::new(&script.text).extension().is_some();
        if is_path && !self.folder.join(&script.text).is_file() {
            return Err((at + 1, self.no_file(&script.text)));
        }
        Ok(())
    }

    fn no_file(&self, name: &str) -> Unfound {
        let help = match Path::new(name).is_absolute() {
            true => "correct the path".to_owned(),
            false => "correct the path; it is relative to the folder of this file".to_owned(),
        };
        Unfound { message: format!("there is no file `{name}`"), help, within: None, word: None }
    }

    /// Whether a word means another file in another folder.
    fn names_a_file(&self, words: &[&str]) -> bool {
        let called = words.first().is_some_and(|first| first.contains('/') && !first.starts_with('/'));
        let relative =
            |part: &str| !part.is_empty() && !Path::new(part).is_absolute() && self.folder.join(part).is_file();
        called || parts(words.get(1..).unwrap_or_default()).any(relative)
    }

    /// What a plain command runs, noted.
    fn settle(&self, program: &mut Program, runs: Option<Vec<PathBuf>>) {
        program.plain = runs.is_some();
        let strange = runs.into_iter().flatten().filter(|path| !self.is_on_path(path));
        program.files.extend(strange);
        program.files.sort();
        program.files.dedup();
    }

    /// Whether a program lies where programs are looked for, and not in the folder.
    fn is_on_path(&self, program: &Path) -> bool {
        let mut folders = std::env::split_paths(self.path.unwrap_or_default());
        !program.starts_with(self.folder) && folders.any(|folder| program.parent() == Some(&folder))
    }

    fn program(&self, argv: Vec<String>, stays: bool, words: &[&str], every: &[&Word]) -> Program {
        let named = self.named(every);
        let called = words.first().filter(|first| !first.contains('/')).copied();
        // A program that is found by its name is no file here, whatever else is called so.
        let words: Vec<&str> = words.iter().copied().filter(|word| Some(*word) != called).collect();
        let mut files = self.files(&words);
        files.sort();
        files.dedup();
        Program { argv, folder: self.folder.to_owned(), stays, project: None, files, named, plain: false }
    }

    /// Every file that words name, and the program that the first is.
    fn named(&self, words: &[&Word]) -> Vec<PathBuf> {
        let first = words.first().filter(|first| first.plain && !first.text.contains('/'));
        let program = first.and_then(|first| self.program_of(&first.text).ok());
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let of_home = |text: &str| {
            let rest = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| text.strip_prefix(home))?;
            Some(home.as_ref()?.join(rest))
        };
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let paths = parts(&texts).filter(|part| !part.is_empty());
        let paths = paths.map(|part| of_home(part).unwrap_or_else(|| self.folder.join(part)));
        let mut named: Vec<PathBuf> = paths.filter(|path| path.is_file()).chain(program).collect();
        named.sort();
        named.dedup();
        named
    }

    /// The files below the folder that words name, also behind a `=`.
    fn files(&self, words: &[&str]) -> Vec<PathBuf> {
        let named = parts(words).filter(|part| !part.is_empty()).map(|part| self.folder.join(part));
        named.filter(|path| path.starts_with(self.folder) && path.is_file()).collect()
    }
}

/// What may name a file in words: they themselves, and what follows a `=` in them.
fn parts<'w>(words: &[&'w str]) -> impl Iterator<Item = &'w str> {
    words.iter().flat_map(|word| [Some(*word), word.split_once('=').map(|(_, value)| value)]).flatten()
}

impl Unfound {
    fn write_one() -> Self {
        let help = "write a line for a shell, or a list: the program and its arguments".to_owned();
        Self { message: String::new(), help, within: None, word: None }
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
