//! From what people wrote to what is run.

use std::collections::HashMap;
use std::sync::Arc;

use tollgate_core::{Names, OnFault, Point, Power, Query, Route};

use crate::args::Arguments;
use crate::condition::Condition;
use crate::edit::{Edits, Redaction};
use crate::effects::text;
use crate::form::{self, Conditions, Date, Decision, Matcher, Mode, OverrideDecision, OverrideMode};
use crate::lesson::Lesson;
use crate::matcher::{Sense, Sort, Text, ToolText};
use crate::mistake::{Mistake, Step};
use crate::set::RuleSet;

/// A rule and where it comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The rule.
    pub form: form::Rule,
    /// Who wrote it, for people: `project`, `pack git-safety`.
    pub origin: Arc<str>,
    /// The way to it, for mistakes.
    pub path: Vec<Step>,
}

/// Something else that was written, and the way to it.
#[derive(Clone, Debug)]
pub struct Placed<T> {
    /// What was written.
    pub form: T,
    /// The way to it, for mistakes.
    pub path: Vec<Step>,
}

/// What rules are compiled with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The aliases in force.
    pub names: Names,
    /// Today, because exceptions end.
    pub today: Date,
    /// Exceptions from rules. Those that have ended or lift all of a rule have no effect, and neither do those from rules
    /// that are not there: whoever reads the files says so, and here it would be said twice.
    pub exceptions: Vec<Placed<form::Exception>>,
    /// Overrides, each with the id of its rule; one of a rule that is not there has no effect.
    pub overrides: Vec<(String, Placed<form::Override>)>,
    /// What is taught of tools, for examples.
    pub lessons: Vec<Arc<Lesson>>,
    /// Whether all rules only observe.
    pub observe: bool,
}

impl Setting {
    /// The usual aliases and nothing else, on this day.
    pub fn on(today: Date) -> Self {
        let names = tollgate_wire::names();
        Self { names, today, exceptions: Vec::new(), overrides: Vec::new(), lessons: Vec::new(), observe: false }
    }
}

/// A compiled rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: Arc<str>,
    pub(crate) origin: Arc<str>,
    pub(crate) points: Vec<Point>,
    pub(crate) condition: Condition,
    pub(crate) action: Action,
    pub(crate) suggest: Option<String>,
    pub(crate) priority: i32,
    /// What its failure means, if the rule says so.
    pub(crate) on_fault: Option<OnFault>,
    pub(crate) observe: bool,
    pub(crate) exceptions: Vec<Exception>,
}

#[derive(Debug)]
pub(crate) enum Action {
    Deny(String),
    Ask(Query),
    Route(Route),
    Rewrite(Edits),
    Redact(Redaction),
    Log(String),
}

/// An exception that holds today.
#[derive(Debug)]
pub(crate) struct Exception {
    pub(crate) tool: Option<ToolText>,
    pub(crate) args: Arguments,
    pub(crate) path: Option<Text>,
    pub(crate) host: Option<Text>,
    pub(crate) until: Date,
    pub(crate) reason: Arc<str>,
}

impl Action {
    pub(crate) fn decision(&self) -> Decision {
        match self {
            Self::Deny(_) => Decision::Deny,
            Self::Ask(_) => Decision::Ask,
            Self::Route(_) => Decision::Route,
            Self::Rewrite(_) => Decision::Rewrite,
            Self::Redact(_) => Decision::Redact,
            Self::Log(_) => Decision::Log,
        }
    }

    /// Why, in the rule's own words.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Deny(reason) | Self::Log(reason) => reason.clone(),
            Self::Ask(query) => query.title.clone(),
            Self::Route(route) => format!("runs at `{}`", route.provider),
            Self::Rewrite(_) => "is rewritten".to_owned(),
            Self::Redact(_) => "credentials are taken out".to_owned(),
        }
    }
}

/// Compiles rules, or says everything that is wrong with any of them. Examples are checked too.
///
/// ```
/// use serde_json::json;
/// use tollgate_rules::{Setting, Source, Step, compile, form::Date};
///
/// let rule = |form| Source { form: serde_json::from_value(form).unwrap(), origin: "mine".into(), path: Vec::new() };
/// let setting = Setting::on(Date::new(2026, 1, 1).unwrap());
/// assert!(compile(vec![rule(json!({"id": "a", "tool": "exec", "deny": "no shell"}))], &setting).is_ok());
///
/// let mistakes = compile(vec![rule(json!({"id": "a", "effect": "delte"}))], &setting).unwrap_err();
/// let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
/// assert_eq!(mistakes, [
///     "a rule needs a decision (give one of deny, ask, route, rewrite, redact, log)",
///     "effect: there is no effect `delte` (did you mean `delete`?)",
/// ]);
/// ```
pub fn compile(sources: Vec<Source>, setting: &Setting) -> Result<RuleSet, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut rules: Vec<Rule> = Vec::new();
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    for (number, source) in sources.iter().enumerate() {
        let mut found = Vec::new();
        let id: Arc<str> = source.form.id.trim().into();
        if id.is_empty() {
            found.push(Mistake::new("a rule needs an id").at("id"));
        } else if let Some(other) = places.insert(Arc::clone(&id), number) {
            let origin = sources.get(other).map_or("", |other| &other.origin);
            let message = format!("there is already a rule `{id}` ({origin})");
            found.push(Mistake::new(message).help("choose another id").at("id"));
        }
        let rule = Compiler { setting, found: &mut found }.rule(source, id);
        mistakes.extend(found.into_iter().map(|mistake| mistake.below(&source.path)));
        rules.extend(rule);
    }
    apply_overrides(&mut rules, setting, &mut mistakes);
    apply_exceptions(&mut rules, setting, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.priority));
    Ok(RuleSet::new(rules))
}

