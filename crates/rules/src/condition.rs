//! When something applies.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use tollgate_core::{Ended, Event, Fault, Name, Names, Point};
use tollgate_shell::{Effect, Kind};
use tollgate_wire::form::EndedForm;

use crate::args::Arguments;
use crate::effects::{self, EffectTest, Parts};
use crate::facts::CallFacts;
use crate::form::{Between, Conditions, Count, EndedName, KindName, Matcher, OneOrMany, SecretForm};
use crate::matcher::{Sense, Sort, Text, ToolText};
use crate::mistake::Mistake;
use crate::when::Expression;

/// How deep `not`, `any` and `all` may stand in one another.
const MAX_DEPTH: usize = 16;

/// Compiled conditions: all of one table must hold.
///
/// ```
/// use serde_json::json;
/// use tollgate_core::{Body, Event, Point};
/// use tollgate_rules::{Condition, CallFacts, Still};
///
/// let names = tollgate_wire::names();
/// let form = serde_json::from_value(json!({"tool": "Bash", "arg": {"command": {"contains": "prod"}}}))?;
/// let condition = Condition::compile(&form, &names).unwrap();
///
/// let (name, body) = (names.name("bash"), Body::from(json!({"command": "psql prod"})));
/// let event = Event::tool(Point::ToolBefore, &name, "call-1");
/// assert!(condition.holds(&CallFacts::new(&event, &body, &Still::shared()))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Condition {
    sense: Sense,
    pub(crate) tool: Option<ToolText>,
    kinds: Option<Vec<&'static str>>,
    facts: Vec<(Fact, Text)>,
    own: Vec<(String, Text)>,
    labels: Vec<(String, Text)>,
    attempt: Option<RangeInclusive<u32>>,
    ended: Option<Vec<Ended>>,
    approved: Option<bool>,
    headers: Vec<(String, Text)>,
    pub(crate) args: Arguments,
    pub(crate) text: Option<Text>,
    pub(crate) effect: Option<EffectTest>,
    secret: Option<SecretForm>,
    not: Vec<Condition>,
    pub(crate) any: Option<Vec<Condition>>,
    pub(crate) all: Vec<Condition>,
    when: Option<Expression>,
}

/// A fact of the event.
#[derive(Clone, Copy, Debug)]
enum Fact {
    Agent,
    Session,
    Server,
    Model,
    Surface,
    Principal,
}

/// What a condition was found to hold for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hit {
    /// The place of the effect it speaks of.
    pub(crate) effect: Option<usize>,
}

/// Effects that do not count, because an exception covers them.
pub(crate) type Excepted<'a> = &'a dyn Fn(&Effect) -> bool;

