//! Times the scanner on clean text, on adversarial text, and when it is built.
//!
//! ```sh
//! cargo run --release -p tollgate-secrets --example speed
//! ```

#![allow(clippy::print_stdout, reason = "a program to be read on the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};
use tollgate_secrets::{Scanner, scanner};

fn main() {
    let start = Instant::now();
    let found = black_box(Scanner::new()).find("nothing").len();
    println!("build and first search     {:>10.1?} ({found} found)", start.elapsed());
    println!("{:<26} {:>10} {:>12} {:>9}", "text", "bytes", "time", "ns/byte");
    for (name, text) in [("prose", prose()), ("code", code()), ("log", log())] {
        report(name, &text);
    }
    for (name, unit) in ADVERSARIAL {
        for size in [1_000, 10_000, 100_000, 1_000_000] {
            report(name, &unit.repeat(size / unit.len()));
        }
    }
}

/// Texts that are made to be slow.
const ADVERSARIAL: [(&str, &str); 12] = [
    ("repeated key=", "key="),
    ("repeated token: ", "token: "),
    ("web token starts", "eyJ-"),
    ("base64", "QWxhZGRpbjpvcGVuIHNlc2FtZQ0K"),
    ("token starts", "ghp_sk-AKIAxoxb-"),
    ("addresses", "://a:b"),
    ("quotes", "key=\"'\\"),
    ("key blocks", "-----BEGIN PRIVATE KEY-----\n"),
    ("placeholders", "[redacted:x] key="),
    ("vendors", "twitter_heroku_"),
    ("headers", "authorization: bearer "),
    ("command lines", "curl -u a:b "),
];

fn report(name: &str, text: &str) {
    let found = scanner().find(text).len();
    let time = best_of(|| scanner().find(text).len());
    let each = time.as_nanos() as f64 / text.len() as f64;
    println!("{name:<26} {:>10} {:>12.1?} {each:>9.2}   {found} found", text.len(), time);
}

fn best_of(work: impl Fn() -> usize) -> Duration {
    let once = || {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    let begun = Instant::now();
    let mut best = once();
    for _ in 0..300 {
        if begun.elapsed() > Duration::from_millis(400) {
            break;
        }
        best = best.min(once());
    }
    best
}

/// About 10 kB of plain English.
fn prose() -> String {
    "The harbour lay quiet under a low sky, and the boats moved only when the tide asked them to. Nobody had come down \
     from the village since morning; the path was wet, the keys of the shed hung where they always hung, and the old \
     notice about access to the pier had lost its last corner. She wrote three lines, crossed out two of them, and \
     looked at the water again. There was time, she thought, and for once it was hers.\n"
        .repeat(24)
}

/// About 10 kB of program text.
fn code() -> String {
    "impl Reader {\n    pub fn next(&mut self, limit: usize) -> Option<Item> {\n        let key = self.index.get(&limit)?;\n        \
     for (name, value) in self.entries.iter().filter(|entry| entry.size > limit) {\n            if name == key {\n                \
     return Some(Item { name: name.clone(), author: self.author(value), tokens: value.count() });\n            }\n        }\n        \
     None\n    }\n}\n"
        .repeat(25)
}

/// About 10 kB of what a build prints.
fn log() -> String {
    "2024-05-11T09:14:31Z INFO  build: compiled module 14 of 96 in 0.31 s (cache hit, sha256:9f86d081884c7d659a2feaa0c55ad015)\n\
     2024-05-11T09:14:31Z WARN  build: https://registry.acme.dev/pkg/left-pad-1.3.0.tgz took 1.2 s, see issue #4417\n"
        .repeat(45)
}
