use std::fmt;
use std::str::FromStr;

use crate::BadRegistration;

/// Writes the enum and everything that must agree with it from one list.
macro_rules! points {
    ($(#[$about:meta])* pub enum Point { $($(#[$doc:meta])* $point:ident = $name:literal [$($power:ident),*],)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Point { $($(#[$doc])* $point,)+ }

        impl Point {
            /// Every point, in the order of an agent's life.
            pub const ALL: &[Self] = &[$(Self::$point),+];

            /// The name used in files, records and messages, such as `tool.before`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$point => $name,)+ }
            }

            /// The objections that can be carried out here. Where there are none, there are only watchers.
            pub const fn powers(self) -> &'static [Power] {
                match self { $(Self::$point => &[$(Power::$power),*],)+ }
            }
        }
    };
}

points! {
    /// Where in an agent's life something passes.
    ///
    /// The set is closed: a new point is a change to the specification (`spec/points.md`), because every
    /// surface must then say what it does there.
    ///
    /// ```
    /// use tollgate_core::{Point, Power};
    ///
    /// let point: Point = "tool.before".parse()?;
    /// assert!(point.is_gate() && point.takes(Power::Route));
    /// assert!(!Point::SessionEnd.is_gate());
    /// # Ok::<(), tollgate_core::BadRegistration>(())
    /// ```
    pub enum Point {
        /// A session begins. Edits may add notes; nothing can be refused.
        SessionStart = "session.start" [],
        /// A session is over.
        SessionEnd = "session.end" [],
        /// A sub-agent begins.
        AgentStart = "agent.start" [],
        /// A sub-agent is done.
        AgentStop = "agent.stop" [],
        /// A turn is over; once per turn.
        TurnStop = "turn.stop" [],
        /// The conversation is about to be compacted.
        CompactBefore = "compact.before" [],
        /// The conversation was compacted.
        CompactAfter = "compact.after" [],
        /// A person's input, before it joins the conversation.
        PromptSubmit = "prompt.submit" [Deny, Ask],
        /// A request to a model, before a credential is chosen; once per request.
        ModelRequest = "model.request" [Deny, Ask, Answer, Route],
        /// The same request after the credential is chosen; once per attempt.
        ModelDispatch = "model.dispatch" [Deny, Answer],
        /// What the model answered, errors included.
        ModelResponse = "model.response" [Deny],
        /// A model request ended; exactly once per request.
        ModelComplete = "model.complete" [],
        /// The tools offered to the model.
        ToolList = "tool.list" [Deny],
        /// A tool call, before it runs. The body is the call.
        ToolBefore = "tool.before" [Deny, Ask, Answer, Route],
        /// A partial result that a running tool streams.
        ToolUpdate = "tool.update" [Deny],
        /// What a tool call came to; exactly once per call, refused or not.
        ToolAfter = "tool.after" [Deny],
        /// A tool result on its way into storage.
        ToolPersist = "tool.persist" [Deny],
        /// A message on its way into storage.
        MessageWrite = "message.write" [Deny],
        /// A native event that no other point names.
        #[default]
        Notice = "notice" [],
    }
}

impl Point {
    /// Whether edits and guards may stand here.
    pub const fn is_gate(self) -> bool {
        !self.powers().is_empty()
    }

    /// Whether an objection of this kind can be carried out here.
    pub fn takes(self, power: Power) -> bool {
        self.powers().contains(&power)
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
        let found = Self::ALL.iter().copied().find(|point| point.name() == name);
        found.ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|point| point.name()).collect();
            BadRegistration(format!("there is no point `{name}`; the points are {}", known.join(", ")))
        })
    }
}

/// A kind of objection. Which of them a point takes is part of the point.
///
/// ```
/// use tollgate_core::{Point, Power};
///
/// assert!(Point::PromptSubmit.takes(Power::Ask));
/// assert!(!Point::PromptSubmit.takes(Power::Route));
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
    Route,
}