impl Condition {
    /// Compiles conditions, or says all that is wrong with them. The names are the aliases in force.
    pub fn compile(form: &Conditions, names: &Names) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let build = Build { names, sense: Sense::Restricts, depth: MAX_DEPTH };
        let condition = build.condition(form, &mut mistakes);
        if mistakes.is_empty() { Ok(condition) } else { Err(mistakes) }
    }

    /// The condition that the tool has one of these names. What is wrong is at a place in the list.
    pub fn tools(list: &[Matcher], names: &Names, sense: Sense) -> Result<Self, Vec<Mistake>> {
        let tool = ToolText::compile(&Matcher::AnyOf(list.to_vec()), names, sense)?;
        Ok(Self { tool: Some(tool), sense, ..Self::default() })
    }

    /// Whether everything holds. A fault if that cannot be told: the document cannot be read, or an expression failed.
    pub fn holds(&self, facts: &CallFacts<'_>) -> Result<bool, Fault> {
        Ok(self.look(facts, None)?.is_some())
    }

    /// What it holds for, if it holds. Cheap questions come first, and `when` last.
    pub(crate) fn look(&self, facts: &CallFacts<'_>, excepted: Option<Excepted<'_>>) -> Result<Option<Hit>, Fault> {
        if self.sense == Sense::Lets
            && let Some(untaught) = facts.untaught()
        {
            return self.look(&untaught, excepted);
        }
        if !self.holds_by_facts(facts) {
            return Ok(None);
        }
        if !self.args.is_empty() && !facts.arguments()?.is_some_and(|arguments| self.args.hold(arguments)) {
            return Ok(None);
        }
        if let Some(text) = &self.text
            && !facts.texts()?.iter().any(|one| text.fits(one))
        {
            return Ok(None);
        }
        let mut hit = Hit::default();
        if let Some(test) = &self.effect {
            let counts = |effect: &Effect| excepted.is_none_or(|excepted| !excepted(effect));
            let meant = |effect: &Effect| test.fits(effect, facts) && counts(effect);
            hit.effect = facts.effects()?.iter().position(meant);
            if hit.effect.is_none() {
                return Ok(None);
            }
        }
        let Some(inner) = self.look_inside(facts, excepted)? else { return Ok(None) };
        if let Some(secret) = self.secret
            && !facts.secret_is(secret)?
        {
            return Ok(None);
        }
        hit.effect = hit.effect.or(inner.effect);
        match &self.when {
            Some(when) if !holds_either_way(when, facts)? => Ok(None),
            _ => Ok(Some(hit)),
        }
    }

    /// What is certainly false outweighs what cannot be told, so that the answer does not depend on who is asked first.
    fn look_inside(&self, facts: &CallFacts<'_>, excepted: Option<Excepted<'_>>) -> Result<Option<Hit>, Fault> {
        let mut hit = Hit::default();
        let mut fault = None;
        for all in &self.all {
            match all.look(facts, excepted) {
                Ok(None) => return Ok(None),
                Ok(Some(inner)) => hit.effect = hit.effect.or(inner.effect),
                Err(why) => fault = fault.or(Some(why)),
            }
        }
        for not in &self.not {
            // An exception makes a rule narrower; here it would make it wider.
            match not.look(facts, None) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(None),
                Err(why) => fault = fault.or(Some(why)),
            }
        }
        if let Some(any) = &self.any {
            match look_for_any(any, facts, excepted) {
                Ok(None) => return Ok(None),
                Ok(Some(inner)) => hit.effect = hit.effect.or(inner.effect),
                Err(why) => fault = fault.or(Some(why)),
            }
        }
        fault.map_or(Ok(Some(hit)), Err)
    }

    /// Whether the tool and the other facts fit; nothing is read for that.
    pub(crate) fn holds_by_facts(&self, facts: &CallFacts<'_>) -> bool {
        let headers = facts.body.headers();
        self.tool.as_ref().is_none_or(|tool| tool.fits(facts.name()))
            && self.kinds.as_ref().is_none_or(|kinds| self.fits_kind(kinds, facts))
            && self.facts.iter().all(|(fact, text)| fact.of(facts).into_iter().flatten().any(|fact| text.fits(fact)))
            && self.fits_run(facts.event)
            && self.headers.iter().all(|(name, text)| {
                let mut values = headers.into_iter().flat_map(|headers| headers.iter());
                values.any(|(key, value)| key.eq_ignore_ascii_case(name) && text.fits(value))
            })
    }

    /// Whether the tool is of such a kind; to restrict it, it is enough that tools of that name are.
    fn fits_kind(&self, kinds: &[&str], facts: &CallFacts<'_>) -> bool {
        let also = facts.name().filter(|_| self.sense == Sense::Restricts).into_iter().flat_map(Name::all);
        let taught = facts.lessons().iter().filter_map(|lesson| lesson.kind());
        let also = also.filter_map(tollgate_wire::kind).chain(taught);
        facts.kind().into_iter().chain(also).any(|kind| kinds.contains(&kind))
    }

    /// Whether what the surface and earlier points know of the event fits.
    fn fits_run(&self, event: &Event<'_>) -> bool {
        // Of two facts with one name the first counts; labels can only be added to, so each of them does.
        let own = |name: &str| event.own.iter().find(|(key, _)| *key == name);
        let granted = || event.approval.is_some_and(|approval| approval.granted);
        self.own.iter().all(|(name, text)| own(name).is_some_and(|(_, value)| text.fits(value)))
            && self.labels.iter().all(|(name, text)| event.labels.iter().any(|(key, v)| key == name && text.fits(v)))
            && self.attempt.as_ref().is_none_or(|attempts| attempts.contains(&event.attempt))
            && self.ended.as_ref().is_none_or(|all| event.ended.is_some_and(|ended| all.contains(&ended)))
            && self.approved.is_none_or(|approved| approved == granted())
    }

    /// A fact it asks about that is not known at a point, so that it would never hold there, or always.
    pub fn asks_too_early(&self, point: Point) -> Option<&'static str> {
        let own = match point {
            Point::ToolAfter => None,
            Point::ModelComplete => self.approved.map(|_| "approved"),
            _ => self.ended.as_ref().map(|_| "ended").or(self.approved.map(|_| "approved")),
        };
        let mut inner = self.not.iter().chain(self.any.iter().flatten()).chain(&self.all);
        own.or_else(|| inner.find_map(|condition| condition.asks_too_early(point)))
    }

    /// Whether it asks about a tool, which only some points have.
    pub(crate) fn speaks_of_tools(&self) -> bool {
        self.tool.is_some() || self.kinds.is_some() || self.effect.is_some() || self.inner(Self::speaks_of_tools)
    }

    /// Whether it asks about effects.
    pub(crate) fn speaks_of_effects(&self) -> bool {
        self.effect.is_some() || self.inner(Self::speaks_of_effects)
    }

    /// Whether it asks about the document, which a stream does not have yet.
    pub(crate) fn speaks_of_document(&self) -> bool {
        !self.args.is_empty()
            || self.text.is_some()
            || self.secret.is_some()
            || self.when.is_some()
            || !self.headers.is_empty()
            || self.inner(Self::speaks_of_document)
    }

    fn inner(&self, ask: fn(&Self) -> bool) -> bool {
        self.not.iter().chain(self.any.iter().flatten()).chain(&self.all).any(ask)
    }

    /// The kinds of effects of which one must be there.
    pub(crate) fn effect_kinds(&self) -> Option<Vec<Kind>> {
        self.effect.as_ref().and_then(EffectTest::kinds).or_else(|| self.all.iter().find_map(Self::effect_kinds))
    }

    /// Texts of which one must be in the document or the arguments.
    pub(crate) fn document_literals(&self) -> Option<Vec<String>> {
        let own = self.args.literals().or_else(|| self.text.as_ref().and_then(Text::literals));
        own.or_else(|| self.all.iter().find_map(Self::document_literals)).or_else(|| {
            let each = self.any.as_ref()?.iter().map(Self::document_literals).collect::<Option<Vec<_>>>();
            each.map(|each| each.concat())
        })
    }

    /// Texts of which one must be in the path or host of an effect.
    pub(crate) fn effect_literals(&self) -> Option<Vec<String>> {
        let own = self.effect.as_ref().and_then(EffectTest::literals);
        own.or_else(|| self.all.iter().find_map(Self::effect_literals))
    }
}

