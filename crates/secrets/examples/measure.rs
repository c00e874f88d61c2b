//! Measures the rules against labelled texts.
//!
//! ```sh
//! cargo run --release -p tollgate-secrets --example measure -- <folder> [--misses]
//! ```
//!
//! The folder holds `*.jsonl` files with rows of `text`, `expected_rule` (null where the text is clean) and `rule`.

#![allow(clippy::print_stdout, reason = "a program to be read on the terminal")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use tollgate_secrets::Scanner;

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    let show_misses = arguments.any(|argument| argument == "--misses");
    let sets = read_folder(Path::new(&folder))?;
    let secret_elsewhere = sets.values().flatten().filter(|row| row.secret).map(|row| row.text.clone()).collect();
    println!(
        "{:<16} {:>9} {:>6} {:>8} {:>7} {:>7} {:>9} {:>9} {:>6} {:>5} {:>7}",
        "file",
        "positives",
        "found",
        "left out",
        "recall",
        "of all",
        "negatives",
        "same text",
        "(hits)",
        "hits",
        "rate"
    );
    let mut all = Tally::default();
    for (name, rows) in &sets {
        let mut tally = Tally::default();
        rows.iter().for_each(|row| tally.count(row, &secret_elsewhere, show_misses));
        tally.print(name);
        all.add(&tally);
    }
    all.print("all");
    for (reason, count) in &all.left_out {
        println!("left out {count:>5}: {reason}");
    }
    Ok(())
}

struct Row {
    text: String,
    secret: bool,
    label: String,
}

fn read_folder(folder: &Path) -> io::Result<BTreeMap<String, Vec<Row>>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files
        .into_iter()
        .map(|path| Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), read_rows(&path)?)))
        .collect()
}

fn read_rows(path: &Path) -> io::Result<Vec<Row>> {
    let rows = fs::read_to_string(path)?;
    let row = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        Some(Row {
            text: value["text"].as_str()?.to_owned(),
            secret: !value["expected_rule"].is_null(),
            label: value["rule"].as_str().unwrap_or_default().to_owned(),
        })
    };
    Ok(rows.lines().filter_map(row).collect())
}

#[derive(Default)]
struct Tally {
    positives: usize,
    found: usize,
    /// Found among all, those left out included.
    found_of_all: usize,
    counted: usize,
    negatives: usize,
    hits: usize,
    /// Texts that are labelled clean in one row and secret in another: nothing that reads the text can meet both.
    same_text: usize,
    same_text_hits: usize,
    left_out: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn count(&mut self, row: &Row, secret_elsewhere: &BTreeSet<String>, show_misses: bool) {
        let found = !Scanner::new().find(&row.text).is_empty();
        if row.secret {
            self.count_positive(row, found, show_misses);
        } else if secret_elsewhere.contains(&row.text) {
            self.negatives += 1;
            self.same_text += 1;
            self.same_text_hits += usize::from(found);
        } else {
            self.negatives += 1;
            self.hits += usize::from(found);
            if found && show_misses {
                let rules: Vec<_> = Scanner::new().find(&row.text).into_iter().map(|found| found.rule).collect();
                println!("HIT\t{}\t{rules:?}\t{:?}", row.label, row.text);
            }
        }
    }

    fn count_positive(&mut self, row: &Row, found: bool, show_misses: bool) {
        self.positives += 1;
        self.found_of_all += usize::from(found);
        if let Err(reason) = carries_context(&row.text) {
            *self.left_out.entry(reason).or_default() += 1;
            if show_misses {
                println!("{}\t{}\t{reason}\t{:?}", if found { "FOUND-OUT" } else { "OUT" }, row.label, row.text);
            }
            return;
        }
        self.counted += 1;
        self.found += usize::from(found);
        if !found && show_misses {
            println!("MISS\t{}\t{:?}", row.label, row.text);
        }
    }

    fn add(&mut self, other: &Self) {
        self.positives += other.positives;
        self.found += other.found;
        self.found_of_all += other.found_of_all;
        self.counted += other.counted;
        self.negatives += other.negatives;
        self.hits += other.hits;
        self.same_text += other.same_text;
        self.same_text_hits += other.same_text_hits;
        for (reason, count) in &other.left_out {
            *self.left_out.entry(reason).or_default() += count;
        }
    }

    fn print(&self, name: &str) {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let left_out: usize = self.left_out.values().sum();
        println!(
            "{name:<16} {:>9} {:>6} {left_out:>8} {:>6.1}% {:>6.1}% {:>9} {:>9} {:>6} {:>5} {:>6.1}%",
            self.positives,
            self.found,
            share(self.found, self.counted),
            share(self.found_of_all, self.positives),
            self.negatives,
            self.same_text,
            self.same_text_hits,
            self.hits,
            share(self.hits, self.negatives - self.same_text),
        );
    }
}

/// Words that tell that a secret is near.
const CONTEXT: [&str; 21] = [
    "key", "token", "secret", "passw", "pwd", "pass", "auth", "cred", "bearer", "private", "access", "login", "curl",
    "webhook", "://", "hash", "pat", "sig", "basic", "psexec", "user",
];

