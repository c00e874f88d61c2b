//! No credential reaches the log, wherever it stands. `PROPTEST_CASES` sets how many places are drawn.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "../../crates/audit/tests/common/mod.rs"]
mod common;
mod samples;
#[path = "../../crates/audit/tests/common/stage.rs"]
mod stage;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use samples::{NAMED, TOKENS};
use serde_json::{Value, json};
use stage::Stage;
use tollgate_audit::{Keep, RecorderSettings};
use tollgate_core::{Approval, Body, Digest, Ended, Event, Fault, Point, Verdict};
use tollgate_secrets::scanner;

/// A text (made up) and what is secret in it.
#[derive(Clone, Debug)]
struct Sample {
    text: String,
    secret: String,
    /// Whether it is one only on lines of its own, as a part of a YAML document is.
    lines: bool,
}

/// Of every kind one, from elsewhere than the scanner.
fn samples() -> Vec<Sample> {
    let sample = |before: &str, secret: &str, behind: &str| Sample {
        text: [before, secret, behind].concat(),
        secret: secret.to_owned(),
        lines: false,
    };
    let tokens = TOKENS.iter().map(|(_, begins, rest)| sample(begins, rest, ""));
    let named = NAMED.iter().map(|(_, before, secret, behind)| sample(before, secret, behind));
    let block = "-----BEGIN RSA PRIVATE KEY-----\n";
    let key = sample(block, "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu", "");
    let yaml = Sample { lines: true, ..sample("kind: Secret\ndata:\n  user: ", "YWRtaW46cHdwd3B3", "") };
    tokens.chain(named).chain([key, yaml]).collect()
}

impl Sample {
    /// The text with others around it.
    fn among(&self, before: &str, after: &str) -> String {
        let end = if self.lines { "\n" } else { "" };
        format!("{before}{end}{}{end}{after}", self.text)
    }
}

fn surroundings() -> impl Strategy<Value = (String, String)> {
    let separator = proptest::sample::select(vec!["", " ", "\n", "\r\n", "\"", "'", ", ", "\t"]);
    let words = |unit: &'static str| (0..120_usize).prop_map(move |count| unit.repeat(count));
    let before = prop_oneof![words("lorem "), words("ip\n"), words("- x: y\n"), Just(String::new())];
    let after = prop_oneof![words(" dolor"), words("\nsit"), words("=\n"), Just(String::new())];
    (before, separator.clone(), separator, after)
        .prop_map(|(before, left, right, after)| (before + left, right.to_owned() + &after))
}

/// A pipeline in which every interceptor repeats what it hears of.
struct Parrots {
    stage: Stage,
    texts: Arc<Mutex<[String; 2]>>,
}

impl Parrots {
    fn new(keep: Keep, limit: usize) -> Self {
        let texts = Arc::<Mutex<[String; 2]>>::default();
        let hear = || {
            let texts = Arc::clone(&texts);
            move || texts.lock().unwrap().clone()
        };
        let (edit, guard, broken, rules) = (hear(), hear(), hear(), hear());
        let stage = Stage::with("secrets", RecorderSettings { keep, required: true, limit })
            .edit("edit", &[Point::ToolBefore, Point::ToolAfter, Point::ModelRequest], move |_, body| {
                let [text, other] = edit();
                *body.json_mut()? = changed(&text, &other);
                body.notes.push(text.clone());
                body.tells.push(other.clone());
                body.label(text.clone(), other.clone());
                body.headers_mut().set(&text, other);
                Ok(Verdict::Pass)
            })
            .guard("guard", &[Point::ToolBefore], move |_, _| Ok(Verdict::deny(guard()[0].clone())))
            .guard("broken", &[Point::PromptSubmit], move |_, _| Err(Fault::crash(&broken()[0])))
            .guard("rules", &[Point::ModelResponse], move |_, _| Ok(Verdict::deny(rules()[0].clone())));
        Self { stage, texts }
    }

    /// Runs everything that can be recorded, with a text at every place where there can be one.
    fn hear(&self, text: &str, other: &str) {
        *self.texts.lock().unwrap() = [text.to_owned(), other.to_owned()];
        run(&self.stage, text, other);
    }

