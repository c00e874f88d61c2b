//! Several files to one plan: restrictions of everybody, relaxations of those who may.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tollgate_rules::Step;
use tollgate_rules::form::{Hide, Matcher, Mode, Redact, Rule, Tools};

use crate::diagnostic::{Diagnostic, Text};
use crate::file::{File, Layer};
use crate::form::{Ambiguous, PolicyFile, Unknown};
use crate::pack::{Pack, pack_names};
use crate::plan::{Placed, Plan, Relaxation, Toolset};
use crate::read::Kept;
use crate::shape::MOST;
use crate::tree::{Aim, Tree};

/// A file as data.
pub(crate) struct Parsed {
    pub(crate) file: File,
    pub(crate) form: PolicyFile,
    pub(crate) kept: Kept,
    /// The number of its text in the plan.
    pub(crate) text: usize,
}

impl Parsed {
    pub(crate) fn path(&self, list: &str, index: usize) -> Vec<Step> {
        [vec![self.text.into()], self.kept.path(list, index)].concat()
    }

    pub(crate) fn key(&self, keys: &[&str]) -> Vec<Step> {
        [vec![self.text.into()], keys.iter().map(|key| Step::from(*key)).collect()].concat()
    }
}

/// Why a relaxation does not hold.
pub(crate) const MACHINE: &str = "the machine's policy says otherwise";
/// Why a project's relaxation does not hold.
pub(crate) const UNTRUSTED: &str = "this file is not trusted as it is now; read it, then run `tollgate trust`";

/// Puts files together.
pub(crate) struct Layering<'a> {
    pub(crate) files: &'a [Parsed],
    /// The files as trees, of those in which something must be found.
    trees: Vec<OnceCell<Tree<'a>>>,
    /// Whether the project's file is trusted.
    pub(crate) trusted: bool,
    /// Ids of what is in a file and not in the plan, because it has mistakes or does not hold.
    pub(crate) lost: BTreeSet<String>,
    pub(crate) plan: Plan,
}

impl<'a> Layering<'a> {
    /// Nothing put together yet.
    pub(crate) fn new(files: &'a [Parsed], trusted: bool, lost: BTreeSet<String>, plan: Plan) -> Self {
        let trees = files.iter().map(|_| OnceCell::new()).collect();
        Self { files, trees, trusted, lost, plan }
    }

    /// Where a path of a file stands: its key, or for a member of a list that member.
    pub(crate) fn locate(&self, path: &[Step]) -> Option<(&'a Parsed, Range<usize>)> {
        let (Step::Index(text), path) = path.split_first()? else { return None };
        let at = self.files.iter().position(|parsed| parsed.text == *text)?;
        let tree = self.trees[at].get_or_init(|| Tree::parse(&self.files[at].file.text.text).0);
        Some((&self.files[at], tree.locate(path, Aim::Key)))
    }

