use std::sync::Arc;

use serde_json::json;
use tollgate_core::{Body, Event, Fault, Guard, Name, Point, Power, Registration, Step, Verdict};

use super::tools::{Class, Tools};
use super::{Preview, order};

/// Tools that change something are answered instead of run; those that only look run.
///
/// It stands last: a call that would be refused is refused here too, and the answer to one that would run says what
/// the other checks would have done with it.
#[derive(Clone)]
pub struct DryRun {
    /// What only looks.
    pub tools: Arc<Tools>,
    /// Whoever has something to say about calls that would run.
    pub previews: Vec<Arc<dyn Preview>>,
}

impl DryRun {
    /// The guard.
    pub fn registrations(&self) -> Vec<Registration> {
        let guard = Registration::guard("dry-run", [Point::ToolBefore], self.clone());
        vec![Registration { priority: order::DRY_RUN, powers: vec![Power::Answer], ..guard }]
    }

    fn verdict(&self, event: &Event<'_>, body: &Body) -> Result<Verdict, Fault> {
        if self.tools.class(event, body)? == Class::Read {
            return Ok(Verdict::Pass);
        }
        let tool = event.tool_now(body).map_or("", Name::written);
        let steps: Vec<String> = self.previews.iter().flat_map(|preview| preview.preview(event, body)).collect();
        let lines: String = steps.iter().map(|step| format!("\n- {step}")).collect();
        let text = format!("Dry run: `{tool}` was not run. No check refuses it.{lines}");
        Ok(Verdict::answer(json!({
            "content": [{"type": "text", "text": text}],
            "details": {"dry_run": true, "tool": tool, "arguments": body.json()?, "steps": steps},
        })))
    }
}

impl Guard for DryRun {
    fn judge<'a>(&'a self, event: &'a Event<'a>, body: &'a Body) -> Step<'a, Verdict> {
        Step::Now(self.verdict(event, body))
    }
}