/// What conditions are compiled with.
#[derive(Clone, Copy)]
struct Build<'a> {
    names: &'a Names,
    sense: Sense,
    depth: usize,
}

impl Build<'_> {
    fn condition(self, form: &Conditions, mistakes: &mut Vec<Mistake>) -> Condition {
        if self.depth == 0 {
            mistakes.push(Mistake::new("conditions nest too deep here"));
            return Condition::default();
        }
        let parts = Parts {
            effect: form.effect.as_ref(),
            place: form.place.as_ref(),
            flag: form.flag.as_ref(),
            path: form.path.as_ref(),
            host: form.host.as_ref(),
        };
        let mut inner = |key: &str, forms: &mut dyn Iterator<Item = &Conditions>, list: bool| -> Vec<Condition> {
            let sense = if key == "not" { self.sense.flipped() } else { self.sense };
            let build = Self { depth: self.depth - 1, sense, ..self };
            let compile = |(place, form): (usize, &Conditions)| {
                let before = mistakes.len();
                let condition = build.condition(form, mistakes);
                if *form == Conditions::default() {
                    mistakes.push(Mistake::new("this table says nothing"));
                }
                for mistake in mistakes.iter_mut().skip(before) {
                    if list {
                        mistake.path.insert(0, place.into());
                    }
                    mistake.path.insert(0, key.into());
                }
                condition
            };
            forms.enumerate().map(compile).collect()
        };
        let not = form.not.as_ref().map_or_else(Vec::new, |not| inner("not", &mut not.iter(), not.is_list()));
        let any = form.any.as_ref().map(|any| inner("any", &mut any.iter(), true));
        let all = form.all.as_ref().map_or_else(Vec::new, |all| inner("all", &mut all.iter(), true));
        if any.as_ref().is_some_and(Vec::is_empty) {
            mistakes.push(Mistake::new("an empty list never holds").at("any"));
        }
        let args = Arguments::compile(&form.arg).unwrap_or_else(|found| {
            mistakes.extend(found.into_iter().map(|mistake| mistake.at("arg")));
            Arguments::default()
        });
        let tool = form.tool.as_ref().map(|tool| ToolText::compile(tool, self.names, self.sense));
        let mut at_tool = |found: Vec<Mistake>| mistakes.extend(found.into_iter().map(|mistake| mistake.at("tool")));
        Condition {
            sense: self.sense,
            tool: tool.and_then(|tool| tool.map_err(&mut at_tool).ok()),
            kinds: form.kind.as_ref().map(|names| kinds(names, mistakes)),
            facts: facts(form, mistakes),
            own: by_name("own", &form.own, mistakes),
            labels: by_name("label", &form.label, mistakes),
            attempt: form.attempt.map(|count| attempts(count, mistakes)),
            ended: form.ended.as_ref().map(|names| endings(names, mistakes)),
            approved: form.approved,
            headers: by_name("header", &form.header, mistakes),
            args,
            text: effects::text("text", form.text.as_ref(), Sort::Plain, mistakes),
            effect: EffectTest::compile(&parts, mistakes),
            secret: form.secret,
            not,
            any,
            all,
            when: form.when.as_ref().and_then(|when| {
                let compiled = Expression::compile(when);
                compiled.map_err(|found| mistakes.extend(found.into_iter().map(|mistake| mistake.at("when")))).ok()
            }),
        }
    }
}