    fn check(&self, samples: &[Sample]) {
        let records = self.stage.folder.verify();
        assert!(records.flaw.is_none() && records.records >= 12, "{records:?}");
        let secret: HashSet<&[u8]> = samples.iter().flat_map(|sample| sample.secret.as_bytes().windows(12)).collect();
        for file in self.stage.folder.files() {
            let bytes = std::fs::read(&file).unwrap();
            for line in bytes.split(|byte| *byte == b'\n') {
                let shown = line.windows(12).find(|part| secret.contains(part)).map(String::from_utf8_lossy);
                assert_eq!(shown, None, "{}", String::from_utf8_lossy(line));
            }
        }
    }
}

fn document(text: &str) -> Value {
    json!({ "a": text, "content": [text, { "deep": text }], text: 1, "list": [1, text, null] })
}

fn changed(text: &str, other: &str) -> Value {
    json!({ "a": other, "content": [text, { "deep": other }], other: text, "list": text })
}

fn run(stage: &Stage, text: &str, other: &str) {
    let pipeline = stage.pipeline();
    let name = pipeline.name(text);
    let labels = [(text.to_owned(), other.to_owned()), ("ticket".to_owned(), text.to_owned())];
    let approval = Approval { digest: Digest([1; 32]), granted: true, by: text.to_owned(), at: Default::default() };
    let arguments = Body::from(document(text));
    let facts = Event {
        name: Some(&name),
        became: Some(&name),
        call_id: Some(text),
        session: Some(text),
        agent: Some(text),
        surface: Some(text),
        server: Some(text),
        model: Some(text),
        cwd: Some(text),
        principal: Some(text),
        native: Some(text),
        chain: &[text],
        labels: &labels,
        arguments: Some(&arguments),
        approval: Some(&approval),
        reason: Some(text),
        ..Event::at(Point::Notice)
    };
    for point in [
        Point::ToolBefore,
        Point::ToolAfter,
        Point::PromptSubmit,
        Point::ModelRequest,
        Point::ModelResponse,
        Point::Notice,
    ] {
        let event = Event { point, ended: Some(Ended::Error), ..facts };
        stage.recorder.observed(&event, text, other);
        pipeline.run_now(&event, &mut Body::from(document(text)));
        stage.recorder.approval(&event, &approval).unwrap();
    }
}

#[test]
fn every_sample_alone() {
    let samples = samples();
    for (keep, every) in [(Keep::Redacted, 1), (Keep::Sealed, 8), (Keep::Nothing, 8)] {
        let parrots = Parrots::new(keep, 64 * 1024);
        for sample in samples.iter().step_by(every) {
            parrots.hear(&sample.among("", ""), &sample.among("", "\nand more"));
        }
        parrots.check(&samples);
    }
}

/// What may stand directly beside a token: names of tools and variables, addresses, other languages.
const BESIDE: [(&str, &str); 9] = [
    ("X_", ""),
    ("mcp__", "__x"),
    ("a/", "/b"),
    ("…", "…"),
    ("(", ")"),
    ("key=", "&x=1"),
    ("x=", ";"),
    ("\\n", "\\n"),
    ("https://example.org/?q=", "#x"),
];

#[test]
fn every_token_beside_anything() {
    let tokens = TOKENS.iter().map(|(_, begins, rest)| [*begins, *rest].concat());
    let missed: Vec<String> = tokens
        .flat_map(|token| {
            BESIDE.map(|(before, after)| (format!("{before}{token}{after}"), token[token.len() - 14..].to_owned()))
        })
        .filter(|(text, end)| scanner().redact(text).contains(end))
        .map(|(text, _)| text)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let parrots = Parrots::new(Keep::Redacted, 64 * 1024);
    let samples: Vec<Sample> = samples().into_iter().take(TOKENS.len()).collect();
    for (number, sample) in samples.iter().enumerate() {
        let (before, after) = BESIDE[number % BESIDE.len()];
        parrots.hear(&sample.among(before, after), &sample.among("mcp__", "__x"));
    }
    parrots.check(&samples);
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(24);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_sample_anywhere_and_around_the_cut(
        sample in proptest::sample::select(samples()),
        (before, after) in surroundings(),
        keep in proptest::sample::select(vec![Keep::Redacted, Keep::Sealed, Keep::Nothing]),
        limit in 256..1500_usize,
    ) {
        let parrots = Parrots::new(keep, limit);
        parrots.hear(&sample.among(&before, &after), &sample.among("", &after));
        parrots.check(&[sample]);
    }
}
