//! A plan that was worked out before.
//!
//! A hook is a new process for every call of an agent. Reading the policy anew each time (seven packs, three files, every
//! mistake looked for) is most of what that costs, so what came of it is kept:
//!
//! ```text
//! <cache>/plan-<key>    0600    sha256 of the rest, in hexadecimal; a line break; the plan as JSON
//! ```
//!
//! The key is a digest of everything the plan follows from: this version and its packs, the bytes of every file and where
//! they lie, what is trusted, and the day, because exceptions end. A policy that changed has another key; nothing is ever
//! stale, and writers need no lock: whoever writes a key writes the same. A file is used only if it is ours, nobody else
//! could have written it, and its digest is right; else it is as if it were not there. Only a plan without mistakes is
//! kept, so a policy with mistakes is read, and refused, each time.
//!
//! Of hooks only what is written is kept. Their programs are looked for, their scripts read and the store of trust asked at
//! each use, by the same code that does it without a cache; where something is missing, everything is worked out anew, so
//! that the mistake is shown in its place.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollgate_rules::form::{
    Ask, Conditions, Date, Dedupe, EditForm, Exception, Limit, Loop, Matcher, Mode, OnFault, OneOrMany, Override,
    PointName, Redact, Require, RouteForm, Rule,
};
use tollgate_wire::hex;

use crate::apply;
use crate::audit::Audit;
use crate::checks;
use crate::diagnostic::Diagnostics;
use crate::file::hash as sha256;
use crate::form::Ambiguous;
use crate::guard;
use crate::hook::Hook;
use crate::load::{Loaded, load_on, read, settle_hooks, trusts};
use crate::pack::{FINGERPRINT, pack_names};
use crate::paths::Paths;
use crate::plan::{Placed, Plan, Relaxation, Toolset};
use crate::seed;
use crate::trust::today;

/// Changes with the form below, and with what makes a plan of files.
const FORMAT: u32 = 2;
/// A plan longer than this was not written by us.
const MAX_SIZE: u64 = 16 << 20;
/// How many plans are kept, and how long one that is not used anew.
const MAX_KEPT: usize = 64;
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The same as [`load`](crate::load), from what was worked out before where nothing has changed since.
///
/// [`Plan::warnings`] are not kept: they are for people, who ask `tollgate check`.
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{Paths, load, load_cached};
///
/// let home = std::env::temp_dir().join(format!("tollgate-cached-{}", std::process::id()));
/// let paths = Paths::find(Path::new("/nowhere"), None, |name| (name == "TOLLGATE_HOME").then(|| home.clone().into()));
/// let (first, second) = (load_cached(&paths)?, load_cached(&paths)?);
/// assert_eq!(first.rules.len(), second.rules.len());
/// # std::fs::remove_dir_all(&home).ok();
/// # Ok::<(), tollgate_config::Diagnostics>(())
/// ```
pub fn load_cached(paths: &Paths) -> Result<Plan, Diagnostics> {
    load_cached_on(paths, today())
}

/// The same for a day, in UTC: exceptions end, and who runs for longer than a day has to ask again.
pub fn load_cached_on(paths: &Paths, today: Date) -> Result<Plan, Diagnostics> {
    let Ok(folder) = paths.cache() else { return load_on(paths, today) };
    let Some((loaded, key)) = read_keyed(paths, today) else { return load_on(paths, today) };
    let file = folder.join(format!("plan-{key}"));
    if let Some(mut plan) = kept(&file).and_then(|form| form.plan(&loaded, today)) {
        settle_hooks(&mut plan, paths);
        return Ok(plan);
    }
    let plan = load_on(paths, today)?;
    // Whoever changed a file or its trust meanwhile makes another key; what we keep must be what the key says.
    let is_same = plan.files.iter().map(|file| &file.hash).eq(loaded.all().map(|file| &file.hash));
    if is_same && read_keyed(paths, today).is_some_and(|(_, again)| again == key) {
        let mut form = Form::of(&plan);
        // What stands in a file of its own is read from there.
        form.hooks.retain(|hook| loaded.hooks.as_ref().is_none_or(|file| file.path != hook.file));
        keep(folder, &file, &form);
    }
    Ok(plan)
}

/// The files, and the digest of all that the plan follows from. None if that cannot be told for certain.
fn read_keyed(paths: &Paths, today: Date) -> Option<(Loaded, String)> {
    let loaded = read(paths).ok()?;
    let (trusted, suspicious) = trusts(paths, &loaded);
    let key = key(&loaded, trusted, today);
    suspicious.is_none().then_some((loaded, key))
}

/// All that a plan follows from: while it stays the same, the plan does.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    /// A digest of the files, what is trusted, and the day.
    pub digest: String,
    /// The hooks with their programs and scripts, and whether they may run.
    pub hooks: Vec<Hook>,
}