/// Whether an expression holds with what the policy says of the tool, or without: nobody can tell which of the two makes it
/// stricter.
fn holds_either_way(when: &Expression, facts: &CallFacts<'_>) -> Result<bool, Fault> {
    match (when.holds(facts), facts.untaught().map(|untaught| when.holds(&untaught))) {
        (Ok(false), Some(other)) => other,
        (Err(_), Some(Ok(true))) => Ok(true),
        (one, _) => one,
    }
}

/// The first that holds; only if none does, it matters that one could not tell.
fn look_for_any(
    any: &[Condition],
    facts: &CallFacts<'_>,
    excepted: Option<Excepted<'_>>,
) -> Result<Option<Hit>, Fault> {
    let mut fault = None;
    for one in any {
        match one.look(facts, excepted) {
            Ok(Some(hit)) => return Ok(Some(hit)),
            Ok(None) => {}
            Err(why) => fault = fault.or(Some(why)),
        }
    }
    fault.map_or(Ok(None), Err)
}

impl Fact {
    /// What it is. A server is also what the tool's name says.
    fn of<'a>(self, facts: &'a CallFacts<'_>) -> [Option<&'a str>; 2] {
        let event = facts.event;
        match self {
            Self::Agent => [event.agent, None],
            Self::Session => [event.session, None],
            Self::Server => [event.server, facts.named_server()],
            Self::Model => [event.model, None],
            Self::Surface => [event.surface, None],
            Self::Principal => [event.principal, None],
        }
    }
}

fn facts(form: &Conditions, mistakes: &mut Vec<Mistake>) -> Vec<(Fact, Text)> {
    let given: [(Fact, &str, &Option<Matcher>); 6] = [
        (Fact::Agent, "agent", &form.agent),
        (Fact::Session, "session", &form.session),
        (Fact::Server, "server", &form.server),
        (Fact::Model, "model", &form.model),
        (Fact::Surface, "surface", &form.surface),
        (Fact::Principal, "principal", &form.principal),
    ];
    let mut compile = |(fact, key, form): (Fact, &str, &Option<Matcher>)| {
        Some((fact, effects::text(key, form.as_ref(), Sort::Plain, mistakes)?))
    };
    given.into_iter().filter_map(&mut compile).collect()
}

/// Conditions on texts that have names of their own: `header.NAME`, `own.NAME`, `label.NAME`.
fn by_name(key: &str, forms: &BTreeMap<String, Matcher>, mistakes: &mut Vec<Mistake>) -> Vec<(String, Text)> {
    let mut all = Vec::new();
    for (name, matcher) in forms {
        let before = mistakes.len();
        let text = effects::text(name, Some(matcher), Sort::Plain, mistakes);
        mistakes.iter_mut().skip(before).for_each(|mistake| mistake.path.insert(0, key.into()));
        all.extend(text.map(|text| (name.clone(), text)));
    }
    all
}

fn attempts(count: Count, mistakes: &mut Vec<Mistake>) -> RangeInclusive<u32> {
    let attempts = match count {
        Count::Is(number) => number..=number,
        Count::Within(Between { min, max }) => min.unwrap_or(0)..=max.unwrap_or(u32::MAX),
    };
    if *attempts.end() == 0 || attempts.is_empty() {
        mistakes.push(Mistake::new("this never holds; attempts are counted from 1").at("attempt"));
    }
    attempts
}

fn endings(names: &OneOrMany<EndedName>, mistakes: &mut Vec<Mistake>) -> Vec<Ended> {
    let find = |name: &str| EndedForm::ALL.iter().find(|ended| ended.name() == name).map(|ended| (*ended).into());
    effects::list("ended", "ending", names, |name| &name.0, find, &EndedName::all(), mistakes)
}

fn kinds(names: &OneOrMany<KindName>, mistakes: &mut Vec<Mistake>) -> Vec<&'static str> {
    let known = tollgate_wire::KINDS;
    let find = |name: &str| known.iter().copied().find(|kind| *kind == name);
    effects::list("kind", "kind of tool", names, |name| &name.0, find, known, mistakes)
}