struct Compiler<'a> {
    setting: &'a Setting,
    found: &'a mut Vec<Mistake>,
}

impl Compiler<'_> {
    fn rule(&mut self, source: &Source, id: Arc<str>) -> Option<Rule> {
        let form = &source.form;
        let points = self.points(form);
        let action = self.action(form, &points);
        let conditions = &form.conditions;
        if *conditions == Conditions::default() {
            let help = "say `tool = \"*\"` if that is meant";
            self.found.push(Mistake::new("this rule would apply to everything").help(help));
        }
        // What fits everything is no condition, and points without a tool take it too.
        let everything = conditions.tool.as_ref().is_some_and(|tool| *tool == Matcher::Is("*".to_owned()));
        let compiled = match everything {
            true => Condition::compile(&Conditions { tool: None, ..conditions.clone() }, &self.setting.names),
            false => Condition::compile(conditions, &self.setting.names),
        };
        let condition = compiled.map_err(|found| self.found.extend(found)).ok();
        if let Some(point) = points.iter().find(|point| !point.is_about_a_tool())
            && condition.as_ref().is_some_and(Condition::speaks_of_tools)
        {
            let help = "tools, their kinds and their effects are known at tool.before, tool.update, tool.after and tool.persist";
            self.found.push(Mistake::new(format!("there is no tool at {point}")).help(help));
        }
        let early = |point: &Point| Some((*point, condition.as_ref()?.asks_too_early(*point)?));
        if let Some((point, fact)) = points.iter().find_map(early) {
            let help = "`ended` is known at tool.after and model.complete, `approved` at tool.after";
            self.found.push(Mistake::new(format!("`{fact}` is not known at {point}")).help(help));
        }
        let rule = Rule {
            id,
            origin: Arc::clone(&source.origin),
            points,
            condition: condition?,
            action: action?,
            suggest: form.suggest.clone().filter(|text| !text.trim().is_empty()),
            priority: form.priority.unwrap_or_default(),
            on_fault: form.on_fault.map(OnFault::from),
            observe: form.mode == Some(Mode::Observe) || self.setting.observe,
            exceptions: Vec::new(),
        };
        crate::examples::check(form, &rule, self.setting, self.found);
        Some(rule)
    }

    fn points(&mut self, form: &form::Rule) -> Vec<Point> {
        let Some(names) = &form.on else { return vec![Point::ToolBefore] };
        let find = |name: &str| name.parse().ok();
        let known = form::PointName::all();
        let mut points = crate::effects::list("on", "point", names, |name| &name.0, find, &known, self.found);
        points.dedup();
        points
    }

    fn action(&mut self, form: &form::Rule, points: &[Point]) -> Option<Action> {
        let decisions = form.decisions();
        let [decision] = decisions[..] else {
            self.found.push(match decisions[..] {
                [] => {
                    let all = Decision::ALL.map(Decision::name).join(", ");
                    Mistake::new("a rule needs a decision").help(format!("give one of {all}"))
                }
                _ => {
                    let names: Vec<_> = decisions.iter().map(|decision| format!("`{}`", decision.name())).collect();
                    Mistake::new(format!("a rule has one decision, and this has {}", names.join(" and ")))
                        .help("write a rule for each")
                }
            });
            return None;
        };
        self.power(decision, points);
        let key = decision.name();
        let action = match decision {
            Decision::Deny => self.words(form.deny.as_ref()).map(Action::Deny),
            Decision::Log => self.words(form.log.as_ref()).map(Action::Log),
            Decision::Ask => form.ask.as_ref().map(|ask| self.query(ask)).map(Action::Ask),
            Decision::Route => form.route.as_ref().map(|route| {
                if route.provider.trim().is_empty() {
                    self.found.push(Mistake::new("this must not be empty").at("provider").at(key));
                }
                let form::RouteForm { provider, command, place } = route.clone();
                Action::Route(Route { provider, place, command })
            }),
            Decision::Rewrite => match Edits::compile(form.rewrite.as_deref().unwrap_or_default(), points) {
                Ok(edits) => Some(Action::Rewrite(edits)),
                Err(found) => self.below(key, found),
            },
            Decision::Redact => match form.redact.as_ref().map(Redaction::compile)? {
                Ok(redaction) => Some(Action::Redact(redaction)),
                Err(found) => self.below(key, found),
            },
        };
        if action.is_none() && matches!(decision, Decision::Deny | Decision::Log) {
            self.found.push(Mistake::new("say why").at(key));
        }
        action
    }

    fn words(&self, text: Option<&String>) -> Option<String> {
        text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn below(&mut self, key: &str, found: Vec<Mistake>) -> Option<Action> {
        self.found.extend(found.into_iter().map(|mistake| mistake.at(key)));
        None
    }

    fn query(&mut self, ask: &form::Ask) -> Query {
        let table = ask.table();
        let timeout = table.timeout.as_ref().map(form::Span::duration).transpose();
        if table.title.trim().is_empty() {
            self.found.push(Mistake::new("a question needs words").at("ask"));
        }
        Query {
            title: table.title,
            detail: table.detail.unwrap_or_default(),
            timeout: timeout.unwrap_or_else(|message| {
                self.found.push(Mistake::new(message).at("timeout").at("ask"));
                None
            }),
            data: serde_json::Value::Null,
        }
    }

    /// Whether the decision can be carried out at all points.
    fn power(&mut self, decision: Decision, points: &[Point]) {
        let takes = |point: &Point| match decision {
            Decision::Deny => point.takes(Power::Deny),
            Decision::Ask => point.takes(Power::Ask),
            Decision::Route => point.takes(Power::Route),
            Decision::Redact => point.is_gate(),
            // Notes can be given when a session starts; what else cannot be done there is said by each edit.
            Decision::Rewrite => point.is_gate() || *point == Point::SessionStart,
            Decision::Log => true,
        };
        if let Some(point) = points.iter().find(|point| !takes(point)) {
            let fine: Vec<_> = Point::ALL.iter().filter(|point| takes(point)).map(|point| point.name()).collect();
            let help = format!("`{}` works at {}", decision.name(), fine.join(", "));
            let message = format!("`{}` cannot be done at {point}", decision.name());
            self.found.push(Mistake::new(message).help(help).at(decision.name()));
        }
    }
}

