//! Walks the tree of a script.

use std::rc::Rc;

use super::redirect::Plan;
use super::state::{Open, Value};
use super::{Walk, flood, pattern, shown};
use crate::arg::{Arg, HOLE, Origins, Printed, Stuff};
use crate::effect::{Effect, Kind};
use crate::syntax::{Arm, Assign, AssignValue, Command, Compound, List, Part, Redirect, Simple, Step, Word};

/// How often the body of one loop is looked at.
const ROUNDS: usize = 256;
/// How often a function may be in its own way.
const RECURSION: usize = 3;

impl Walk<'_> {
    pub(super) fn list(&mut self, list: &List) -> Stuff {
        let mut output = Printed::default();
        for step in list {
            if self.over {
                break;
            }
            let printed = self.one_step(step);
            output.push(printed);
        }
        output.done()
    }

    fn one_step(&mut self, step: &Step) -> Stuff {
        if step.background {
            self.spawning += 1;
            let output = self.subshell(|walk| walk.pipeline(&step.pipeline));
            self.spawning -= 1;
            return output;
        }
        self.pipeline(&step.pipeline)
    }

    fn pipeline(&mut self, commands: &[Command]) -> Stuff {
        if let [command] = commands {
            return self.tree(command);
        }
        self.spawning += 1;
        let before = self.stdin.clone();
        let mut flowing = None;
        for (index, command) in commands.iter().enumerate() {
            if let Some(flowing) = flowing.take() {
                self.stdin = Some(flowing);
            }
            flowing = Some(if index + 1 < commands.len() {
                self.capture(|walk| walk.subshell(|walk| walk.tree(command)))
            } else {
                self.subshell(|walk| walk.tree(command))
            });
        }
        self.stdin = before;
        self.spawning -= 1;
        flowing.unwrap_or_else(Stuff::nothing)
    }

    fn tree(&mut self, command: &Command) -> Stuff {
        if !self.step(1) {
            return Stuff::unknown();
        }
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) if redirects.is_empty() => self.compound(compound),
            Command::Compound(compound, redirects) => self.redirected(redirects, |walk| walk.compound(compound)),
            Command::Function(name, body) => {
                self.shell.define(name, body);
                Stuff::nothing()
            }
        }
    }

    fn redirected(&mut self, redirects: &[Redirect], work: impl FnOnce(&mut Self) -> Stuff) -> Stuff {
        self.by = String::new();
        let mut plan = self.plan(redirects);
        let before = plan.stdin.take().map(|stdin| self.stdin.replace(stdin));
        let output = if plan.taken { self.capture(work) } else { work(self) };
        if let Some(before) = before {
            self.stdin = before;
        }
        self.carry_out(plan, output)
    }

    fn compound(&mut self, compound: &Compound) -> Stuff {
        match compound {
            Compound::Group(list) => self.list(list),
            Compound::Subshell(list) => self.subshell(|walk| walk.list(list)),
            Compound::If(arms) => {
                let mut output = Printed::default();
                for (condition, body) in arms {
                    self.list(condition);
                    output.push(self.list(body));
                }
                output.done()
            }
            Compound::Loop { condition, body } => self.looped(condition, body),
            Compound::For { name, words, body } => self.for_each(name, words.as_deref(), body),
            Compound::ArithmeticFor { header, body } => self.counted(header, body),
            Compound::Case { word, arms } => self.case(word, arms),
            Compound::Arithmetic(word) => {
                self.arithmetic(&word.parts);
                Stuff::nothing()
            }
            Compound::Test(words) => {
                self.test(words);
                Stuff::nothing()
            }
            Compound::Coprocess(name, command) => {
                self.spawning += 1;
                let output = self.subshell(|walk| walk.tree(command));
                self.spawning -= 1;
                self.coprocess(name.as_deref().unwrap_or("COPROC"), output);
                Stuff::nothing()
            }
        }
    }

    /// `[[ … ]]`: numbers that are compared are expressions, and `-v` takes a name with an index.
    fn test(&mut self, words: &[Word]) {
        const CALCULATED: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R", "-t"];
        let words: Vec<Arg> = words.iter().map(|word| self.text(word)).collect();
        for (index, word) in words.iter().enumerate() {
            if CALCULATED.contains(&word.text.as_str()) {
                for side in [index.checked_sub(1), Some(index + 1)].into_iter().flatten() {
                    if let Some(side) = words.get(side) {
                        self.subscripts(&side.text);
                    }
                }
            }
        }
    }

    /// What a coprocess prints can be read from `${NAME[0]}`.
    fn coprocess(&mut self, name: &str, output: Stuff) {
        let fd = self.free_descriptor();
        self.shell.open(Open { fd, path: Arg::default(), stuff: output });
        let item = |key: u32| (key.to_string(), Arg::known((fd + key).to_string()));
        self.shell.set(name, Value::List(vec![item(0), item(1)]));
    }

    /// `while read` goes on as long as there is known input; else once is enough.
    fn looped(&mut self, condition: &List, body: &List) -> Stuff {
        if flood::is_endless(condition) {
            self.flood(body);
        }
        let mut output = Printed::default();
        for round in 0.. {
            let before = self.stdin.clone();
            self.list(condition);
            let printed = self.list(body);
            output.push(printed);
            let read = match (&before, &self.stdin) {
                (Some(before), Some(after)) => before.text != after.text,
                _ => false,
            };
            let more = self.stdin.as_ref().and_then(|stdin| stdin.text.as_deref()).is_some_and(|text| !text.is_empty());
            if !read || !more || self.over || round > ROUNDS {
                break;
            }
            if round == ROUNDS
                && let Some(stdin) = &mut self.stdin
            {
                stdin.text = None;
            }
        }
        output.done()
    }

    fn for_each(&mut self, name: &str, words: Option<&[Word]>, body: &List) -> Stuff {
        let mut values = Vec::new();
        match words {
            Some(words) => {
                for word in words {
                    self.words(word, &mut values);
                }
            }
            None => values.extend(self.shell.positional.iter().cloned()),
        }
        if words.is_none() && values.is_empty() {
            values.push(super::parameter::hole(Origins::default()));
        }
        let rest = (values.len() > ROUNDS).then(|| values.split_off(ROUNDS));
        if let Some(rest) = rest {
            let from = rest.iter().fold(Origins::default(), |from, arg| from.and(arg.from));
            values.push(super::parameter::hole(from));
        }
        let mut output = Printed::default();
        for value in values {
            if self.over {
                break;
            }
            self.assign(name, value);
            let printed = self.list(body);
            output.push(printed);
        }
        output.done()
    }

    /// `for ((…))`: the counter is not followed.
    fn counted(&mut self, header: &Word, body: &List) -> Stuff {
        let header = self.quoted(&header.parts);
        self.subscripts(&header.text);
        if header.text.split(';').nth(1).is_some_and(|condition| condition.trim().is_empty()) {
            self.flood(body);
        }
        if let Some(name) = header.text.split('=').next().map(str::trim).filter(|name| crate::syntax::is_name(name)) {
            self.assign(name, super::parameter::hole(Origins::default()));
        }
        self.list(body)
    }

    /// A loop without end that leaves a process behind each time.
    fn flood(&mut self, body: &List) {
        if flood::spawns(body) && !flood::waits(body) {
            self.by = "a loop without end".to_owned();
            self.effect(Effect::new(Kind::Exhaust, "starts processes without end"));
        }
    }

    fn case(&mut self, word: &Word, arms: &[Arm]) -> Stuff {
        let word = self.text(word);
        let known = word.as_known().filter(|_| !word.glob);
        let mut output = Printed::default();
        let mut falls = false;
        for arm in arms {
            let mut fits = falls || known.is_none();
            for one in &arm.patterns {
                let one = self.pattern(one);
                fits |= one.zip(known).is_none_or(|(one, text)| pattern::fits(&one, text));
            }
            if !fits {
                continue;
            }
            output.push(self.list(&arm.body));
            falls = arm.falls_through;
            if known.is_some() && !falls {
                break;
            }
        }
        output.done()
    }
}

