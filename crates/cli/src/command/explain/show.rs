//! The answer for a person.

use std::fmt;

use tollgate_config::Relaxation;
use tollgate_engine::{EffectForm, Explained, FindingForm, HookForm, Observed};

use crate::output::{Paint, short, visible, wrap};
use crate::question::{Question, word};

const WIDTH: usize = 80;
/// Where the text begins, right of the headings.
const INDENT: usize = 10;

pub(super) struct Shown<'a> {
    pub question: &'a Question,
    pub explained: &'a Explained,
    /// Whether to show rules that had nothing to say.
    pub all: bool,
    pub paint: Paint,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paint = self.paint;
        self.section(f, "call", &[self.call()])?;
        self.section(f, "does", &self.effects())?;
        self.section(f, "rules", &self.rules())?;
        self.section(f, "hooks", &self.hooks())?;
        self.section(f, "noted", &self.observed())?;
        self.section(f, "so", &self.decision())?;
        self.section(f, &paint.yellow("ignored"), &self.ignored())
    }
}

impl Shown<'_> {
    fn section(&self, f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
        for (number, line) in lines.iter().flat_map(|text| text.lines()).enumerate() {
            let title = if number == 0 { title } else { "" };
            // A colour has no width.
            let pad = (INDENT - 2).saturating_sub(if number == 0 { plain_width(title) } else { 0 });
            writeln!(f, "  {title}{:pad$}{}", "", line.trim_end())?;
        }
        Ok(())
    }

    fn call(&self) -> String {
        let call = match (&self.question.command, &self.question.tool) {
            (Some(command), _) => command.clone(),
            (None, Some(tool)) => {
                format!("{tool} {}", self.question.args.as_ref().map(ToString::to_string).unwrap_or_default())
            }
            (None, None) => String::new(),
        };
        // Terminals are recorded and looked over; who asked knows what they typed.
        let call = visible(&tollgate_secrets::scanner().redact(&call));
        self.paint.bold(&text(&short(&call, 600)))
    }

    fn effects(&self) -> Vec<String> {
        let effects = &self.explained.effects;
        if effects.is_empty() {
            return vec!["nothing that is known to do harm".to_owned()];
        }
        effects.iter().map(|effect| self.effect(effect)).collect()
    }

    fn effect(&self, effect: &EffectForm) -> String {
        let tags = [Some(effect.kind), effect.place].into_iter().flatten().chain(effect.flags.iter().copied());
        let how = if effect.via.is_empty() {
            String::new()
        } else {
            format!(", through {}", visible(&effect.via.join(" → ")))
        };
        let by =
            if effect.by.is_empty() { String::new() } else { format!("by `{}`{how}", short(&visible(&effect.by), 60)) };
        let what = text(&format!("{} [{}]", visible(&effect.what), tags.collect::<Vec<_>>().join(" ")));
        if by.is_empty() { what } else { format!("{what}\n{}", self.paint.dim(&text_below(&by))) }
    }

    fn rules(&self) -> Vec<String> {
        let looked = self.explained.findings.len();
        let said: Vec<&FindingForm> =
            self.explained.findings.iter().filter(|finding| self.all || speaks(finding)).collect();
        let silent = looked - said.iter().filter(|finding| speaks(finding)).count();
        let mut lines: Vec<String> = said.iter().map(|finding| self.finding(finding)).collect();
        if !self.all && silent > 0 {
            let more = if lines.is_empty() { "" } else { "more " };
            lines.push(self.paint.dim(&format!("{silent} {more}looked and had nothing to say")));
        }
        lines
    }

    fn finding(&self, finding: &FindingForm) -> String {
        let title = visible(&format!("{} ({})", finding.rule, finding.origin));
        if !speaks(finding) {
            return self.paint.dim(&format!("· {title}"));
        }
        let (mark, colour): (&str, fn(Paint, &str) -> String) = match finding.decision {
            _ if finding.observed || finding.excepted.is_some() => ("○", Paint::dim),
            "deny" => ("✗", Paint::red),
            "ask" | "route" => ("?", Paint::yellow),
            _ => ("✎", Paint::bold),
        };
        let mut line = format!("{} {}", colour(self.paint, mark), self.paint.bold(&title));
        if !finding.reason.is_empty() {
            line += &format!("\n{}", text_below(&visible(&format!("{}: {}", finding.decision, finding.reason))));
        }
        let aside = [
            finding.observed.then(|| "only observed".to_owned()),
            finding.excepted.as_ref().map(|why| format!("not now: {why}")),
            finding.fault.as_ref().map(|fault| format!("could not tell: {fault}")),
        ];
        for aside in aside.into_iter().flatten() {
            line += &format!("\n{}", text_below(&visible(&aside)));
        }
        line
    }

    /// Programs are named and not run: running them may be doing what they do.
    fn hooks(&self) -> Vec<String> {
        let line = |hook: &HookForm| {
            let title = self.paint.bold(&visible(&format!("{} ({})", hook.id, hook.origin)));
            let stands =
                if hook.trusted { "asked when it happens, not now" } else { "not trusted, so this is refused" };
            let command = text_below(&visible(&hook.command));
            format!("? {title}\n{command}\n{}", self.paint.dim(&text_below(stands)))
        };
        self.explained.hooks.iter().map(line).collect()
    }

    fn observed(&self) -> Vec<String> {
        let line = |one: &Observed| text(&visible(&format!("{}: {}", one.by, one.would)));
        self.explained.observed.iter().map(line).collect()
    }

    /// A path is never broken, so that it can be copied.
    fn ignored(&self) -> Vec<String> {
        let line = |one: &Relaxation| {
            let said = text(&visible(&format!("{} does not hold: {}", one.what, one.why)));
            format!("{said}\n  at {}:{}", visible(&one.file), one.line)
        };
        self.explained.ignored.iter().map(line).collect()
    }

    fn decision(&self) -> Vec<String> {
        let act = word(self.explained);
        let said = match act {
            "pass" => self.paint.green("pass"),
            "deny" => self.paint.red("deny"),
            other => self.paint.yellow(other),
        };
        let mut lines = vec![said];
        if act == "pass" && !self.explained.hooks.is_empty() {
            lines.push(self.paint.dim("unless a hook objects"));
        }
        lines.extend(self.explained.reason.as_deref().map(|reason| text(&visible(reason))));
        lines.extend(
            self.explained
                .answer
                .as_ref()
                .map(|answer| text(&short(&visible(&format!("answered with {answer}")), 400))),
        );
        lines
    }
}

fn text(text: &str) -> String {
    wrap(text, 0, WIDTH - INDENT)
}

fn text_below(text: &str) -> String {
    wrap(text, 2, WIDTH - INDENT)
}

fn plain_width(title: &str) -> usize {
    let mut escape = false;
    title
        .chars()
        .filter(|c| {
            match c {
                '\x1b' => escape = true,
                'm' if escape => {
                    escape = false;
                    return false;
                }
                _ => {}
            }
            !escape
        })
        .count()
}

fn speaks(finding: &FindingForm) -> bool {
    finding.matched || finding.fault.is_some()
}
