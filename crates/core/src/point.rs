use std::fmt;
use std::str::FromStr;

use crate::BadRegistration;

/// Where in an agent's life something passes.
///
/// The set is closed: a new point is a change to the specification (`spec/points.md`), because every
/// surface must then say what it does there.
///
/// ```
/// use tollgate_core::{Point, Power};
///
/// let point: Point = "tool.before".parse()?;
/// assert!(point.is_gate() && point.takes(Power::Divert));
/// assert!(!Point::SessionEnd.is_gate());
/// # Ok::<(), tollgate_core::BadRegistration>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// A session begins. Edits may add notes; nothing can be refused.
    SessionStart,
    /// A session is over.
    SessionEnd,
    /// A sub-agent begins.
    AgentStart,
    /// A sub-agent is done.
    AgentStop,
    /// A turn is over; once per turn.
    TurnStop,
    /// The conversation is about to be compacted.
    CompactBefore,
    /// A person's input, before it joins the conversation.
    PromptSubmit,
    /// A request to a model, before a credential is chosen; once per request.
    ModelRequest,
    /// The same request after the credential is chosen; once per attempt.
    ModelDispatch,
    /// What the model answered, errors included.
    ModelResponse,
    /// A model request ended; exactly once per request.
    ModelComplete,
    /// The tools offered to the model.
    ToolList,
    /// A tool call, before it runs. The body is the call.
    ToolBefore,
    /// A partial result that a running tool streams.
    ToolUpdate,
    /// What a tool call came to; exactly once per call, refused or not.
    ToolAfter,
    /// A tool result on its way into storage.
    ToolPersist,
    /// A message on its way into storage.
    MessageWrite,
    /// A native event that no other point names.
    Notice,
}

/// A kind of objection. Which of them a point takes is part of the point.
///
/// ```
/// use tollgate_core::{Point, Power};
///
/// assert!(Point::PromptSubmit.takes(Power::Ask));
/// assert!(!Point::PromptSubmit.takes(Power::Divert));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Refuse it.
    Deny,
    /// Let a human decide.
    Ask,
    /// Answer in its place.
    Answer,
    /// Send it somewhere else.
    Divert,
}

/// Who may be registered at a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Watchers only.
    Watch,
    /// Watchers, and edits that only add notes.
    Notes,
    /// Edits, guards and watchers.
    Gate,
}

use Power::{Answer, Ask, Deny, Divert};
use Takes::{Gate, Notes, Watch};

/// One row per point, in the order of the enum: its name, who may stand there, and what they may say.
const TABLE: [(Point, &str, Takes, &[Power]); 18] = [
    (Point::SessionStart, "session.start", Notes, &[]),
    (Point::SessionEnd, "session.end", Watch, &[]),
    (Point::AgentStart, "agent.start", Watch, &[]),
    (Point::AgentStop, "agent.stop", Watch, &[]),
    (Point::TurnStop, "turn.stop", Watch, &[]),
    (Point::CompactBefore, "compact.before", Watch, &[]),
    (Point::PromptSubmit, "prompt.submit", Gate, &[Deny, Ask]),
    (Point::ModelRequest, "model.request", Gate, &[Deny, Ask, Answer, Divert]),
    (Point::ModelDispatch, "model.dispatch", Gate, &[Deny, Answer]),
    (Point::ModelResponse, "model.response", Gate, &[Deny]),
    (Point::ModelComplete, "model.complete", Watch, &[]),
    (Point::ToolList, "tool.list", Gate, &[Deny]),
    (Point::ToolBefore, "tool.before", Gate, &[Deny, Ask, Answer, Divert]),
    (Point::ToolUpdate, "tool.update", Gate, &[Deny]),
    (Point::ToolAfter, "tool.after", Gate, &[Deny]),
    (Point::ToolPersist, "tool.persist", Gate, &[Deny]),
    (Point::MessageWrite, "message.write", Gate, &[Deny]),
    (Point::Notice, "notice", Watch, &[]),
];

impl Point {
    /// Every point, in the order of an agent's life.
    pub const ALL: [Self; 18] = {
        let mut all = [Self::Notice; 18];
        let mut i = 0;
        while i < all.len() {
            // A row out of place would give its neighbour's powers to a point: refuse to compile.
            assert!(TABLE[i].0 as usize == i, "a row of the table is out of place");
            all[i] = TABLE[i].0;
            i += 1;
        }
        all
    };

    /// The name used in files, records and messages, such as `tool.before`.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Whether edits and guards may stand here; elsewhere there are only watchers.
    pub fn is_gate(self) -> bool {
        TABLE[self as usize].2 == Gate
    }

    /// Whether an edit may stand here, if only to add notes.
    pub fn takes_edits(self) -> bool {
        TABLE[self as usize].2 != Watch
    }

    /// Whether an objection of this kind can be carried out here.
    pub fn takes(self, power: Power) -> bool {
        TABLE[self as usize].3.contains(&power)
    }

    /// Whether what passes here belongs to one named tool.
    pub const fn is_about_a_tool(self) -> bool {
        matches!(self, Self::ToolBefore | Self::ToolUpdate | Self::ToolAfter | Self::ToolPersist)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Point {
    type Err = BadRegistration;

    fn from_str(name: &str) -> Result<Self, BadRegistration> {
        let found = Self::ALL.into_iter().find(|point| point.name() == name);
        found.ok_or_else(|| BadRegistration::UnknownPoint { name: name.to_owned() })
    }
}
