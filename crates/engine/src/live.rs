//! An engine for processes that run for months.
//!
//! ```text
//!                   looks, at most twice a second
//!  switch ────────┐
//!  policy, trust ─┼──► has anything changed? ──► a new engine in the old one's place ──► Change, told
//!  hooks, places ─┤              │
//!  the day ───────┘              └─ it has mistakes: the old one stays, and says so
//! ```
//!
//! Nothing is subscribed to: what everything follows from is a handful of small files, and reading these again is cheaper
//! and more certain than being told. What stays over all changes are the state, what is known of workspaces, and the record
//! unless `[audit]` changed, so no call is forgotten or recorded twice.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::task::{Context, Poll, Waker};
use std::thread::Builder;
use std::time::Duration;

use tollgate_config::{Basis, Paths, Plan, basis, combine, load_cached_on, on, same};
use tollgate_core::Fault;
use tollgate_rules::form::Date;

use crate::checks::Known;
use crate::engine::Engine;
use crate::open::{Kept, OpenError, Opened, Record, Surface, day};
use crate::switch::{Halt, Stand, Switch};

/// Whoever uses the engine looks first if nobody has for so long.
const STALE: Duration = Duration::from_millis(500);
/// How often a thread looks that does nothing else.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Whoever writes a file may be halfway when that is noticed: an empty policy is one, too.
const SETTLED: Duration = Duration::from_millis(20);

/// Takes what changes.
type Tell = Box<dyn Fn(&Change) + Send + Sync>;

/// An engine that follows the switch, the policy and the day, in a process that goes on.
///
/// A halt, a pause, its end, another policy, another `[audit]`, hooks that changed or are trusted now, and midnight in UTC
/// hold within a second. A policy with mistakes does not take the place of one without: the old one stays in force, and
/// [`Opened::problem`] says why. A halt holds in any case.
///
/// A call is judged on one snapshot from its beginning to its end; take one for each:
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use tollgate_config::Paths;
/// use tollgate_engine::{Live, Surface};
/// # use tollgate_testkit::ManualClock as SystemClock;
///
/// # let home = std::env::temp_dir().join(format!("tollgate-doc-live-{}", std::process::id()));
/// # let here = home.clone();
/// let find = move || Paths::find(Path::new("/nowhere"), None, |name| (name == "TOLLGATE_HOME").then(|| here.clone().into()));
/// # let clock = Arc::new(SystemClock::default());
/// let live = Live::open(find, Surface::new(clock.clone()), |change| eprintln!("{change}"))?;
/// let before = live.engine();
///
/// std::fs::create_dir_all(home.join("state"))?;
/// std::fs::write(home.join("state/halt"), "lunch")?;
/// # clock.advance(std::time::Duration::from_secs(1));
/// // At most a second later:
/// assert_eq!(live.halted().map(|halt| halt.reason).as_deref(), Some("lunch"));
/// assert!(!Arc::ptr_eq(&before, &live.engine()));
/// # std::fs::remove_dir_all(home)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Whoever uses it looks, if nobody has for half a second, which reads a few small files. A surface that must not wait for
/// that, or that has to do something when all is halted, has a thread look instead: [`watch`](Self::watch).
pub struct Live {
    find: Box<dyn Fn() -> Paths + Send + Sync>,
    surface: Surface,
    tell: Tell,
    now: RwLock<Arc<Opened>>,
    /// What only who looks needs.
    followed: Mutex<Followed>,
    /// When somebody looked, in milliseconds of the clock.
    looked: AtomicU64,
    waiting: Mutex<Waiting>,
}

/// Something that holds from now on. Its text is one line, to be shown or logged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The switch stands otherwise: everything is halted, or paused, or neither any more.
    Switched(Stand),
    /// Another policy is in force, or the same as before after one that had mistakes.
    Reloaded,
    /// What is written now cannot be in force; what was before stays.
    Kept(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switched(Stand { halted: Some(halt), .. }) => f.write_str(&halt.refusal()),
            Self::Switched(stand) if stand.is_off() => f.write_str("the policy is in force again"),
            Self::Switched(stand) => f.write_str(&stand.tells().join("; ")),
            Self::Reloaded => f.write_str("the policy was loaded anew"),
            Self::Kept(problem) => write!(f, "the previous policy stays in force: {problem}"),
        }
    }
}

/// What the engine in force follows from.
struct Followed {
    paths: Paths,
    /// As it is written: a pause is not in it.
    plan: Plan,
    /// For which day.
    day: Date,
    kept: Kept,
    record: Record,
    seen: Seen,
}

/// What was seen when the plan was loaded.
#[derive(PartialEq)]
struct Seen {
    paths: Paths,
    basis: Basis,
    places: Known,
}

