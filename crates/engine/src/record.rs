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

/// Opens the record that a plan asks for; none if nothing is to be recorded.
///
/// An error refuses everything that would have to be recorded: without a record there is no action. Where the plan says
/// `on_fault = "pass"` there is then no record, and calls go on.
pub fn recorder(
    plan: &Plan,
    state: &Path,
    data: &Path,
    clock: &Arc<dyn Clock>,
) -> Result<Option<Recorder>, AuditError> {
    let Audit { enabled, keep, on_fault, anchor, .. } = &plan.audit;
    if !enabled {
        return Ok(None);
    }
    let open = || {
        let log = Arc::new(log(&plan.audit, state, data, clock)?);
        let required = *on_fault == OnFault::Deny;
        let settings = RecorderSettings { keep: kept(*keep), required, ..RecorderSettings::default() };
        let publisher = anchor.as_ref().map(|place| Publisher::new(anchored(place), Arc::clone(&log)));
        Recorder::publishing(log, settings, publisher)
    };
    match open() {
        Err(_) if *on_fault == OnFault::Pass => Ok(None),
        opened => opened.map(Some),
    }
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
        Would::Deny(_) => "stop",
        Would::Ask(_) => "ask",
        Would::Divert(_) => "elsewhere",
        Would::Answer => "reply",
        Would::Edit => "edit",
        Would::Log(_) => "log",
        Would::Fault(_) => "fault",
    }
}
