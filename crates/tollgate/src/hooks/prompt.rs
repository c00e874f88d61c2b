use serde_json::{Map, Value};

/// A model request as hooks see it: the parts that all providers share, and the rest as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentPrompt {
    /// The system prompt.
    pub system: Option<Value>,
    /// The conversation.
    pub items: Vec<Value>,
    /// The tools offered.
    pub tools: Option<Vec<Value>>,
    /// How freely the model may choose.
    pub temperature: Option<f64>,
    /// Everything else.
    pub rest: Map<String, Value>,
}

impl AgentPrompt {
    /// A copy to change.
    pub fn to_builder(&self) -> AgentPromptBuilder {
        AgentPromptBuilder(self.clone())
    }

    pub(super) fn read(request: &Value) -> Self {
        let mut rest = request.as_object().cloned().unwrap_or_default();
        let mut list = |key| match rest.shift_remove(key) {
            Some(Value::Array(items)) => Some(items),
            _ => None,
        };
        let (items, tools) = (list("messages").unwrap_or_default(), list("tools"));
        let system = rest.shift_remove("system");
        let temperature = rest.shift_remove("temperature").and_then(|value| value.as_f64());
        Self { system, items, tools, temperature, rest }
    }

    /// Writes what differs from `before` into the request, and leaves the rest of it alone.
    pub(super) fn write(self, before: &Self, request: &mut Map<String, Value>) {
        let mut put = |key: &str, differs: bool, value: Option<Value>| match value {
            _ if !differs => {}
            Some(value) => drop(request.insert(key.to_owned(), value)),
            None => drop(request.shift_remove(key)),
        };
        put("system", self.system != before.system, self.system);
        put("messages", self.items != before.items, Some(self.items.into()));
        put("tools", self.tools != before.tools, self.tools.map(Value::from));
        put("temperature", self.temperature != before.temperature, self.temperature.map(Value::from));
        for key in before.rest.keys() {
            put(key, !self.rest.contains_key(key), None);
        }
        for (key, value) in self.rest {
            put(&key, before.rest.get(&key) != Some(&value), Some(value));
        }
    }
}

/// Changes a copy of an [`AgentPrompt`].
pub struct AgentPromptBuilder(AgentPrompt);

impl AgentPromptBuilder {
    /// Another system prompt.
    #[must_use]
    pub fn system(mut self, system: impl Into<Value>) -> Self {
        self.0.system = Some(system.into());
        self
    }

    /// Another conversation.
    #[must_use]
    pub fn items(mut self, items: Vec<Value>) -> Self {
        self.0.items = items;
        self
    }

    /// Other tools.
    #[must_use]
    pub fn tools(mut self, tools: Vec<Value>) -> Self {
        self.0.tools = Some(tools);
        self
    }

    /// Another temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.0.temperature = Some(temperature);
        self
    }

    /// The changed prompt.
    pub fn build(self) -> AgentPrompt {
        self.0
    }
}