impl Followed {
    /// Everything as it is now. What can go on of what was before goes on.
    fn open(paths: Paths, surface: &Surface, before: Option<&Self>) -> Result<Self, OpenError> {
        let today = day(surface.clock.wall());
        // What changes while the plan is loaded is not to be missed, so this comes first.
        let basis = basis(&paths, today, &[]);
        let plan = load_cached_on(&paths, today)?;
        let folders = |paths: &Paths| (paths.state.clone(), paths.data.clone());
        let before = before.filter(|before| folders(&before.paths) == folders(&paths));
        let kept = before.map_or_else(|| Kept::new(&paths, surface), |before| Ok(before.kept.clone()))?;
        let record = match before.filter(|before| before.plan.audit == plan.audit) {
            Some(before) => before.record.clone(),
            None => Record::open(&plan, &paths, &surface.clock)?,
        };
        let places = surface.places(&paths, &plan).found(&*kept.ambient);
        let seen = Seen { paths: paths.clone(), basis: Basis { hooks: plan.hooks.clone(), ..basis }, places };
        Ok(Self { paths, plan, day: today, kept, record, seen })
    }

    /// What is there now.
    fn see(&self, paths: &Paths, surface: &Surface) -> Seen {
        Seen {
            paths: paths.clone(),
            basis: basis(paths, day(surface.clock.wall()), &self.plan.hooks),
            places: surface.places(paths, &self.plan).found(&*self.kept.ambient),
        }
    }

    fn engine(&self, surface: &Surface, stand: Stand) -> Result<Opened, OpenError> {
        let Self { paths, plan, kept, record, .. } = self;
        match kept.engine(plan.clone(), paths, surface, stand.clone(), record) {
            // Whatever is in the way of a halt (a hook with its name) goes: nothing is to happen anyway.
            Err(_) if stand.halted.is_some() => {
                let bare = combine(Vec::new(), false, day(surface.clock.wall()))?;
                kept.engine(bare, paths, &Surface { more: Vec::new(), ..surface.clone() }, stand, record)
            }
            made => made,
        }
    }

    fn stand(&self, surface: &Surface) -> Result<Stand, OpenError> {
        Ok(Switch::at(self.paths.state()?).read(surface.clock.wall()))
    }
}

impl Live {
    /// Opens everything, as [`open`](crate::open()) does, and follows it. `find` says where everything lies, each time anew,
    /// because a project may get a policy. `tell` takes what changes, on the thread that notices.
    pub fn open(
        find: impl Fn() -> Paths + Send + Sync + 'static,
        surface: Surface,
        tell: impl Fn(&Change) + Send + Sync + 'static,
    ) -> Result<Arc<Self>, OpenError> {
        let looked = AtomicU64::new(millis(surface.clock.now()));
        let followed = Followed::open(find(), &surface, None)?;
        let opened = followed.engine(&surface, followed.stand(&surface)?)?;
        Ok(Arc::new(Self {
            find: Box::new(find),
            surface,
            tell: Box::new(tell),
            now: RwLock::new(Arc::new(opened)),
            followed: Mutex::new(followed),
            looked,
            waiting: Mutex::default(),
        }))
    }