/// Last words of names that name an identifier, an address or an account.
const IDENTIFIERS: [&str; 16] = [
    "id",
    "domain",
    "host",
    "url",
    "uri",
    "name",
    "account",
    "username",
    "user",
    "email",
    "product",
    "tenant",
    "org",
    "arn",
    "storage_name",
    "public",
];

/// Whether the text holds something by which anybody could tell a secret, or else the reason why not. It looks at the
/// text alone, and knows nothing of the rules.
fn carries_context(text: &str) -> Result<(), &'static str> {
    let lower = text.to_ascii_lowercase();
    let pieces: Vec<&str> = text.split(is_delimiter).filter(|piece| piece.len() >= 6).collect();
    let any = |test: fn(&str) -> bool| pieces.iter().any(|piece| test(piece));
    if !any(is_credible) {
        return Err(match () {
            () if any(is_blanked) => "the value is blanked out (xxxx, ****) or says that it is an example",
            () if any(counts) => "the value counts, or repeats itself",
            () if any(|piece| piece.bytes().all(|byte| byte.is_ascii_digit())) => "the value is a plain number",
            () if lower.contains("passw") || lower.contains("pass") || lower.contains("secret") => {
                "the value is made of plain words"
            }
            () => "there is no token at all: words, addresses, numbers",
        });
    }
    let context = CONTEXT.iter().any(|word| lower.contains(word));
    let digest =
        |piece: &&&str| is_credible(piece) && !piece.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if !context && pieces.iter().find(digest).is_none() {
        return Err("a bare hexadecimal string without context");
    }
    if only_identifiers(text) {
        return Err("what is named is an identifier, an address or an account");
    }
    Ok(())
}

fn is_delimiter(letter: char) -> bool {
    letter.is_whitespace() || "\"'`=,;()<>[]{}|&".contains(letter)
}

/// Whether a piece could be (part of) a secret: mixed characters that neither spell words nor count.
fn is_credible(piece: &str) -> bool {
    let letters = piece.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = piece.len() - letters;
    let lower = piece.to_ascii_lowercase();
    let address =
        lower.ends_with(".com") || lower.ends_with(".io") || lower.contains(".com/") || lower.starts_with("arn:");
    let address = address || lower.starts_with("http") && !lower.contains('@');
    let mixed = letters > 0 && others > 0 && piece.bytes().any(|byte| byte.is_ascii_digit());
    let numbered = piece.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let word_with_number = piece.len() - numbered.len() <= 4 && numbered.bytes().all(|byte| byte.is_ascii_lowercase());
    let number = piece.starts_with(|letter: char| letter.is_ascii_digit())
        && piece.split('.').take(4).filter(|part| part.len() <= 3).count() >= 3;
    let public = ["age1", "pub-c-", "pk."].iter().any(|prefix| piece.starts_with(prefix));
    let mixed = mixed && !word_with_number && !number && !public;
    piece.len() >= 8
        && (mixed || piece.len() >= 16 && letters == piece.len())
        && !address
        && !is_blanked(piece)
        && !counts(piece)
}

fn is_blanked(piece: &str) -> bool {
    let lower = piece.to_ascii_lowercase();
    ["xxxx", "****", "####", "your_", "example", "...."].iter().any(|mark| lower.contains(mark))
}

/// Whether nine of ten steps from one character to the next are the next of the alphabet or the same again, there are
/// hardly any different characters, or four of five letters and digits count in rows of seven or more (`a1b2c3d4…`).
fn counts(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    let steps = bytes.windows(2).filter(|pair| pair[1] == pair[0] || pair[1] == pair[0].wrapping_add(1)).count();
    let distinct: BTreeSet<u8> = bytes.iter().copied().collect();
    let letters: Vec<u8> = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect();
    let digits: Vec<u8> = bytes.iter().copied().filter(u8::is_ascii_digit).collect();
    let in_rows = in_long_rows(&letters) + in_long_rows(&digits);
    let rows = in_rows * 5 >= (letters.len() + digits.len()) * 4 && in_rows > 0;
    piece.len() >= 8 && (steps * 10 > bytes.len() * 9 || distinct.len() <= 6 || rows)
}

/// How many of the characters stand in rows of seven or more, each the next of the one before (and 0 after 9, a after z).
fn in_long_rows(characters: &[u8]) -> usize {
    let next = |a: &u8, b: &u8| *b == a.wrapping_add(1) || matches!((a, b), (b'9', b'0') | (b'z', b'a'));
    characters.chunk_by(next).map(<[u8]>::len).filter(|length| *length >= 7).sum()
}

/// Whether every name that is given a value is that of an identifier.
fn only_identifiers(text: &str) -> bool {
    let names: Vec<String> = text
        .match_indices(['=', ':'])
        .filter(|(at, _)| !text[at + 1..].starts_with("//"))
        .map(|(at, _)| {
            let before = text[..at].trim_end_matches(|letter: char| letter.is_whitespace() || "\"'=:".contains(letter));
            let name = before
                .rsplit(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'))
                .next();
            name.unwrap_or_default().to_ascii_lowercase()
        })
        .filter(|name| !name.is_empty())
        .collect();
    let identifier = |name: &String| IDENTIFIERS.iter().any(|end| name.ends_with(end));
    !names.is_empty() && names.iter().all(identifier)
}