/// What a plan with these hooks would follow from now.
///
/// Who runs for long compares it with what the plan in force follows from, which costs the reading of a few small files, and
/// loads the plan anew if they differ:
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{Basis, Paths, basis, load_cached_on};
/// use tollgate_rules::form::Date;
///
/// let paths = Paths::find(Path::new("/nowhere"), None, |_| None);
/// let (first, second) = (Date::of_seconds(0), Date::of_seconds(86_400));
/// // What changes while the plan is loaded is not to be missed, so this comes first.
/// let before = basis(&paths, first, &[]);
/// let plan = load_cached_on(&paths, first)?;
/// let seen = Basis { hooks: plan.hooks.clone(), ..before };
/// assert_eq!(basis(&paths, first, &plan.hooks), seen);
/// assert_ne!(basis(&paths, second, &plan.hooks), seen, "exceptions end");
/// # Ok::<(), tollgate_config::Diagnostics>(())
/// ```
pub fn basis(paths: &Paths, today: Date, hooks: &[Hook]) -> Basis {
    let (loaded, mistakes) = match read(paths) {
        Ok(loaded) => (loaded, Vec::new()),
        Err(flawed) => flawed,
    };
    let (trusted, suspicious) = trusts(paths, &loaded);
    let odd: Vec<&str> = mistakes.iter().chain(&suspicious).map(|mistake| mistake.message.as_str()).collect();
    let digest = sha256(format!("{} {odd:?}", key(&loaded, trusted, today)).as_bytes());
    if hooks.is_empty() {
        return Basis { digest, hooks: Vec::new() };
    }
    let own = |hook: &&Hook| loaded.hooks.as_ref().is_none_or(|file| file.path != hook.file);
    let hooks = again(hooks.iter().filter(own).cloned().collect(), &loaded).unwrap_or_default();
    let mut plan = Plan { hooks, files: loaded.all().cloned().collect(), ..Plan::default() };
    settle_hooks(&mut plan, paths);
    Basis { digest, hooks: plan.hooks }
}

/// Whether two plans enforce the same, as far as plans are kept: what people look at may differ.
///
/// ```
/// use tollgate_config::{Plan, same};
///
/// let mut other = Plan::default();
/// other.dry_run = true;
/// assert!(same(&Plan::default(), &Plan::default()) && !same(&Plan::default(), &other));
/// ```
pub fn same(one: &Plan, other: &Plan) -> bool {
    let form = |plan: &Plan| serde_json::to_value(Form::of(plan)).ok();
    let forms = form(one).zip(form(other));
    forms.is_some_and(|(one, other)| one == other) && one.hooks == other.hooks
}

fn key(loaded: &Loaded, trusted: bool, today: Date) -> String {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    };
    add(&FORMAT.to_le_bytes());
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(&FINGERPRINT.to_le_bytes());
    add(&[u8::from(trusted)]);
    add(today.to_string().as_bytes());
    add(&loaded.files.len().to_le_bytes());
    for file in loaded.all() {
        add(file.layer.name().as_bytes());
        add(file.path.as_os_str().as_encoded_bytes());
        add(file.hash.as_bytes());
    }
    hex::encode(&digest.finalize()[..16])
}

/// A plan, without what only people look at.
#[derive(Serialize, Deserialize)]
struct Form {
    mode: Mode,
    dry_run: bool,
    ambiguous: Ambiguous,
    workspace: Vec<PathBuf>,
    packs: Vec<String>,
    rules: Vec<Kept>,
    tools: Vec<Toolset>,
    reads: Vec<Matcher>,
    writes: Vec<Matcher>,
    requires: Vec<Placed<Require>>,
    limits: Vec<Placed<Limit>>,
    loops: Vec<Placed<Loop>>,
    dedupes: Vec<Placed<Dedupe>>,
    exceptions: Vec<Placed<Exception>>,
    overrides: BTreeMap<String, Override>,
    audit: Audit,
    hooks: Vec<Hook>,
    ignored: Vec<Relaxation>,
}

impl Form {
    fn of(plan: &Plan) -> Self {
        let plan = plan.clone();
        Self {
            mode: plan.mode,
            dry_run: plan.dry_run,
            ambiguous: plan.ambiguous,
            workspace: plan.workspace,
            packs: plan.packs.into_iter().map(str::to_owned).collect(),
            rules: plan.rules.into_iter().map(Kept::of).collect(),
            tools: plan.tools,
            reads: plan.reads,
            writes: plan.writes,
            requires: plan.requires,
            limits: plan.limits,
            loops: plan.loops,
            dedupes: plan.dedupes,
            exceptions: plan.exceptions,
            overrides: plan.overrides,
            audit: plan.audit,
            hooks: plan.hooks,
            ignored: plan.ignored,
        }
    }