fn apply_overrides(rules: &mut Vec<Rule>, setting: &Setting, mistakes: &mut Vec<Mistake>) {
    let places: HashMap<Arc<str>, usize> =
        rules.iter().enumerate().map(|(place, rule)| (Arc::clone(&rule.id), place)).collect();
    let mut off = Vec::new();
    for (id, Placed { form, path }) in &setting.overrides {
        let Some(rule) = places.get(id.as_str()).and_then(|place| rules.get_mut(*place)) else { continue };
        match form.mode {
            Some(OverrideMode::Off) => off.push(Arc::clone(&rule.id)),
            Some(OverrideMode::Observe) => rule.observe = true,
            Some(OverrideMode::Enforce) => rule.observe = setting.observe,
            None => {}
        }
        let reason = || rule.action.reason();
        let (power, action) = match form.decision {
            Some(OverrideDecision::Deny) => (Power::Deny, Action::Deny(reason())),
            Some(OverrideDecision::Ask) => (Power::Ask, Action::Ask(Query { title: reason(), ..Query::default() })),
            None => continue,
        };
        match rule.points.iter().find(|point| !point.takes(power)) {
            Some(point) => {
                let message = format!("`{id}` stands at {point}, where this cannot be done");
                mistakes.push(Mistake::new(message).at("decision").below(path));
            }
            None => rule.action = action,
        }
    }
    rules.retain(|rule| !off.contains(&rule.id));
}

fn apply_exceptions(rules: &mut [Rule], setting: &Setting, mistakes: &mut Vec<Mistake>) {
    for Placed { form, path } in &setting.exceptions {
        let mut found = Vec::new();
        let args = Arguments::compile(&form.arg).unwrap_or_else(|wrong| {
            found.extend(wrong.into_iter().map(|mistake| mistake.at("arg")));
            Arguments::default()
        });
        let tool = form.tool.as_ref().map(|tool| ToolText::compile(tool, &setting.names, Sense::Lets));
        let tool = tool.and_then(|tool| {
            tool.map_err(|wrong| found.extend(wrong.into_iter().map(|mistake| mistake.at("tool")))).ok()
        });
        let exception = Exception {
            tool,
            path: text("path", form.path.as_ref(), Sort::Path, &mut found),
            host: text("host", form.host.as_ref(), Sort::Host, &mut found),
            args,
            until: form.until,
            reason: form.reason.as_str().into(),
        };
        if form.reason.trim().is_empty() {
            found.push(Mistake::new("say why").at("reason"));
        }
        mistakes.extend(found.into_iter().map(|mistake| mistake.below(path)));
        let rule = rules.iter_mut().find(|rule| *rule.id == *form.rule);
        if let Some(rule) = rule.filter(|_| form.until >= setting.today && form.is_narrow()) {
            rule.exceptions.push(exception);
        }
    }
}