    /// Whether a layer may make weaker what another layer (or a pack: none) has said.
    pub(crate) fn may(&self, who: Layer, whose: Option<Layer>) -> Result<(), &'static str> {
        match (who, whose) {
            (Layer::Machine, _) => Ok(()),
            (who, Some(whose)) if who == whose => Ok(()),
            (_, Some(Layer::Machine)) => Err(MACHINE),
            (Layer::User, _) => Ok(()),
            (Layer::Project, _) if self.trusted => Ok(()),
            (Layer::Project, _) => Err(UNTRUSTED),
        }
    }

    /// Notes that something does not hold.
    pub(crate) fn ignore(&mut self, path: &[Step], what: String, why: &str) {
        if let Some((text, line)) = self.warn(path, format!("{what} does not hold"), why) {
            let file = text.name.clone();
            self.plan.ignored.push(Relaxation { what, file, line, why: why.to_owned() });
        }
    }

    /// Notes that something is probably not what was meant, and says where; a few hundred times is enough.
    pub(crate) fn warn(&mut self, path: &[Step], message: String, help: &str) -> Option<(Arc<Text>, usize)> {
        let (parsed, span) = self.locate(path).filter(|_| self.plan.warnings.len() < MOST)?;
        let text = &parsed.file.text;
        let (line, _) = text.position(span.start);
        self.plan.warnings.push(Diagnostic::warning(text, span, message).help(help));
        Some((Arc::clone(text), line))
    }

    /// One of two values that everybody may make stricter; looser only whoever may, and only if it may be at all. `by`
    /// is whose word the strict value is before anybody says it.
    fn settle<T: Copy + PartialEq>(
        &mut self,
        key: &str,
        start: T,
        strict: T,
        mut by: Option<Layer>,
        loosens: bool,
        said: impl Fn(&PolicyFile) -> Option<T>,
    ) -> T {
        let mut now = start;
        let files = self.files;
        for parsed in files {
            let (layer, Some(value)) = (parsed.file.layer, said(&parsed.form)) else { continue };
            let refusal = match (value == strict, now == strict, by) {
                (false, true, Some(_)) if !loosens => Some("another file is stricter, and the strictest holds"),
                (false, true, by) => self.may(layer, by).err(),
                _ => None,
            };
            match refusal {
                Some(why) => self.ignore(&parsed.key(&[key]), format!("`{key}`"), why),
                None if value == strict => {
                    by = Some(by.filter(|_| now == strict).map_or(layer, |by: Layer| by.min(layer)));
                    now = value;
                }
                None => (now, by) = (value, None),
            }
        }
        now
    }

    /// What the machine's file says, if there is one.
    fn machine(&self) -> Option<&'a PolicyFile> {
        self.files.iter().find(|parsed| parsed.file.layer == Layer::Machine).map(|parsed| &parsed.form)
    }

    /// The values that are simply one thing or another.
    pub(crate) fn settings(&mut self) {
        // Whoever writes a rule wants it to hold, whether or not they say so of all of them.
        let wanted = self.machine().is_some_and(enforces).then_some(Layer::Machine);
        self.plan.mode = self.settle("mode", Mode::Enforce, Mode::Enforce, wanted, true, |form| form.mode);
        self.plan.dry_run = self.settle("dry_run", false, true, None, false, |form| form.dry_run);
        let deny = Ambiguous::Deny;
        self.plan.ambiguous = self.settle("ambiguous", deny, deny, None, true, |form| form.ambiguous);
        self.settle("default", Unknown::Allow, Unknown::Deny, None, false, |form| form.default);
    }

    /// Which packs are used: the last who may say so decides, and the others can only add.
    pub(crate) fn packs(&mut self) -> Vec<&'static str> {
        let known = pack_names();
        let (mut used, mut by) = (known.clone(), None);
        let files = self.files;
        for parsed in files {
            let Some(packs) = &parsed.form.packs else { continue };
            let wanted: Vec<&str> =
                known.iter().copied().filter(|name| packs.names.iter().any(|wanted| wanted == name)).collect();
            let fewer = used.iter().any(|name| !wanted.contains(name));
            match if fewer { self.may(parsed.file.layer, by) } else { Ok(()) } {
                Ok(()) => used = wanted,
                Err(why) => {
                    let less: Vec<&str> = used.iter().copied().filter(|name| !wanted.contains(name)).collect();
                    let what = format!("leaving out {}", less.join(", "));
                    self.ignore(&parsed.key(&["packs", "use"]), what, why);
                    used = known.iter().copied().filter(|name| used.contains(name) || wanted.contains(name)).collect();
                }
            }
            by = by.min(Some(parsed.file.layer)).or(Some(parsed.file.layer));
        }
        self.plan.packs.clone_from(&used);
        used
    }

    /// The rules of a pack.
    pub(crate) fn pack(&mut self, pack: Pack) {
        let text = self.plan.texts.len();
        self.plan.texts.push((Arc::clone(&pack.text), "pack"));
        let origin: Arc<str> = pack.text.name.as_str().into();
        let placed = pack.rules.into_iter().enumerate().map(|(index, form)| Placed {
            form,
            origin: Arc::clone(&origin),
            path: vec![text.into(), "rule".into(), index.into()],
        });
        self.plan.rules.extend(placed);
    }

    /// The lists of a file, which all hold: they can only restrict. What rewrites calls is not for strangers.
    pub(crate) fn lists(&mut self, parsed: &Parsed) {
        fn all<T: Clone>(parsed: &Parsed, list: &str, forms: &[T], into: &mut Vec<Placed<T>>) {
            let origin: Arc<str> = parsed.file.layer.name().into();
            let placed = forms.iter().enumerate().map(|(index, form)| Placed {
                form: form.clone(),
                origin: Arc::clone(&origin),
                path: parsed.path(list, index),
            });
            into.extend(placed);
        }
        let mut rules = Vec::new();
        all(parsed, "rule", &parsed.form.rule, &mut rules);
        for placed in rules {
            match self.may(parsed.file.layer, None) {
                Err(why) if rewrites(&placed.form) => {
                    let what = format!("the rule `{}` (it changes calls)", placed.form.id);
                    self.ignore(&placed.path, what, why);
                    self.lost.insert(placed.form.id);
                }
                _ => self.plan.rules.push(placed),
            }
        }
        all(parsed, "tool", &parsed.form.tool, &mut self.plan.taught);
        all(parsed, "require", &parsed.form.require, &mut self.plan.requires);
        all(parsed, "limit", &parsed.form.limit, &mut self.plan.limits);
        all(parsed, "loop", &parsed.form.repeat, &mut self.plan.loops);
        all(parsed, "dedupe", &parsed.form.dedupe, &mut self.plan.dedupes);
    }

    /// Which tools each layer lets through.
    pub(crate) fn tools(&mut self) {
        let files = self.files;
        for parsed in files.iter().filter(|parsed| parsed.form.tools.is_some() || parsed.form.default.is_some()) {
            let layer = parsed.file.layer;
            let own = parsed.form.tools.clone().unwrap_or_default();
            let adding = |other: &&Parsed| self.may(other.file.layer, Some(layer)).is_ok();
            let others: Vec<&Tools> =
                files.iter().filter(adding).filter_map(|other| other.form.tools.as_ref()).collect();
            let toolset = Toolset {
                origin: layer.name().into(),
                path: parsed.key(&["tools"]),
                default: parsed.form.default.unwrap_or_default(),
                known: others.iter().flat_map(|tools| names(tools)).collect(),
                admin: own.admin,
                lifted: others.iter().flat_map(|tools| tools.allow.iter().flatten().cloned()).collect(),
                allow: own.allow,
                deny: own.deny,
            };
            self.plan.tools.push(toolset);
        }
        // What only reads is neither tried out nor done once only.
        let against = self.machine().filter(|form| form.dry_run == Some(true) || !form.dedupe.is_empty());
        let against = against.map(|_| Layer::Machine);
        for parsed in files {
            let Some(tools) = &parsed.form.tools else { continue };
            self.plan.writes.extend(tools.write.iter().chain(&tools.admin).cloned());
            match self.may(parsed.file.layer, against) {
                Ok(()) => self.plan.reads.extend(tools.read.iter().cloned()),
                Err(why) => self.strangers_tools(parsed, tools, why),
            }
        }
    }

    /// What a file says of tools that may not speak for others holds only for itself; where that matters, it is shown.
    fn strangers_tools(&mut self, parsed: &Parsed, tools: &Tools, why: &str) {
        let of_others = |plan: &Plan, matters: fn(&Toolset) -> bool| {
            plan.tools.iter().any(|set| &*set.origin != parsed.file.layer.name() && matters(set))
        };
        let matters = why == MACHINE || self.plan.dry_run;
        if !tools.read.is_empty() && (matters || of_others(&self.plan, |set| set.default == Unknown::Deny)) {
            self.ignore(&parsed.key(&["tools", "read"]), "what `tools` calls reading".to_owned(), why);
        }
        if tools.allow.is_some() && of_others(&self.plan, |set| !set.admin.is_empty()) {
            self.ignore(&parsed.key(&["tools", "allow"]), "allowing what others call `admin`".to_owned(), why);
        }
    }

    /// The folders in which work is ordinary. A project's own folder always is.
    pub(crate) fn workspace(&mut self) {
        let files = self.files;
        for parsed in files {
            for (index, written) in parsed.form.workspace.iter().flatten().enumerate() {
                let folder = resolve(&parsed.file.folder().join(written));
                let own = parsed.file.layer == Layer::Project && folder.starts_with(resolve(parsed.file.folder()));
                match if own { Ok(()) } else { self.may(parsed.file.layer, None) } {
                    Ok(()) => self.plan.workspace.push(folder),
                    Err(why) => {
                        let path = [parsed.key(&["workspace"]), vec![index.into()]].concat();
                        self.ignore(&path, format!("`{written}` as a workspace"), why);
                    }
                }
            }
        }
    }
}

