use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_core::{Body, Event, Fault, Headers, Name, Point};

use super::parts::present;
use super::{BadForm, Form};

/// The one thing that may be rewritten, and what travels with it.
///
/// At `tool.before` the document is `arguments`, and `name` is the tool they go to; everywhere else it is
/// `json`. Of what an interceptor gives back, whatever is left out stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Body")]
pub struct BodyForm {
    /// The tool the arguments go to, as written, at `tool.before`. Another name renames the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The call's arguments, at `tool.before`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub arguments: Option<Value>,
    /// The document, at every other point.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub json: Option<Value>,
    /// HTTP headers in order, name and value, at the model points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<(String, String)>>,
    /// Text for the model to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
    /// Text for the person at the keyboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tells: Option<Vec<String>>,
    /// What was noted down for later points of the turn, key and value. It can be added to, never taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<(String, String)>>,
}

impl Form for BodyForm {
    const NAME: &'static str = "body";
}

impl BodyForm {
    /// The form of a body. An error where its document cannot be read.
    pub fn of(event: &Event<'_>, body: &Body) -> Result<Self, Fault> {
        let document = Some(body.json()?.clone());
        let is_call = event.point == Point::ToolBefore;
        let (arguments, json) = if is_call { (document, None) } else { (None, document) };
        let name = event.tool_now(body).filter(|_| is_call).map(|name| name.written().to_owned());
        Ok(Self { name, arguments, json, ..Self::beside(body) })
    }

    /// Everything but the document.
    fn beside(body: &Body) -> Self {
        let list = |texts: &[String]| (!texts.is_empty()).then(|| texts.to_vec());
        Self {
            headers: body.headers().map(pairs),
            notes: list(&body.notes),
            tells: list(&body.tells),
            labels: (!body.labels().is_empty()).then(|| body.labels().to_vec()),
            ..Self::default()
        }
    }

    /// A new body for an event.
    pub fn body(self, event: &Event<'_>) -> Result<Body, BadForm> {
        let mut body = Body::default();
        self.write(event, &mut body)?;
        Ok(body)
    }

    /// Writes what an interceptor gave back over the body it was given. The bytes that came in are kept
    /// where the document is still the same.
    pub fn write(self, event: &Event<'_>, body: &mut Body) -> Result<(), BadForm> {
        self.check(event, body)?;
        let Self { name, arguments, json, headers, notes, tells, labels } = self;
        if let Some(document) = arguments.or(json)
            && body.json() != Ok(&document)
        {
            body.set(document);
        }
        if let Some(name) = name
            && event.tool_now(body).map(Name::written) != Some(&name)
        {
            body.rename(name);
        }
        if let Some(headers) = headers
            && body.headers().map(pairs).as_ref() != Some(&headers)
        {
            let mut fields = Headers::default();
            headers.iter().for_each(|(name, value)| fields.append(name, value));
            *body.headers_mut() = fields;
        }
        let known = body.labels().len();
        labels.into_iter().flatten().skip(known).for_each(|(key, value)| body.label(key, value));
        body.notes = notes.unwrap_or(std::mem::take(&mut body.notes));
        body.tells = tells.unwrap_or(std::mem::take(&mut body.tells));
        Ok(())
    }

    fn check(&self, event: &Event<'_>, body: &Body) -> Result<(), BadForm> {
        let is_call = event.point == Point::ToolBefore;
        let keeps_labels = self.labels.as_ref().is_none_or(|labels| labels.starts_with(body.labels()));
        let point = event.point;
        let problem = match self {
            Self { json: Some(_), .. } if is_call => {
                format!("at {point} the document is called `arguments`, not `json`")
            }
            Self { name: Some(_), .. } | Self { arguments: Some(_), .. } if !is_call => {
                format!("at {point} there is no call, so no `name` and no `arguments`; the document is called `json`")
            }
            _ if !keeps_labels => "labels can be added at the end, and none taken back".to_owned(),
            _ => return Ok(()),
        };
        Err(BadForm::of::<Self>(problem))
    }
}

fn pairs(headers: &Headers) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
