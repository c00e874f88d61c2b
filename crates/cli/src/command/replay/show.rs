//! What is printed: every change as it is found if wanted, and what all came to.

use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use serde_json::{Value, json};
use tollgate_config::Relaxation;

use super::tally::{Change, Group, Sides, Tally};
use crate::args::Form;
use crate::command::{Done, Failure};
use crate::output::{Paint, safe_json, short, thousands, visible, wrap};

const WIDTH: usize = 80;
/// The most of a rule's or a tool's name that is shown in a table.
const NAME: usize = 30;

/// It did not work.
const FAILED: u8 = 2;

/// How it is to be printed.
pub(super) struct Shape {
    pub(super) json: bool,
    /// Every change, as it is found.
    pub(super) all: bool,
    /// How many groups.
    pub(super) most: usize,
    pub(super) paint: Paint,
    /// What the other policy is called.
    pub(super) policy: String,
    /// What of it does not hold.
    pub(super) ignored: Vec<Relaxation>,
}

pub(super) struct Printer {
    shape: Shape,
    out: BufWriter<StdoutLock<'static>>,
    listed: u64,
}

impl Printer {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, out: BufWriter::new(io::stdout().lock()), listed: 0 }
    }

    /// Whether every change is printed as it is found.
    pub(super) fn is_listing(&self) -> bool {
        self.shape.all
    }

    /// Prints a change, if every one is wanted.
    pub(super) fn change(&mut self, change: &Change) -> Result<(), Failure> {
        if !self.shape.all {
            return Ok(());
        }
        let before = match (self.shape.json, self.listed) {
            (false, _) => "",
            (true, 0) => "{\n  \"changes\": [\n    ",
            (true, _) => ",\n    ",
        };
        let text = if self.shape.json { safe_json(&change.json().to_string()) } else { line(change) + "\n" };
        write!(self.out, "{before}{text}")?;
        self.listed += 1;
        Ok(())
    }

    /// Prints what all came to.
    pub(super) fn finish(mut self, tally: &Tally) -> Result<(), Failure> {
        if self.shape.json {
            return self.document(&report(tally, &self.shape));
        }
        let gap = if self.listed > 0 { "\n" } else { "" };
        write!(self.out, "{gap}{}", words(tally, &self.shape))?;
        Ok(self.out.flush()?)
    }

    /// Gives up. A document that has begun is ended so that it can be read.
    pub(super) fn fail(mut self, failure: Failure) -> Done {
        match &failure {
            Failure::Said(message) if self.shape.json && self.listed > 0 => {
                self.document(&Form::Document.failed(message).unwrap_or_default())?;
                Ok(ExitCode::from(FAILED))
            }
            _ => {
                self.out.flush()?;
                Err(failure)
            }
        }
    }

    fn document(&mut self, document: &Value) -> Result<(), Failure> {
        let text = safe_json(&format!("{document:#}\n"));
        match (self.shape.all, self.listed) {
            (false, _) => self.out.write_all(text.as_bytes())?,
            (true, 0) => write!(self.out, "{{\n  \"changes\": [],{}", &text[1..])?,
            (true, _) => write!(self.out, "\n  ],{}", &text[1..])?,
        }
        Ok(self.out.flush()?)
    }
}

fn report(tally: &Tally, shape: &Shape) -> Value {
    let group = |group: &&Group| {
        let Change { from, to, rule, point, tool, .. } = &group.example;
        json!({
            "count": group.count,
            "redacted": group.redacted,
            "from": from.name(),
            "to": to.name(),
            "rule": rule,
            "point": point.name(),
            "tool": tool,
            "example": group.example.json(),
        })
    };
    json!({
        "ok": true,
        "policy": shape.policy,
        "first": tally.span.as_ref().map(|(first, _)| first),
        "last": tally.span.as_ref().map(|(_, last)| last),
        "sessions": tally.sessions(),
        "calls": tally.calls.json(),
        "others": tally.others.json(),
        "changed": tally.changed(),
        "not_judged": { "not_kept": tally.not_kept, "erased": tally.erased, "sealed": tally.sealed },
        "redacted": tally.redacted,
        "hypothetical": tally.hypothetical,
        "refused_by_human": tally.refused,
        "broke": { "all": tally.broke, "not_stopped_now": tally.broke_only_then },
        "observed": tally.observed,
        "groups": tally.groups().iter().take(shape.most).map(group).collect::<Vec<_>>(),
        "ignored": shape.ignored,
    })
}