    /// The plan, ready to be run; none if it does not compile, which a plan that was kept does, or if the program of a
    /// hook is not there. Whether the hooks may run is still to be said.
    fn plan(self, loaded: &Loaded, today: Date) -> Option<Plan> {
        let known = pack_names();
        let packs = self.packs.iter().map(|name| known.iter().copied().find(|known| known == name));
        let mut plan = Plan {
            mode: self.mode,
            dry_run: self.dry_run,
            ambiguous: self.ambiguous,
            workspace: self.workspace,
            packs: packs.collect::<Option<_>>()?,
            rules: self.rules.into_iter().map(Kept::rule).collect(),
            tools: self.tools,
            reads: self.reads,
            writes: self.writes,
            requires: self.requires,
            limits: self.limits,
            loops: self.loops,
            dedupes: self.dedupes,
            exceptions: self.exceptions,
            overrides: self.overrides,
            audit: self.audit,
            hooks: again(self.hooks, loaded)?,
            ignored: self.ignored,
            files: loaded.all().cloned().collect(),
            ..Plan::default()
        };
        let mut mistakes = apply::rules(&mut plan, today);
        checks::compile(&mut plan, &mut mistakes);
        mistakes.is_empty().then_some(plan)
    }
}

/// These hooks and those in a file of their own, on the machine as it is now; none if one of them is a mistake today.
fn again(hooks: Vec<Hook>, loaded: &Loaded) -> Option<Vec<Hook>> {
    let mut hooks: Vec<Hook> = hooks.into_iter().map(|hook| hook.again(&loaded.files)).collect::<Option<_>>()?;
    hooks.extend(loaded.hooks.as_ref().map_or(Ok(Vec::new()), seed::hooks).ok()?);
    Some(hooks)
}

/// A rule as a plain table of tables, which is read much faster than one whose conditions stand among its own keys.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    origin: String,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<OneOrMany<PointName>>,
    conditions: Conditions,
    #[serde(skip_serializing_if = "Option::is_none")]
    deny: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ask: Option<Ask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<RouteForm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrite: Option<Vec<EditForm>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redact: Option<Redact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_fault: Option<OnFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Mode>,
}

impl Kept {
    fn of(Placed { form, origin, .. }: Placed<Rule>) -> Self {
        // Examples were right when the plan was made.
        let Rule {
            id,
            on,
            conditions,
            deny,
            ask,
            route,
            rewrite,
            redact,
            log,
            suggest,
            priority,
            on_fault,
            mode,
            examples: _,
        } = form;
        let origin = origin.to_string();
        Self { origin, id, on, conditions, deny, ask, route, rewrite, redact, log, suggest, priority, on_fault, mode }
    }

    fn rule(self) -> Placed<Rule> {
        let Self {
            origin,
            id,
            on,
            conditions,
            deny,
            ask,
            route,
            rewrite,
            redact,
            log,
            suggest,
            priority,
            on_fault,
            mode,
        } = self;
        let examples = None;
        let form = Rule {
            id,
            on,
            conditions,
            deny,
            ask,
            route,
            rewrite,
            redact,
            log,
            suggest,
            priority,
            on_fault,
            mode,
            examples,
        };
        Placed { form, origin: origin.into(), path: Vec::new() }
    }
}

/// What a file holds, if it can be believed.
fn kept(path: &Path) -> Option<Form> {
    let file = fs::File::open(path).ok()?;
    guard::only_ours(path.parent()?).ok()?;
    guard::only_ours_open(&file, path).ok()?;
    let size = file.metadata().ok()?.len().min(MAX_SIZE);
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()? + 1);
    file.take(MAX_SIZE).read_to_end(&mut bytes).ok()?;
    let (digest, plan) = bytes.split_at_checked(64)?;
    let plan = plan.strip_prefix(b"\n")?;
    (hex::encode(&Sha256::digest(plan)).as_bytes() == digest).then_some(())?;
    serde_json::from_slice(plan).ok()
}

/// Keeps a plan. A cache that cannot be written costs time and nothing else.
fn keep(folder: &Path, path: &Path, form: &Form) {
    let write = || -> io::Result<()> {
        guard::create_folder(folder)?;
        let plan = serde_json::to_vec(form)?;
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let new = path.with_extension(format!("{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        let mut file = guard::private(options.create(true).truncate(true).write(true)).open(&new)?;
        let written = writeln!(file, "{}", hex::encode(&Sha256::digest(&plan))).and_then(|()| file.write_all(&plan));
        let placed = written.and_then(|()| fs::rename(&new, path));
        if placed.is_err() {
            let _ = fs::remove_file(&new);
        }
        placed
    };
    if write().is_ok() {
        sweep(folder);
    }
}

/// Removes plans that nobody will ask for again.
fn sweep(folder: &Path) {
    let plans = fs::read_dir(folder).into_iter().flatten().flatten();
    let plans = plans.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"plan-"));
    let dated = plans.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    let mut dated: Vec<(SystemTime, PathBuf)> = dated.collect();
    dated.sort_unstable();
    let over = dated.len().saturating_sub(MAX_KEPT);
    let old = |time: &SystemTime| time.elapsed().is_ok_and(|age| age > MAX_AGE);
    for (_, path) in dated.iter().enumerate().filter(|(at, (time, _))| *at < over || old(time)).map(|(_, one)| one) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests;
