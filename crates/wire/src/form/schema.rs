use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{ApprovalForm, BodyForm, EventForm, Form, OutcomeForm, QuestionForm, TraceForm, VERSION, VerdictForm};

/// The JSON Schema (draft 2020-12) of every form that travels on its own, by its name.
///
/// `cargo xtask schema` writes them to `spec/schema`.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        schema::<EventForm>(),
        schema::<BodyForm>(),
        schema::<VerdictForm>(),
        schema::<OutcomeForm>(),
        schema::<TraceForm>(),
        schema::<QuestionForm>(),
        schema::<ApprovalForm>(),
    ]
}

fn schema<F: Form>() -> (&'static str, Value) {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<F>().to_value();
    let cases = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    match cases {
        Some(cases) => cases.iter_mut().filter_map(Value::as_object_mut).for_each(add_version),
        None => schema.as_object_mut().into_iter().for_each(add_version),
    }
    (F::NAME, schema)
}

/// Every form has its version beside its own fields.
fn add_version(object: &mut Map<String, Value>) {
    let version = json!({"description": "The version of the form.", "const": VERSION});
    if let Some(properties) = object.entry("properties").or_insert_with(|| json!({})).as_object_mut() {
        properties.shift_insert(0, "v".to_owned(), version);
    }
    if let Some(required) = object.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        required.insert(0, "v".into());
    }
}