/// A change as one line.
fn line(change: &Change) -> String {
    let Change { seq, from, to, .. } = change;
    let mark = if change.redacted { "*" } else { "" };
    let parts = [
        format!("#{seq}{mark}  {} → {}", from.name(), to.name()),
        name(change.rule.as_deref().unwrap_or("")),
        name(&change.what()),
        visible(&short(&change.summary, WIDTH)),
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    short(&parts.join("  "), WIDTH)
}

fn words(tally: &Tally, shape: &Shape) -> String {
    let mut out = paragraph(&overview(tally));
    for note in notes(tally) {
        out += &paragraph(&note);
    }
    if tally.changed() > 0 {
        out += "\n";
        out += &table(tally, shape);
    }
    out += "\n";
    let verdict = format!("With {}, {}.", visible(&shape.policy), sentence(&tally.calls, "call"));
    let verdict = wrap(&verdict, 0, WIDTH);
    let paint = shape.paint;
    let _ = writeln!(out, "{}", if tally.changed() > 0 { paint.yellow(&verdict) } else { paint.green(&verdict) });
    if tally.others.changed() > 0 {
        out += &paragraph(&format!("Beside calls, {}.", sentence(&tally.others, "event")));
    }
    for ignored in &shape.ignored {
        let Relaxation { what, file, line, why } = ignored;
        let text = visible(&format!("ignored: {what} ({file}:{line}): {why}"));
        let _ = writeln!(out, "{}", paint.yellow(&wrap(&text, 0, WIDTH)));
    }
    out
}

fn paragraph(text: &str) -> String {
    wrap(text, 0, WIDTH) + "\n"
}

/// How much there was, and how much of it could be judged.
fn overview(tally: &Tally) -> String {
    let Some((first, last)) = &tally.span else { return "No call was recorded in this time.".to_owned() };
    let others = match tally.others.all {
        0 => String::new(),
        others => format!(" and {}", many(others, "other event")),
    };
    let mut text = format!(
        "{}{others} of {} between {} and {}.",
        many(tally.calls.all, "call"),
        many(tally.sessions(), "session"),
        minute(first),
        minute(last)
    );
    if tally.unjudged() > 0 {
        let reasons = [(tally.not_kept, "not kept"), (tally.erased, "erased"), (tally.sealed, "sealed without a key")];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> = reasons.map(|(count, why)| format!("{} {why}", thousands(*count))).collect();
        let _ = write!(text, " {} could not be judged: {}.", thousands(tally.unjudged()), reasons.join(", "));
    }
    if tally.redacted > 0 {
        let _ = write!(text, " {} judged by what is left after redaction (*).", were(tally.redacted));
    }
    text
}

/// What else is to be known about the comparison.
fn notes(tally: &Tally) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |count: u64, text: String| {
        if count > 0 {
            notes.push(text);
        }
    };
    let refused = were(tally.refused);
    note(tally.refused, format!("{refused} refused by a human then; what counts is that the policy asked."));
    let (broke, only) = (were(tally.broke), thousands(tally.broke_only_then));
    let why = "because something broke or could not be read";
    note(tally.broke, format!("{broke} stopped then {why}: not compared. Of these, {only} would not be stopped now."));
    let (results, ends) = match tally.hypothetical {
        1 => ("result of 1 call is".to_owned(), "it does"),
        count => (format!("results of {} calls are", thousands(count)), "they do"),
    };
    note(tally.hypothetical, format!("The {results} not compared: {ends} not run under both policies."));
    let observed = thousands(tally.observed);
    note(tally.observed, format!("Rules that only observe would have objected to {observed}."));
    notes
}

