//! The record that a plan asks for.

use std::path::Path;
use std::sync::Arc;

use tollgate_audit::{Anchor, AuditError, Keep, Log, Publisher, Recorder, RecorderSettings, Settings};
use tollgate_config::{self as config, Audit, Plan};
use tollgate_core::{Clock, Event};
use tollgate_rules::form::OnFault;

use crate::observe::{Observed, Would};
use crate::{Parts, Report};

/// Where the record of this machine's user lies: the log in the folder for state, its keys in the one for data.
pub const FOLDER: &str = "audit";

/// Opens the log, to be added to as a plan says.
pub fn log(audit: &Audit, state: &Path, data: &Path, clock: &Arc<dyn Clock>) -> Result<Log, AuditError> {
    let sync = audit.sync == config::Sync::Full;
    let settings = Settings { sync, segment: audit.segment, retain: audit.retain, ..Settings::default() };
    Log::open(&state.join(FOLDER), &data.join(FOLDER), settings, Arc::clone(clock))
}

/// What came of opening the record that a plan asks for.
#[must_use]
pub enum Opened {
    /// Everything is recorded.
    Recording(Recorder),
    /// Nothing is to be recorded.
    Off,
    /// Nothing can be recorded, and somebody wrote `on_fault = "pass"`: calls go on. Show why.
    Without(AuditError),
}

impl Opened {
    /// What records, if there is something.
    pub fn recorder(&self) -> Option<&Recorder> {
        if let Self::Recording(recorder) = self { Some(recorder) } else { None }
    }
}

/// Opens the record that a plan asks for.
///
/// An error refuses everything that would have to be recorded: without a record there is no action.
pub fn open(plan: &Plan, state: &Path, data: &Path, clock: &Arc<dyn Clock>) -> Result<Opened, AuditError> {
    let Audit { enabled, on_fault, .. } = &plan.audit;
    if !enabled {
        return Ok(Opened::Off);
    }
    match recorder(&plan.audit, state, data, clock) {
        Ok(recorder) => Ok(Opened::Recording(recorder)),
        Err(error) if *on_fault == OnFault::Pass => Ok(Opened::Without(error)),
        Err(error) => Err(error),
    }
}

fn recorder(audit: &Audit, state: &Path, data: &Path, clock: &Arc<dyn Clock>) -> Result<Recorder, AuditError> {
    let log = Arc::new(log(audit, state, data, clock)?);
    let required = audit.on_fault == OnFault::Deny;
    let settings = RecorderSettings { keep: kept(audit.keep), required, ..RecorderSettings::default() };
    let publisher = audit.anchor.as_ref().map(|place| Publisher::new(anchored(place), Arc::clone(&log)));
    Recorder::publishing(log, settings, publisher)
}

impl Parts {
    /// The same, recorded: every event, and what is only observed.
    #[must_use]
    pub fn recorded(mut self, recorder: &Recorder) -> Self {
        self.more.extend(recorder.registrations());
        let (recorder, before) = (recorder.clone(), self.report.take());
        let report: Report = Arc::new(move |event: &Event<'_>, observed: Observed| {
            recorder.observed(event, &observed.by, word(&observed.would));
            if let Some(before) = &before {
                before(event, observed);
            }
        });
        Self { report: Some(report), ..self }
    }
}

/// Where heads go, as the plan names it.
pub fn anchored(anchor: &config::Anchor) -> Anchor {
    match anchor {
        config::Anchor::File(path) => Anchor::File(path.clone()),
        config::Anchor::Command(command) => Anchor::Command(command.clone()),
        config::Anchor::Url(url) => Anchor::Url(url.clone()),
    }
}

fn kept(keep: config::Keep) -> Keep {
    match keep {
        config::Keep::Redacted => Keep::Redacted,
        config::Keep::Sealed => Keep::Sealed,
        config::Keep::Nothing => Keep::Nothing,
    }
}

/// What would have been done, in the words of the record.
fn word(would: &Would) -> &'static str {
    match would {
        Would::Deny(_) => "deny",
        Would::Ask(_) => "ask",
        Would::Route(_) => "route",
        Would::Answer => "answer",
        Would::Rewrite => "rewrite",
        Would::Log(_) => "log",
        Would::Fault(_) => "fault",
    }
}