    /// What judges now. A call that has begun goes on with what it began with.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.opened().engine)
    }

    /// The same, with what belongs to it: the record, what to tell the user, how the switch stands.
    pub fn opened(&self) -> Arc<Opened> {
        let now = millis(self.surface.clock.now());
        if now.saturating_sub(self.looked.load(Ordering::Relaxed)) >= millis(STALE) {
            self.look();
        }
        self.current()
    }

    /// Why everything is refused, if it is.
    pub fn halted(&self) -> Option<Halt> {
        self.opened().stand.halted.clone()
    }

    /// Waits until everything is refused. What is under way then (a stream, a program) is for the surface to end.
    ///
    /// It looks for nothing by itself: somebody has to use the engine, or [`watch`](Self::watch) it.
    pub fn halting(self: &Arc<Self>) -> Halting {
        Halting { live: Arc::clone(self), ticket: None }
    }

    /// Has a thread look, so that whoever uses the engine need not, and changes are told when they happen. It ends when
    /// what is returned is dropped, or the engine is.
    pub fn watch(self: &Arc<Self>) -> io::Result<Watching> {
        let (stop, stopped) = sync_channel(0);
        let live = Arc::downgrade(self);
        let watch = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(BETWEEN_LOOKS) {
                let Some(live) = live.upgrade() else { return };
                live.look();
            }
        };
        Builder::new().name("tollgate-watch".to_owned()).spawn(watch)?;
        Ok(Watching { _stop: stop })
    }

    /// Looks now whether anything has changed, unless somebody else is looking.
    pub fn look(&self) {
        let Ok(mut followed) = self.followed.try_lock().or_else(|error| match error {
            TryLockError::Poisoned(poisoned) => Ok(poisoned.into_inner()),
            TryLockError::WouldBlock => Err(()),
        }) else {
            return;
        };
        self.looked.store(millis(self.surface.clock.now()), Ordering::Relaxed);
        // The switch first of all, because a halt holds whatever the policy has become.
        let looked = Fault::catch(|| {
            self.follow_switch(&followed)?;
            self.follow_day(&mut followed)?;
            self.retry_record(&mut followed)?;
            self.follow_policy(&mut followed)
        });
        let problem = match looked {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(fault) => fault.to_string(),
        };
        self.keep(problem);
    }

    fn follow_switch(&self, followed: &Followed) -> Result<(), OpenError> {
        let stand = followed.stand(&self.surface)?;
        if self.current().stand == stand {
            return Ok(());
        }
        self.rebuild(followed, stand.clone())?;
        self.tell(&Change::Switched(stand));
        Ok(())
    }

    /// Exceptions end at midnight, also if what is written since has mistakes.
    fn follow_day(&self, followed: &mut Followed) -> Result<(), OpenError> {
        let today = day(self.surface.clock.wall());
        if followed.day == today {
            return Ok(());
        }
        followed.plan = on(followed.plan.clone(), today)?;
        self.rebuild(followed, self.current().stand.clone())?;
        followed.day = today;
        Ok(())
    }

    fn follow_policy(&self, followed: &mut Followed) -> Result<(), OpenError> {
        let paths = (self.find)();
        let seen = followed.see(&paths, &self.surface);
        let now = self.current();
        // What has mistakes is tried again: a program that was missing may be there now.
        if seen == followed.seen && now.problem.is_none() {
            return Ok(());
        }
        std::thread::sleep(SETTLED);
        if followed.see(&paths, &self.surface) != seen {
            // Somebody is still writing: the next look sees what it has become.
            return Ok(());
        }
        let new = Followed::open(paths, &self.surface, Some(followed))?;
        self.put(new.engine(&self.surface, now.stand.clone())?);
        // At midnight most policies stay as they are.
        let is_news = now.problem.is_some() || !same(&new.plan, &followed.plan);
        let_go(std::mem::replace(followed, new));
        if is_news {
            self.tell(&Change::Reloaded);
        }
        Ok(())
    }

    /// A record that could not be opened, where calls go on without: perhaps there is room on the disk by now.
    fn retry_record(&self, followed: &mut Followed) -> Result<(), OpenError> {
        if followed.record.unrecorded.is_none() {
            return Ok(());
        }
        let record = Record::open(&followed.plan, &followed.paths, &self.surface.clock)?;
        if record.unrecorded.is_some() {
            return Ok(());
        }
        followed.record = record;
        self.rebuild(followed, self.current().stand.clone())
    }

    /// Another engine for the same policy.
    fn rebuild(&self, followed: &Followed, stand: Stand) -> Result<(), OpenError> {
        let opened = followed.engine(&self.surface, stand)?;
        self.put(Opened { problem: self.current().problem.clone(), ..opened });
        Ok(())
    }

    /// What holds goes on, and says why.
    fn keep(&self, problem: String) {
        let now = self.current();
        if now.problem.as_ref() == Some(&problem) {
            return;
        }
        self.put(Opened { problem: Some(problem.clone()), ..Opened::clone(&now) });
        self.tell(&Change::Kept(problem));
    }

    fn current(&self) -> Arc<Opened> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, opened: Opened) {
        let halted = opened.stand.halted.is_some();
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *now, Arc::new(opened));
        drop(now);
        let_go(before);
        if halted {
            let waiting = std::mem::take(&mut self.waiting().wakers);
            // A task that panics when it is woken must not keep the others asleep.
            waiting.into_values().for_each(|waker| drop(Fault::catch(|| waker.wake())));
        }
    }

    fn tell(&self, change: &Change) {
        // What a listener breaks is its own.
        let _ = Fault::catch(|| (self.tell)(change));
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops what is no longer in force. With it may go a record that still publishes a head, and for that a halt cannot wait.
fn let_go<T: Send + 'static>(old: T) {
    // Without a thread to spare it is dropped here.
    let _ = Builder::new().name("tollgate-end".to_owned()).spawn(move || drop(old));
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A thread that looks whether anything has changed, until this is dropped.
#[must_use = "the thread ends when this is dropped"]
pub struct Watching {
    /// The thread ends when nobody is at the other end any more.
    _stop: SyncSender<()>,
}

/// Who waits for a halt.
#[derive(Default)]
struct Waiting {
    next: u64,
    wakers: HashMap<u64, Waker>,
}

/// Resolves when everything is refused; see [`Live::halting`].
#[must_use = "it waits for nothing unless it is polled"]
pub struct Halting {
    live: Arc<Live>,
    ticket: Option<u64>,
}

impl Future for Halting {
    type Output = Halt;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Halt> {
        let live = Arc::clone(&self.live);
        let mut waiting = live.waiting();
        let ticket = *self.ticket.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        // First the waker, then the look: a halt in between wakes it.
        waiting.wakers.insert(ticket, context.waker().clone());
        drop(waiting);
        match &live.current().stand.halted {
            Some(halt) => Poll::Ready(halt.clone()),
            None => Poll::Pending,
        }
    }
}

impl Drop for Halting {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.live.waiting().wakers.remove(&ticket);
        }
    }
}