/// Two lines for each group: what changes, and an example.
fn table(tally: &Tally, shape: &Shape) -> String {
    let groups = tally.groups();
    let shown = &groups[..groups.len().min(shape.most)];
    let rows: Vec<[String; 4]> = shown.iter().map(|group| row(group)).collect();
    let heads = ["count", "change", "rule", "tool"].map(str::to_owned);
    let width = |column: usize| {
        let cells = rows.iter().chain([&heads]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths = [width(0).max(6), width(1), width(2)];
    let text = |[count, change, rule, tool]: &[String; 4]| {
        let [a, b, c] = widths;
        let line = format!("{count:>a$}  {change:<b$}  {rule:<c$}  {tool}");
        short(line.trim_end(), WIDTH)
    };
    let mut out = shape.paint.bold(&text(&heads)) + "\n";
    for (row, group) in rows.iter().zip(shown) {
        let Change { seq, summary, .. } = &group.example;
        let indent = widths[0] + 2;
        let example = short(&format!("#{seq} {}", visible(&short(summary, WIDTH))), WIDTH - indent);
        let _ = writeln!(out, "{}\n{:indent$}{}", text(row), "", shape.paint.dim(example.trim_end()));
    }
    let rest = (groups.len() - shown.len()) as u64;
    if rest > 0 || tally.crowded > 0 {
        let least = if tally.crowded > 0 { "more than " } else { "" };
        let rest = many(rest, "other kind");
        out += &paragraph(&format!("and {least}{rest} of change; `-n` shows more, `--all` every record"));
    }
    out
}

fn row(group: &Group) -> [String; 4] {
    let Change { from, to, rule, .. } = &group.example;
    let mark = if group.redacted > 0 { "*" } else { "" };
    let change = format!("{} → {}", from.name(), to.name());
    [
        format!("{}{mark}", thousands(group.count)),
        change,
        name(rule.as_deref().unwrap_or("-")),
        name(&group.example.what()),
    ]
}

fn name(text: &str) -> String {
    short(&visible(text), NAME)
}

/// How decisions about calls, or about something else, differ.
fn sentence(sides: &Sides, noun: &str) -> String {
    let compared = sides.same + sides.changed();
    if sides.changed() == 0 {
        return match compared {
            0 => format!("no {noun} could be compared"),
            1 => format!("nothing changes: 1 {noun} stays as it is"),
            _ => format!("nothing changes: {} stay as they are", many(compared, noun)),
        };
    }
    // Said once, with the first number.
    let mut nouns = [noun].into_iter();
    let mut side = |count: u64, word: &str| {
        let noun = nouns.next().map(|noun| format!(" {noun}{}", plural(count))).unwrap_or_default();
        format!("{}{word}{noun}", thousands(count))
    };
    let mut parts = Vec::new();
    for (more, fewer, done) in
        [(sides.more_stopped, sides.fewer_stopped, "stopped"), (sides.more_asked, sides.fewer_asked, "asked about")]
    {
        match (more, fewer) {
            (0, 0) => {}
            (more, 0) => parts.push(format!("{} would be {done}", side(more, " more"))),
            (0, fewer) => parts.push(format!("{} would be {done}", side(fewer, " fewer"))),
            (more, fewer) => {
                let more = side(more, " more");
                parts.push(format!("{more} would be {done}, {} fewer", thousands(fewer)));
            }
        }
    }
    if sides.otherwise > 0 {
        parts.push(format!("{} would go another way", side(sides.otherwise, "")));
    }
    let stay = if sides.same == 1 { "stays as it is" } else { "stay as they are" };
    parts.push(format!("{} {stay}", thousands(sides.same)));
    parts.join("; ")
}

fn were(count: u64) -> String {
    format!("{} {}", thousands(count), if count == 1 { "was" } else { "were" })
}

fn many(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), plural(count))
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A moment without what nobody wants to read; what is no moment is shown as it is.
fn minute(stamp: &str) -> String {
    let short = stamp.get(..10).zip(stamp.get(11..16));
    visible(&short.map_or_else(|| stamp.to_owned(), |(day, time)| format!("{day}T{time}Z")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_commas() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), expected);
        }
    }

    #[test]
    fn what_changes_in_one_sentence() {
        let none = Sides { same: 7, ..Sides::default() };
        let one = Sides { same: 1, ..Sides::default() };
        let both = Sides { same: 99_985, more_stopped: 12, fewer_stopped: 3, ..Sides::default() };
        let asked = Sides { same: 1, more_asked: 1, otherwise: 2, ..Sides::default() };
        let fewer = Sides { fewer_stopped: 1, fewer_asked: 4, ..Sides::default() };
        for (sides, expected) in [
            (&Sides::default(), "no call could be compared"),
            (&none, "nothing changes: 7 calls stay as they are"),
            (&one, "nothing changes: 1 call stays as it is"),
            (&both, "12 more calls would be stopped, 3 fewer; 99,985 stay as they are"),
            (&asked, "1 more call would be asked about; 2 would go another way; 1 stays as it is"),
            (&fewer, "1 fewer call would be stopped; 4 fewer would be asked about; 0 stay as they are"),
        ] {
            assert_eq!(sentence(sides, "call"), expected);
        }
    }
}