/// Simple commands.
impl Walk<'_> {
    fn simple(&mut self, simple: &Simple) -> Stuff {
        let sinks = self.sinks.len();
        let mut args = Vec::with_capacity(simple.words.len());
        let mut words = simple.words.as_slice();
        if !self.shell.aliases.is_empty()
            && let Some((first, rest)) = words.split_first()
            && self.alias(first, &mut args)
        {
            words = rest;
        }
        for word in words {
            self.words(word, &mut args);
        }
        if simple.perhaps && args.first().is_some_and(|head| !head.is_known() || head.from.network || head.from.decoded)
        {
            return Stuff::nothing();
        }
        let declares = args
            .first()
            .is_some_and(|arg| matches!(arg.text.as_str(), "declare" | "typeset" | "local" | "export" | "readonly"));
        let kept = args.is_empty() || declares;
        if args.is_empty() {
            self.by.clear();
        }
        let before = if kept { Vec::new() } else { self.values_before(&simple.assigns) };
        for assign in &simple.assigns {
            self.assignment(assign);
        }
        let output = if simple.redirects.is_empty() {
            self.invoke(&args, &Plan::default())
        } else {
            self.by = render(&args);
            let mut plan = self.plan(&simple.redirects);
            let stdin = plan.stdin.take().map(|stdin| self.stdin.replace(stdin));
            let output =
                if plan.taken { self.capture(|walk| walk.invoke(&args, &plan)) } else { self.invoke(&args, &plan) };
            // `exec < file` is for all that follows.
            let for_good = matches!(args.as_slice(), [only] if only.text == "exec");
            if let Some(stdin) = stdin.filter(|_| !for_good) {
                self.stdin = stdin;
            }
            self.by = render(&args);
            self.carry_out(plan, output)
        };
        for (name, value) in before {
            match value {
                Some(value) => self.shell.set(&name, value),
                None => self.shell.forget(&name),
            }
        }
        if self.sinks.len() > sinks {
            self.feed_sinks(&simple.words, sinks);
        }
        output
    }

    /// What `>(…)` among the words get to read.
    fn feed_sinks(&mut self, words: &[Word], from: usize) {
        let paths = self.sinks.split_off(from);
        let lists = words.iter().flat_map(|word| &word.parts).filter_map(|part| match part {
            Part::Process(list, false) => Some(list),
            _ => None,
        });
        for (list, path) in lists.zip(paths) {
            let content = self.content(&path).unwrap_or_else(Stuff::unknown);
            self.feed(list, content);
        }
    }

    /// Runs commands with this as their input.
    pub(super) fn feed(&mut self, list: &List, input: Stuff) {
        self.nested(|walk| {
            walk.subshell(|walk| {
                walk.stdin = Some(input);
                walk.list(list)
            })
        });
    }

    /// The words that an alias stands for.
    fn alias(&mut self, word: &Word, args: &mut Vec<Arg>) -> bool {
        let [Part::Bare(name)] = word.parts.as_slice() else { return false };
        let Some(value) = self.shell.aliases.get(name).cloned() else { return false };
        let mut script = crate::syntax::read(&value);
        let last = match script.list.last_mut().map(|step| step.pipeline.as_slice()) {
            Some([Command::Simple(simple)]) => simple,
            _ => return false,
        };
        for word in &last.words {
            self.words(word, args);
        }
        script.list.pop();
        self.list(&script.list);
        true
    }

    fn values_before(&self, assigns: &[Assign]) -> Vec<(String, Option<Value>)> {
        assigns.iter().map(|assign| (assign.name.clone(), self.shell.get(&assign.name).cloned())).collect()
    }

    fn assignment(&mut self, assign: &Assign) {
        match &assign.value {
            AssignValue::Text(word) => {
                let mut value = self.text(word);
                // A pattern in an assignment is not expanded, except when the variable is used.
                value.glob = false;
                self.assign_text(assign, value);
            }
            AssignValue::Array(elements) => self.assign_array(assign, elements),
        }
    }

    fn assign_text(&mut self, assign: &Assign, mut value: Arg) {
        if let Some(index) = &assign.index {
            let key = self.text(index);
            let key = self.evaluate(&key).map_or(key.text, |number| number.to_string());
            if let Some(Value::List(items)) = self.shell.get(&assign.name) {
                self.step(items.len() / 16);
            }
            self.shell.set_item(&assign.name, &key, value);
            return;
        }
        if assign.append {
            let before = self.named(&assign.name);
            value.text.insert_str(0, &before.text);
            value.from = value.from.and(before.from);
        }
        self.assign(&assign.name, value);
    }

    fn assign_array(&mut self, assign: &Assign, elements: &[(Option<Word>, Word)]) {
        let mut items = match self.shell.get(&assign.name) {
            Some(Value::List(items)) if assign.append => items.clone(),
            Some(Value::Text(text)) if assign.append => vec![("0".to_owned(), text.clone())],
            _ => Vec::new(),
        };
        self.step(items.len() / 16);
        for (key, word) in elements {
            match key {
                Some(key) => {
                    let key = self.text(key);
                    let value = self.text(word);
                    let key = self.evaluate(&key).map_or(key.text, |number| number.to_string());
                    items.push((key, value));
                }
                None => {
                    let mut values = Vec::new();
                    self.words(word, &mut values);
                    for value in values {
                        items.push((items.len().to_string(), value));
                    }
                }
            }
        }
        self.shell.set(&assign.name, Value::List(items));
    }

    /// A function, or a program.
    fn invoke(&mut self, args: &[Arg], plan: &Plan<'_>) -> Stuff {
        let Some(head) = args.first() else { return Stuff::nothing() };
        if let Some((name, body)) = self.shell.function(&head.text) {
            let (name, body) = (Rc::clone(name), Rc::clone(body));
            return self.call(&name, args, |walk| walk.tree(&body));
        }
        if plan.remote && args.iter().any(|arg| is_shell(&arg.text)) {
            self.by = render(args);
            self.effect(Effect::new(Kind::ReverseShell, "hands a shell to another machine"));
        }
        let stdin = self.stdin.clone();
        self.command(args, stdin.as_ref())
    }

    /// Runs something that may run itself: a function or a script.
    pub(super) fn call(&mut self, name: &Rc<str>, args: &[Arg], work: impl FnOnce(&mut Self) -> Stuff) -> Stuff {
        let running = self.calls.iter().filter(|(other, _)| other == name).count();
        if let Some((_, spawning)) = self.calls.iter().find(|(other, _)| other == name)
            && self.spawning > *spawning
        {
            self.by = render(args);
            self.effect(Effect::new(
                Kind::Exhaust,
                "starts itself again and again until the machine gives up (a fork bomb)",
            ));
            return Stuff::unknown();
        }
        if running >= RECURSION {
            return Stuff::unknown();
        }
        let positional = std::mem::replace(&mut self.shell.positional, args.get(1..).unwrap_or_default().into());
        self.calls.push((Rc::clone(name), self.spawning));
        let output = self.nested(work);
        self.calls.pop();
        self.shell.positional = positional;
        output
    }
}

/// Words as people would write them.
pub(super) fn render(args: &[Arg]) -> String {
    const LONGEST: usize = 300;
    let mut text = String::new();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        if text.len() + arg.text.len() > LONGEST {
            text.extend(arg.text.chars().take(LONGEST.saturating_sub(text.len())));
            text.push('…');
            break;
        }
        text.push_str(&arg.text);
    }
    if text.contains(HOLE) { shown(&text) } else { text }
}

pub(super) fn is_shell(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    matches!(
        name,
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish" | "csh" | "tcsh" | "rbash" | "busybox"
    )
}
