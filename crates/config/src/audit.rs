//! `[audit]`: what is recorded, and who may say so.

mod anchor;
mod size;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_rules::Mistake;
use tollgate_rules::form::{OnFault, Span};

pub use anchor::Anchor;
pub use size::Size;

use crate::file::Layer;
use crate::layer::{Layering, MACHINE, Parsed};
use crate::meaning::span;

/// How long a file of the log may become.
const SEGMENT: std::ops::RangeInclusive<u64> = 64_000..=1_000_000_000;
/// Records that nobody had the time to look at are none.
const SHORTEST: Duration = Duration::from_secs(3600);
/// Why something does not hold that the machine's file leaves open.
const USER: &str = "the user's policy says otherwise";

/// What is recorded (`spec/audit.md` says what a record is).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuditFile {
    /// `false`: nothing is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// What is kept of arguments and results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// What a record survives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<Sync>,
    /// What becomes of a call that cannot be recorded; `deny` if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_fault: Option<OnFault>,
    /// How long a file of the log may become, from `64kB` to `1GB`; `16MB` if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<Size>,
    /// How long records are kept, at least `1h`; for ever if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retain: Option<Span>,
    /// Where signed heads are published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
}

/// What is kept of arguments and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// All but credentials and the rest of long texts.
    #[default]
    Redacted,
    /// Everything, encrypted.
    Sealed,
    /// Nothing: only what was decided.
    Nothing,
}

/// What a record survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sync {
    /// The end of the process that wrote it.
    #[default]
    Process,
    /// A power failure, too.
    Full,
}

/// What all files together say of the record.
///
/// ```
/// use std::path::Path;
/// use tollgate_config::{Anchor, Audit, File, Keep, Layer, combine};
/// use tollgate_rules::form::Date;
///
/// let text = "[audit]\nkeep = 'sealed'\nanchor.file = '/mnt/other/head'\n";
/// let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.into())?;
/// let plan = combine(vec![file], false, Date::of_seconds(0)).unwrap();
/// let anchor = Some(Anchor::File("/mnt/other/head".into()));
/// assert_eq!(plan.audit, Audit { keep: Keep::Sealed, anchor, ..Audit::default() });
/// # Ok::<(), tollgate_config::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Audit {
    /// Whether anything is recorded.
    pub enabled: bool,
    /// What is kept of arguments and results.
    pub keep: Keep,
    /// What a record survives.
    pub sync: Sync,
    /// What becomes of a call that cannot be recorded.
    pub on_fault: OnFault,
    /// How long a file of the log may become, in bytes.
    pub segment: u64,
    /// How long records are kept; for ever if nobody says.
    pub retain: Option<Duration>,
    /// Where signed heads are published.
    pub anchor: Option<Anchor>,
}

impl Default for Audit {
    /// What holds if nobody says anything.
    fn default() -> Self {
        Self {
            enabled: true,
            keep: Keep::default(),
            sync: Sync::default(),
            on_fault: OnFault::Deny,
            segment: 16_000_000,
            retain: None,
            anchor: None,
        }
    }
}

impl Layering<'_> {
    /// What is recorded. There is no stricter or looser to most of it, so whoever has more rights decides.
    pub(crate) fn audit(&mut self) {
        let Audit { enabled, keep, sync, on_fault, segment, retain, anchor } = Audit::default();
        self.plan.audit = Audit {
            enabled: self.decide("enabled", enabled, |audit| audit.enabled),
            keep: self.decide("keep", keep, |audit| audit.keep),
            sync: self.decide("sync", sync, |audit| audit.sync),
            on_fault: self.decide("on_fault", on_fault, |audit| audit.on_fault),
            segment: self.decide("segment", segment, |audit| audit.segment.as_ref()?.bytes().ok()),
            retain: self.decide("retain", retain, |audit| audit.retain.as_ref()?.duration().ok().map(Some)),
            anchor: self.decide("anchor", anchor, |audit| audit.anchor.clone().map(Some)),
        };
        self.unprotected();
    }

    /// The value of a key: the first who may say it decides. Compared is what is meant, however it is written.
    fn decide<T: PartialEq>(&mut self, key: &str, start: T, said: impl Fn(&AuditFile) -> Option<T>) -> T {
        let (mut now, mut by) = (start, None);
        let files = self.files;
        for parsed in files {
            let Some(value) = parsed.form.audit.as_ref().and_then(&said) else { continue };
            let layer = parsed.file.layer;
            let allowed = match by {
                Some(Layer::Machine) => Err(MACHINE),
                Some(_) => Err(USER),
                None => self.may(layer, None),
            };
            match allowed {
                Ok(()) => (now, by) = (value, Some(layer)),
                Err(why) if value != now => {
                    self.ignore(&parsed.key(&["audit", key]), format!("`audit.{key}`"), why);
                }
                Err(_) => {}
            }
        }
        now
    }

    /// A head is signed and no secret, so it may travel in the open; whoever wants it to arrive would rather know.
    fn unprotected(&mut self) {
        let Some(held) = self.plan.audit.anchor.clone().filter(Anchor::unprotected) else { return };
        let says = |parsed: &&Parsed| parsed.form.audit.as_ref().and_then(|audit| audit.anchor.as_ref()) == Some(&held);
        if let Some(parsed) = self.files.iter().find(says) {
            let path = parsed.key(&["audit", "anchor", "url"]);
            let help = "somebody on the way could hold it back; `https://` is safer";
            self.warn(&path, "the head would travel unprotected".to_owned(), help);
        }
    }
}

/// What is wrong in `[audit]` of a file.
pub(crate) fn mistakes(parsed: &Parsed) -> Vec<Mistake> {
    let Some(AuditFile { segment, retain, anchor, .. }) = &parsed.form.audit else { return Vec::new() };
    let path = parsed.key(&["audit"]);
    let segment = segment.as_ref().and_then(wrong_segment).map(|mistake| mistake.at("segment").below(&path));
    let unreadable = retain.as_ref().and_then(|retain| span(retain, "retain", &path));
    let short = retain.as_ref().and_then(short).map(|mistake| mistake.at("retain").below(&path));
    let anchor = anchor.as_ref().and_then(Anchor::mistake).map(|mistake| mistake.at("anchor").below(&path));
    [segment, unreadable, short, anchor].into_iter().flatten().collect()
}

fn wrong_segment(size: &Size) -> Option<Mistake> {
    match size.bytes() {
        Ok(bytes) if SEGMENT.contains(&bytes) => None,
        Ok(_) => {
            Some(Mistake::new("`segment` must be between `64kB` and `1GB`").help("it is `16MB` if you do not say"))
        }
        Err(wrong) => {
            let (message, help) = wrong.split_once("; ").unwrap_or((&wrong, "write it like `16MB`"));
            Some(Mistake::new(message).help(help))
        }
    }
}

fn short(retain: &Span) -> Option<Mistake> {
    let short = retain.duration().is_ok_and(|retain| retain < SHORTEST);
    short.then(|| {
        Mistake::new("records are kept for an hour at least").help("to record nothing at all, write `enabled = false`")
    })
}