/// Whether a file has anything that observing would undo.
fn enforces(form: &PolicyFile) -> bool {
    let PolicyFile { rule, tool, require, limit, repeat, dedupe, tools, default, packs, overrides, hook, .. } = form;
    let holds = |rule: &Rule| rule.log.is_none() && rule.mode != Some(Mode::Observe);
    let lists = require.is_empty() && limit.is_empty() && repeat.is_empty() && dedupe.is_empty() && hook.is_empty();
    let packs = packs.as_ref().is_some_and(|packs| !packs.names.is_empty());
    let tools = tools.is_some() || !tool.is_empty() || *default == Some(Unknown::Deny);
    rule.iter().any(holds) || !lists || packs || tools || !overrides.is_empty()
}

/// Whether a rule makes something else of a call, which is as good as making one.
fn rewrites(rule: &Rule) -> bool {
    let Rule { rewrite, route, redact, .. } = rule;
    let own_words = |list: &[Hide]| list.iter().any(|hide| matches!(hide, Hide::Table(_)));
    rewrite.is_some() || route.is_some() || matches!(redact, Some(Redact::List(list)) if own_words(list))
}

/// Every tool that a table names.
fn names(tools: &Tools) -> Vec<Matcher> {
    let Tools { read, write, admin, allow, deny } = tools;
    [read, write, admin, deny].into_iter().flatten().chain(allow.iter().flatten()).cloned().collect()
}

/// Where a path really leads, as far as it exists.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
        // A link must be followed before a `..` after it is looked at.
        plain = plain.canonicalize().unwrap_or(plain);
    }
    plain
}
