//! Hooks as edits and watchers.

use std::sync::Arc;

use tollgate_core::{Body, Edit, Event, Fault, FaultKind, Outcome, Step, Verdict, Watch};

use super::prompt::AgentPrompt;
use super::{AgentContext, AgentToolCall, LifecycleEvent, PromptDecision, ToolCallDecision};
use crate::facts::Facts;
use crate::view::{Text, View};

pub(super) type PreHook = Arc<dyn Fn(&AgentToolCall, &AgentContext) -> ToolCallDecision + Send + Sync>;
pub(super) type PostHook = Arc<dyn Fn(&AgentToolCall, &str, &AgentContext) -> ToolCallDecision + Send + Sync>;
pub(super) type PromptHook = Arc<dyn Fn(&str, &AgentContext) -> PromptDecision + Send + Sync>;
pub(super) type ModelHook = Arc<dyn Fn(&AgentPrompt, &AgentContext) -> Option<AgentPrompt> + Send + Sync>;
pub(super) type Observer = Arc<dyn Fn(&LifecycleEvent) + Send + Sync>;

pub(super) struct Pre(pub(super) Vec<PreHook>);
pub(super) struct Post(pub(super) Vec<PostHook>);
pub(super) struct Prompt(pub(super) Vec<PromptHook>);
pub(super) struct Model(pub(super) Vec<ModelHook>);
pub(super) struct Observe(pub(super) Observer);

impl Edit for Pre {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Pre {
    fn decide(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let name = tool_name(event, body);
        let call = AgentToolCall { name, arguments: body.json()?.clone(), call_id: context.call_id.clone() };
        let decisions = self.0.iter().map(|hook| hook(&call, &context));
        match decisions.into_iter().find(|decision| *decision != ToolCallDecision::Allow) {
            None | Some(ToolCallDecision::Allow) => Ok(Verdict::Pass),
            Some(ToolCallDecision::Block(reason)) => Ok(Verdict::deny(reason)),
            Some(ToolCallDecision::RouteTo(route)) => Ok(Verdict::Route(route)),
            Some(ToolCallDecision::Modify(modified)) => {
                if modified.name != call.name {
                    body.rename(modified.name);
                }
                body.set(modified.arguments);
                Ok(Verdict::Pass)
            }
        }
    }
}

impl Edit for Post {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Post {
    fn decide(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let output = Text::look(body)?.text();
        let arguments = context.arguments.clone().unwrap_or_default();
        let name = tool_name(event, body);
        let call = AgentToolCall { name, arguments, call_id: context.call_id.clone() };
        let decisions = self.0.iter().map(|hook| hook(&call, &output, &context));
        match decisions.into_iter().find(|decision| *decision != ToolCallDecision::Allow) {
            None | Some(ToolCallDecision::Allow) => Ok(Verdict::Pass),
            Some(ToolCallDecision::Block(reason)) => Ok(Verdict::deny(reason)),
            Some(other) => {
                // Through a body, because to drop what nests too deep could end the process.
                if let ToolCallDecision::Modify(call) = other {
                    drop(Body::from(call.arguments));
                }
                Err(Fault::new(FaultKind::Garbage, "a result can be allowed or blocked, nothing else"))
            }
        }
    }
}

impl Edit for Prompt {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Prompt {
    fn decide(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let mut text = Text::write(body)?;
        let input = text.text();
        let decisions = self.0.iter().map(|hook| hook(&input, &context));
        match decisions.into_iter().find(|decision| *decision != PromptDecision::Allow) {
            None | Some(PromptDecision::Allow) => Ok(Verdict::Pass),
            Some(PromptDecision::Block(reason)) => Ok(Verdict::deny(reason)),
            Some(PromptDecision::Modify(modified)) => text.set(modified).map(|()| Verdict::Pass),
        }
    }
}

impl Edit for Model {
    fn edit<'a>(&'a self, event: &'a Event<'a>, body: &'a mut Body) -> Step<'a, Verdict> {
        Step::Now(self.decide(event, body))
    }
}

impl Model {
    fn decide(&self, event: &Event<'_>, body: &mut Body) -> Result<Verdict, Fault> {
        let context = Facts::of(event, body);
        let before = AgentPrompt::read(body.json()?);
        for hook in &self.0 {
            if let Some(prompt) = hook(&before, &context).filter(|prompt| *prompt != before) {
                let request = body.json_mut()?.as_object_mut();
                let request = request.ok_or_else(|| Fault::new(FaultKind::Garbage, "the request is no object"))?;
                prompt.write(&before, request);
            }
        }
        Ok(Verdict::Pass)
    }
}

impl Watch for Observe {
    fn watch<'a>(&'a self, event: &'a Event<'a>, body: &'a Body, _outcome: &'a Outcome) -> Step<'a, ()> {
        let details = body.json().cloned().unwrap_or_default();
        (self.0)(&LifecycleEvent { point: event.point, context: Facts::of(event, body), details });
        Step::Now(Ok(()))
    }
}

/// The name as the agent wrote it, but for case and spaces: a hook that looks for `bash` must see `Bash`.
fn tool_name(event: &Event<'_>, body: &Body) -> String {
    event.tool_now(body).map_or_else(String::new, |name| name.written().trim().to_lowercase())
}
