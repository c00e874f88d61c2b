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

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use tollgate_rules::form::{Conditions, Date, Rule, Taught};
use tollgate_wire::hex;

use crate::apply;
use crate::checks;
use crate::diagnostic::Diagnostics;
use crate::file::hash as sha256;
use crate::guard;
use crate::hook::Hook;
use crate::load::{Loaded, load_on, read, settle_hooks, trusts};
use crate::pack::{FINGERPRINT, pack_names};
use crate::paths::Paths;
use crate::plan::{Placed, Plan};
use crate::seed;
use crate::trust::today;

/// Changes with the form of a plan, and with what makes one of files.
const FORMAT: u32 = 4;
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
    if let Some(mut plan) = kept_plan(&file, &loaded, today) {
        settle_hooks(&mut plan, paths);
        return Ok(plan);
    }
    let plan = load_on(paths, today)?;
    // Whoever changed a file or its trust meanwhile makes another key; what we keep must be what the key says.
    let is_same = plan.files.iter().map(|file| &file.hash).eq(loaded.all().map(|file| &file.hash));
    if is_same && read_keyed(paths, today).is_some_and(|(_, again)| again == key) {
        let mut kept = plan.clone();
        // What stands in a file of its own is read from there.
        kept.hooks.retain(|hook| loaded.hooks.as_ref().is_none_or(|file| file.path != hook.file));
        keep(folder, &file, &kept);
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
    let kept = |plan: &Plan| serde_json::to_value(plan).ok();
    kept(one).zip(kept(other)).is_some_and(|(one, other)| one == other) && one.hooks == other.hooks
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

/// The plan that a file holds, ready to be run; none if it does not compile, which a plan that was kept does, or if the
/// program of a hook is not there. Whether the hooks may run is still to be said.
fn kept_plan(path: &Path, loaded: &Loaded, today: Date) -> Option<Plan> {
    let mut plan = kept(path)?;
    plan.hooks = again(plan.hooks, loaded)?;
    plan.files = loaded.all().cloned().collect();
    let mut mistakes = apply::lessons(&mut plan);
    mistakes.extend(apply::rules(&mut plan, today));
    checks::compile(&mut plan, &mut mistakes);
    mistakes.is_empty().then_some(plan)
}

/// These hooks and those in a file of their own, on the machine as it is now; none if one of them is a mistake today.
fn again(hooks: Vec<Hook>, loaded: &Loaded) -> Option<Vec<Hook>> {
    let mut hooks: Vec<Hook> = hooks.into_iter().map(|hook| hook.again(&loaded.files)).collect::<Option<_>>()?;
    hooks.extend(loaded.hooks.as_ref().map_or(Ok(Vec::new()), seed::hooks).ok()?);
    Some(hooks)
}

/// The packs of a plan: those there are.
pub(crate) fn packs<'de, D: Deserializer<'de>>(packs: D) -> Result<Vec<&'static str>, D::Error> {
    let (known, packs) = (pack_names(), Vec::<String>::deserialize(packs)?);
    let packs = packs.iter().map(|name| known.iter().copied().find(|known| known == name));
    packs.collect::<Option<_>>().ok_or_else(|| D::Error::custom("there is no such pack"))
}

/// What is taught of tools. Examples were right when the plan was made.
pub(crate) fn taught<S: Serializer>(taught: &[Placed<Taught>], to: S) -> Result<S::Ok, S::Error> {
    let bare = |placed: Placed<Taught>| Placed { form: Taught { examples: Vec::new(), ..placed.form }, ..placed };
    to.collect_seq(taught.iter().cloned().map(bare))
}

/// The rules of a plan: conditions apart, because they are read much faster so than among a rule's own keys.
pub(crate) mod rules {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Kept {
        origin: Arc<str>,
        conditions: Conditions,
        rest: Rule,
    }

    pub(crate) fn serialize<S: Serializer>(rules: &[Placed<Rule>], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(rules.iter().cloned().map(|Placed { form, origin, .. }| {
            let (conditions, form) = (form.conditions.clone(), form);
            // Examples were right when the plan was made.
            Kept { origin, conditions, rest: Rule { conditions: Conditions::default(), examples: None, ..form } }
        }))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(rules: D) -> Result<Vec<Placed<Rule>>, D::Error> {
        let placed =
            |Kept { origin, conditions, rest }| Placed { form: Rule { conditions, ..rest }, origin, path: Vec::new() };
        Ok(Vec::<Kept>::deserialize(rules)?.into_iter().map(placed).collect())
    }
}

/// What a file holds, if it can be believed.
fn kept(path: &Path) -> Option<Plan> {
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
fn keep(folder: &Path, path: &Path, plan: &Plan) {
    let write = || -> io::Result<()> {
        guard::create_folder(folder)?;
        let plan = serde_json::to_vec(plan)?;
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
