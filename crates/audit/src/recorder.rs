//! The watcher that turns every run of the pipeline into a record.

mod memory;

use std::sync::Arc;

use tollgate_core::{Approval, Body, Digest, Event, Fault, OnFault, Outcome, Point, Registration, Step, Watch};

use crate::event::{self, Keeping, Scene};
use crate::{AuditError, Draft, Log, Publisher, keep};
use memory::{Memory, Recall};

/// What mends a recorder that cannot record.
const MEND: &str = "see `tollgate log verify`, make room on the disk, or set audit.on_fault";
/// How many observations of one event are kept.
const MOST_OBSERVED: usize = 64;

/// What is recorded, and what happens if that is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderSettings {
    /// What is kept of arguments and results.
    pub keep: Keep,
    /// Whether what cannot be recorded must not happen.
    pub required: bool,
    /// How many bytes are kept of one field; at least 256.
    pub limit: usize,
}

/// What is kept of arguments, results and changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All but credentials and the rest of long texts.
    #[default]
    Redacted,
    /// Everything, encrypted.
    Sealed,
    /// Nothing: only what was decided.
    Nothing,
}

impl Default for RecorderSettings {
    fn default() -> Self {
        Self { keep: Keep::default(), required: true, limit: 64 * 1024 }
    }
}

/// Records every run of a pipeline that it is registered with.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tollgate_audit::{Log, Reader, Recorder, RecorderSettings, Settings};
/// use tollgate_core::{Body, Event, Names, Point, Registry};
/// # use tollgate_testkit::ManualClock as SystemClock;
///
/// # let dir = std::env::temp_dir().join(format!("tollgate-doc-recorder-{}", std::process::id()));
/// # let clock = Arc::new(SystemClock::default());
/// let log = Log::open(&dir.join("audit"), &dir.join("keys"), Settings::default(), clock.clone())?;
/// let recorder = Recorder::new(Arc::new(log), RecorderSettings::default())?;
/// let mut registry = Registry::new(Names::default(), clock, tollgate_wire::digest);
/// for registration in recorder.registrations() {
///     registry.add(registration)?;
/// }
/// let pipeline = registry.snapshot();
/// let name = pipeline.name("Bash");
/// let event = Event::tool(Point::ToolBefore, &name, "call-1");
/// pipeline.run_now(&event, &mut Body::from(json!({"command": "login --token=f3Kd81mzQp0aLw7TbX2c"})));
///
/// let entry = Reader::new(recorder.log().dir()).entry(2)?.ok_or("there is no record")?;
/// assert_eq!(entry.record.tool.as_deref(), Some("Bash"));
/// let kept = json!({"command": "login --token=[redacted:generic-secret]"});
/// assert_eq!(entry.fields.value("arguments"), Some(kept));
/// # std::fs::remove_dir_all(dir).ok();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Inner>,
}

struct Inner {
    log: Arc<Log>,
    settings: RecorderSettings,
    seal: Option<[u8; 32]>,
    /// Rules and decisions that were only observed, until their event is recorded.
    observed: Memory<Vec<(String, String)>>,
    /// Digests of calls that were bound to a question or a route, until they end: a route is part of them.
    bound: Memory<Option<Digest>>,
    publisher: Option<Publisher>,
}

impl Recorder {
    /// A recorder that writes to a log. If it has to seal, it makes the key for that unless there is one.
    pub fn new(log: Arc<Log>, settings: RecorderSettings) -> Result<Self, AuditError> {
        Self::publishing(log, settings, None)
    }

    /// The same, with somebody who publishes heads.
    pub fn publishing(
        log: Arc<Log>,
        settings: RecorderSettings,
        publisher: Option<Publisher>,
    ) -> Result<Self, AuditError> {
        let settings = RecorderSettings { limit: settings.limit.max(keep::LEAST), ..settings };
        let seal = if settings.keep == Keep::Sealed { log.keys().seal(true)? } else { None };
        let (observed, bound) = (Memory::default(), Memory::default());
        Ok(Self { inner: Arc::new(Inner { log, settings, seal, observed, bound, publisher }) })
    }

    /// What a registry needs for everything to be recorded.
    pub fn registrations(&self) -> Vec<Registration> {
        let on_fault = if self.inner.settings.required { OnFault::Deny } else { OnFault::Pass };
        let watch = Registration::watch("record", Point::ALL, self.clone());
        // No chain leaves it out, also where its failure may pass.
        vec![Registration { group: None, priority: i32::MIN, on_fault, mend: Some(MEND.into()), ..watch }]
    }

    /// Records a human's answer to the question about an event, and gives back the number of the record.
    pub fn approval(&self, event: &Event<'_>, approval: &Approval) -> Result<u64, AuditError> {
        self.append(event::approval(event, approval, &self.keeping())?)
    }

    /// Notes down what a rule would have decided if it were enforced. It becomes part of the event's record.
    pub fn observed(&self, event: &Event<'_>, rule: &str, decision: &str) {
        self.inner.observed.change(event.point, event, |all| {
            let known = all.iter().any(|(by, what)| by == rule && what == decision);
            if !known && all.len() < MOST_OBSERVED {
                all.push((rule.to_owned(), decision.to_owned()));
            }
        });
    }

    /// The log that is written to.
    pub fn log(&self) -> &Log {
        &self.inner.log
    }

    fn keeping(&self) -> Keeping<'_> {
        let Inner { log, settings, seal, .. } = &*self.inner;
        Keeping { keys: log.keys(), keep: settings.keep, seal: seal.as_ref(), limit: settings.limit }
    }

    fn record(&self, event: &Event<'_>, body: &Body, outcome: &Outcome) -> Result<(), AuditError> {
        let observed = &self.inner.observed;
        let whole = event.index.is_none() || event.last;
        if event::is_piece(event, outcome) && !(whole && observed.get(event.point, event) != Recall::Nothing) {
            return Ok(());
        }
        let (observed, bound) = (observed.take(event.point, event), self.bound(event, outcome));
        let gone = [("digest", bound == Recall::Gone), ("observed", observed == Recall::Gone)];
        let unknown: Vec<&str> = gone.into_iter().filter(|(_, gone)| *gone).map(|(name, _)| name).collect();
        let observed = observed.known().unwrap_or_default();
        let scene =
            Scene { event, body, outcome, observed: &observed, bound: bound.known().flatten(), unknown: &unknown };
        self.append(event::draft(&scene, &self.keeping())?).map(drop)
    }

    fn append(&self, draft: Draft) -> Result<u64, AuditError> {
        let seq = self.inner.log.append(draft)?;
        if let Some(publisher) = &self.inner.publisher {
            publisher.recorded(seq);
        }
        Ok(seq)
    }

    /// The digest that a call was bound to before it ran.
    fn bound(&self, event: &Event<'_>, outcome: &Outcome) -> Recall<Option<Digest>> {
        let memory = &self.inner.bound;
        match event.point {
            Point::ToolBefore if !event.routed => {
                if outcome.trace.digest.is_some() {
                    memory.change(Point::ToolBefore, event, |digest| *digest = outcome.trace.digest);
                }
                Recall::Nothing
            }
            Point::ToolUpdate => memory.get(Point::ToolBefore, event),
            Point::ToolAfter => memory.take(Point::ToolBefore, event),
            _ => Recall::Nothing,
        }
    }
}

impl Watch for Recorder {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, outcome: &'a Outcome) -> Step<'a, ()> {
        Step::Now(self.record(event, body, outcome).map_err(Fault::crash))
    }
}
