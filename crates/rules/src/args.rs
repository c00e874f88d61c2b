//! Conditions on arguments.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::form::{ArgForm, Matcher, Words};
use crate::matcher::{Sort, Text};
use crate::mistake::{Mistake, nearest};

/// The words of a condition on a text; what is added for values follows.
const TEXT_WORDS: [&str; 6] = ["prefix", "suffix", "glob", "regex", "contains", "ignore_case"];
const VALUE_WORDS: [&str; 5] = ["eq", "one_of", "exists", "min", "max"];

/// Conditions on arguments, all of which must hold.
///
/// ```
/// use serde_json::json;
/// use tollgate_rules::Arguments;
/// use tollgate_rules::form::ArgForm;
///
/// let form = [("branch".to_owned(), ArgForm(json!({"prefix": "feature/"})))].into();
/// let arguments = Arguments::compile(&form).unwrap();
/// assert_eq!(arguments.violation(&json!({"branch": "feature/a"})), None);
/// let why = arguments.violation(&json!({"branch": "main"})).unwrap();
/// assert_eq!(why, r#"`branch` must be {"prefix":"feature/"}, and it is "main""#);
/// ```
#[derive(Debug, Default)]
pub struct Arguments {
    tests: Vec<ArgTest>,
}

#[derive(Debug)]
struct ArgTest {
    path: Vec<Box<str>>,
    any_of: Vec<Says>,
    /// As it was written, for messages.
    written: String,
}

/// Everything given must hold.
#[derive(Debug, Default)]
struct Says {
    text: Option<Text>,
    eq: Option<Vec<Value>>,
    exists: Option<bool>,
    min: Option<f64>,
    max: Option<f64>,
}

impl Arguments {
    /// Compiles conditions, or says all that is wrong with them.
    pub fn compile(form: &BTreeMap<String, ArgForm>) -> Result<Self, Vec<Mistake>> {
        let (mut tests, mut mistakes) = (Vec::new(), Vec::new());
        for (name, ArgForm(value)) in form {
            let before = mistakes.len();
            compile(value, &mut vec![name.as_str().into()], &mut tests, &mut mistakes);
            mistakes.iter_mut().skip(before).for_each(|mistake| mistake.path.insert(0, name.as_str().into()));
        }
        if mistakes.is_empty() { Ok(Self { tests }) } else { Err(mistakes) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// Whether all hold. Of a list one element will do, and a text that is a number is one: whoever writes a rule means
    /// the call, however it is put.
    pub fn hold(&self, arguments: &Value) -> bool {
        self.tests.iter().all(|test| {
            let mut found = Vec::new();
            descend(arguments, &test.path, &mut found);
            test.any_of.iter().any(|says| match says.exists {
                Some(exists) if exists == found.is_empty() => false,
                Some(false) => true,
                _ => found.iter().any(|value| says.some(value)),
            })
        })
    }

    /// Whether all hold for everything they speak of: of a list every element, and nothing is missing. For what lets a
    /// call through, so that one argument does not speak for the others.
    pub(crate) fn hold_for_all(&self, arguments: &Value) -> bool {
        self.tests.iter().all(|test| {
            let mut found = Vec::new();
            let whole = descend_all(arguments, &test.path, &mut found);
            test.any_of.iter().any(|says| says.exists == Some(false) && found.is_empty())
                || whole
                    && !found.is_empty()
                    && found
                        .iter()
                        .all(|value| test.any_of.iter().any(|says| says.exists != Some(false) && says.every(value)))
        })
    }

    /// What keeps the arguments from being what they must be. Strict where [`hold`](Self::hold) is generous: a missing
    /// argument is not what it must be, and of a list every element must be.
    pub fn violation(&self, arguments: &Value) -> Option<String> {
        self.tests.iter().find_map(|test| {
            let name = test.path.join(".");
            let value = test.path.iter().try_fold(arguments, |value, key| value.get(&**key));
            let fine = test.any_of.iter().any(|says| match (says.exists, value) {
                (Some(exists), value) if exists != value.is_some() => false,
                (exists, None) => exists == Some(false),
                (_, Some(value)) => says.every(value),
            });
            // The reason is read by models and kept in records.
            let shown = |value: &Value| shortened(tollgate_secrets::scanner().redact(&value.to_string()).into_owned());
            let is = value.map_or("missing".to_owned(), shown);
            (!fine).then(|| format!("`{name}` must be {}, and it is {is}", test.written))
        })
    }

    /// Texts of which at least one must be among the arguments.
    pub(crate) fn literals(&self) -> Option<Vec<String>> {
        let of_says = |says: &Says| says.text.as_ref().and_then(Text::literals);
        let of_test = |test: &ArgTest| {
            let found: Option<Vec<Vec<String>>> = test.any_of.iter().map(of_says).collect();
            found.map(|found| found.concat()).filter(|found| !found.is_empty())
        };
        self.tests.iter().filter_map(of_test).max_by_key(|found| found.iter().map(String::len).min())
    }
}

fn shortened(mut text: String) -> String {
    if text.chars().count() > 60 {
        text = text.chars().take(57).collect::<String>() + "...";
    }
    text
}

/// Follows a path; through lists it goes to every element, or to the one with that number.
pub(crate) fn descend<'a>(value: &'a Value, path: &[Box<str>], found: &mut Vec<&'a Value>) {
    let Some((key, rest)) = path.split_first() else { return found.push(value) };
    match value {
        Value::Object(members) => members.get(&**key).into_iter().for_each(|value| descend(value, rest, found)),
        Value::Array(items) => match key.parse::<usize>() {
            Ok(number) => items.get(number).into_iter().for_each(|item| descend(item, rest, found)),
            Err(_) => items.iter().for_each(|item| descend(item, path, found)),
        },
        _ => {}
    }
}

/// The same, and whether the path led to something everywhere.
fn descend_all<'a>(value: &'a Value, path: &[Box<str>], found: &mut Vec<&'a Value>) -> bool {
    let Some((key, rest)) = path.split_first() else {
        found.push(value);
        return true;
    };
    match value {
        Value::Object(members) => members.get(&**key).is_some_and(|value| descend_all(value, rest, found)),
        Value::Array(items) => match key.parse::<usize>() {
            Ok(number) => items.get(number).is_some_and(|item| descend_all(item, rest, found)),
            // All are looked at: whether nothing is there at all is asked, too.
            Err(_) => items.iter().filter(|item| !descend_all(item, path, found)).count() == 0,
        },
        _ => false,
    }
}

impl Says {
    /// Whether the value, or anything in it if it is a list, is so.
    fn some(&self, value: &Value) -> bool {
        self.one(value, true) || value.as_array().is_some_and(|items| items.iter().any(|item| self.some(item)))
    }

    /// Whether the value, or everything in it if it is a list, is so.
    fn every(&self, value: &Value) -> bool {
        let each = |items: &Vec<Value>| !items.is_empty() && items.iter().all(|item| self.every(item));
        self.one(value, false) || value.as_array().is_some_and(each)
    }

    fn one(&self, value: &Value, generous: bool) -> bool {
        let number = || match value {
            Value::String(text) if generous => text.trim().parse().ok(),
            value => value.as_f64(),
        };
        self.text.as_ref().is_none_or(|text| value.as_str().is_some_and(|value| text.fits(value)))
            && self.eq.as_ref().is_none_or(|eq| eq.iter().any(|eq| equal(eq, value)))
            && self.min.is_none_or(|min| number().is_some_and(|number| number >= min))
            && self.max.is_none_or(|max| number().is_some_and(|number| number <= max))
    }
}

/// Equal as JSON, where 1 and 1.0 are the same number.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.as_f64().is_some() && a.as_f64() == b.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => one == other,
    }
}

fn compile(value: &Value, path: &mut Vec<Box<str>>, tests: &mut Vec<ArgTest>, mistakes: &mut Vec<Mistake>) {
    if let Value::Object(table) = value
        && !is_matcher(table)
    {
        if table.is_empty() {
            mistakes.push(Mistake::new("this table says nothing").help("give a value, or one of eq, prefix, regex…"));
        }
        for (key, inner) in table {
            let before = mistakes.len();
            path.push(key.as_str().into());
            mistakes.extend(misspelt(key, inner));
            compile(inner, path, tests, mistakes);
            path.pop();
            mistakes.iter_mut().skip(before).for_each(|mistake| mistake.path.insert(0, key.as_str().into()));
        }
        return;
    }
    let any_of = match value {
        Value::Array(items) if items.is_empty() => {
            return mistakes.push(Mistake::new("an empty list fits nothing"));
        }
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.map(|(place, item)| says(item).map_err(|found| at(found, place))).collect::<Vec<_>>()
        }
        value => vec![says(value)],
    };
    let mut good = Vec::new();
    for one in any_of {
        match one {
            Ok(says) => good.push(says),
            Err(found) => mistakes.extend(found),
        }
    }
    tests.push(ArgTest { path: path.clone(), any_of: good, written: shortened(value.to_string()) });
}

fn at(found: Vec<Mistake>, place: usize) -> Vec<Mistake> {
    found.into_iter().map(|mistake| mistake.at(place)).collect()
}

/// A word of conditions that was probably meant: `contians` would be an argument that nobody sends, and the rule would
/// never hold. Short words are like too many others.
fn misspelt(key: &str, value: &Value) -> Option<Mistake> {
    let words: Vec<&str> = TEXT_WORDS.iter().chain(&VALUE_WORDS).copied().filter(|word| word.len() > 4).collect();
    let near = nearest(key, &words).filter(|near| *near != key && !value.is_object())?;
    let help = format!("did you mean `{near}`? An argument of that name is `{key}.eq`");
    Some(Mistake::new(format!("there is no condition `{key}`")).help(help))
}

/// Whether a table is a condition, and not a way deeper: all its keys are words of conditions, and none but `eq` and
/// `one_of` holds a table. (So an argument named `prefix` is reached by `arg.options.prefix.eq`.)
fn is_matcher(table: &Map<String, Value>) -> bool {
    let word = |key: &str| TEXT_WORDS.contains(&key) || VALUE_WORDS.contains(&key);
    let plain = |key: &str, value: &Value| matches!(key, "eq" | "one_of") || !value.is_object();
    !table.is_empty() && table.iter().all(|(key, value)| word(key) && plain(key, value))
}

fn says(value: &Value) -> Result<Says, Vec<Mistake>> {
    match value {
        Value::String(text) => {
            Ok(Says { text: Some(Text::compile(&Matcher::Is(text.clone()), Sort::Plain)?), ..Says::default() })
        }
        Value::Object(table) if is_matcher(table) => says_table(table),
        value => Ok(Says { eq: Some(vec![value.clone()]), ..Says::default() }),
    }
}

fn says_table(table: &Map<String, Value>) -> Result<Says, Vec<Mistake>> {
    let mut says = Says::default();
    let mut words = table.clone();
    words.retain(|key, _| TEXT_WORDS.contains(&key.as_str()));
    // Without other tests on text, folding is about `eq`.
    let fold = words.get("ignore_case") == Some(&Value::Bool(true));
    let mut eq = Vec::new();
    let mut mistakes = Vec::new();
    for (key, value) in table.iter().filter(|(key, _)| VALUE_WORDS.contains(&key.as_str())) {
        let number = || value.as_f64().ok_or_else(|| Mistake::new("this must be a number").at(key.as_str()));
        match (key.as_str(), value) {
            ("eq" | "one_of", Value::Array(items)) => eq.push(items.clone()),
            ("eq" | "one_of", value) => eq.push(vec![value.clone()]),
            ("exists", Value::Bool(exists)) => says.exists = Some(*exists),
            ("exists", _) => mistakes.push(Mistake::new("this must be true or false").at("exists")),
            ("min", _) => says.min = number().map_err(|mistake| mistakes.push(mistake)).ok(),
            (_, _) => says.max = number().map_err(|mistake| mistakes.push(mistake)).ok(),
        }
    }
    // Both given means both must hold; as lists of values that is what they have in common.
    says.eq = eq.into_iter().reduce(|one, other| one.into_iter().filter(|value| other.contains(value)).collect());
    if let Some(texts) = says.eq.as_ref().filter(|eq| eq.iter().all(Value::is_string)) {
        // Texts can be found by the index, and can ignore case.
        words.insert("eq".to_owned(), Value::Array(texts.clone()));
        says.eq = None;
    }
    if words.keys().any(|key| key != "ignore_case") {
        match serde_json::from_value::<Words>(Value::Object(words)) {
            Ok(words) => match Text::compile(&Matcher::Says(Box::new(words)), Sort::Plain) {
                Ok(text) => says.text = Some(text),
                Err(found) => mistakes.extend(found),
            },
            Err(_) => mistakes.push(
                Mistake::new("prefix, suffix, glob, regex and contains take a text or a list of texts")
                    .help("and ignore_case is true or false"),
            ),
        }
    } else if fold && says.eq.is_none() {
        mistakes.push(Mistake::new("`ignore_case` alone says nothing").at("ignore_case"));
    }
    if says.exists == Some(false) && table.len() > 1 {
        mistakes.push(Mistake::new("what does not exist cannot be anything else too").at("exists"));
    }
    if mistakes.is_empty() { Ok(says) } else { Err(mistakes) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(form: Value) -> Result<Arguments, Vec<Mistake>> {
        Arguments::compile(&serde_json::from_value(form).unwrap())
    }

    #[test]
    fn generous_and_strict() {
        for (form, args, holds, fine) in [
            (json!({"a": 1}), json!({"a": 1}), true, true),
            (json!({"a": 1}), json!({"a": 1.0}), true, true),
            (json!({"a": 1}), json!({"a": 2}), false, false),
            (json!({"a": 1}), json!({}), false, false),
            (json!({"a": true}), json!({"a": true}), true, true),
            (json!({"a": true}), json!({"a": "true"}), false, false),
            (json!({"a": "x*"}), json!({"a": "xy"}), true, true),
            (json!({"a": "x*"}), json!({"a": "yx"}), false, false),
            (json!({"a": "x*"}), json!({"a": 1}), false, false),
            (json!({"a": ["x", 2]}), json!({"a": 2}), true, true),
            (json!({"a": {"b": "x"}}), json!({"a": {"b": "x"}}), true, true),
            (json!({"a": {"b": "x"}}), json!({"a": [{"b": "y"}, {"b": "x"}]}), true, false),
            (json!({"a": {"1": "x"}}), json!({"a": ["y", "x"]}), true, false),
            (json!({"a": {"prefix": "f/"}}), json!({"a": "f/x"}), true, true),
            (json!({"a": {"prefix": "f/"}}), json!({"a": ["f/x", "main"]}), true, false),
            (json!({"a": {"prefix": "f/"}}), json!({"a": ["f/x", "f/y"]}), true, true),
            (json!({"a": {"prefix": "f/"}}), json!({"a": []}), false, false),
            (json!({"a": {"prefix": "f/"}}), json!({"a": 7}), false, false),
            (json!({"a": {"prefix": {"eq": "x"}}}), json!({"a": {"prefix": "x"}}), true, true),
            (json!({"a": {"eq": {"b": 1}}}), json!({"a": {"b": 1.0}}), true, true),
            (json!({"a": {"eq": {"b": 1}}}), json!({"a": {"b": 2}}), false, false),
            (json!({"a": {"eq": {"b": 1}}}), json!({"a": {"c": 1}}), false, false),
            (json!({"a": {"eq": {"b": 1}}}), json!({"a": {"b": 1, "c": 1}}), false, false),
            (json!({"a": {"eq": [[1, 2]]}}), json!({"a": [1, 2.0]}), true, true),
            (json!({"a": {"eq": [[1, 2]]}}), json!({"a": [1, 3]}), false, false),
            (json!({"a": {"eq": [[1, 2]]}}), json!({"a": [1]}), false, false),
            (json!({"a": {"one_of": [1, "x"]}}), json!({"a": "x"}), true, true),
            (json!({"a": {"one_of": [1, "x"]}}), json!({"a": "y"}), false, false),
            (json!({"a": {"one_of": [1, 2], "eq": [2, 3]}}), json!({"a": 2}), true, true),
            (json!({"a": {"one_of": [1, 2], "eq": [2, 3]}}), json!({"a": 3}), false, false),
            (json!({"a": {"eq": "X", "ignore_case": true}}), json!({"a": "x"}), true, true),
            (json!({"a": {"exists": true}}), json!({"a": null}), true, true),
            (json!({"a": {"exists": false}}), json!({}), true, true),
            (json!({"a": {"exists": false}}), json!({"a": 1}), false, false),
            (json!({"a": {"min": 10}}), json!({"a": 10}), true, true),
            (json!({"a": {"min": 10}}), json!({"a": "11"}), true, false),
            (json!({"a": {"min": 10}}), json!({"a": "9"}), false, false),
            (json!({"a": {"min": 10, "max": 20}}), json!({"a": 20}), true, true),
            (json!({"a": {"min": 10, "max": 20}}), json!({"a": 21}), false, false),
            (json!({"eq": 1}), json!({"eq": 1}), true, true),
            (json!({"a": 1, "b": 2}), json!({"a": 1}), false, false),
        ] {
            let arguments = arguments(form.clone()).unwrap();
            assert_eq!(arguments.hold(&args), holds, "{form} {args}");
            assert_eq!(arguments.violation(&args).is_none(), fine, "{form} {args}");
        }
    }

    /// A rule that never holds guards nothing.
    #[test]
    fn a_misspelt_condition_is_no_argument() {
        for (form, expected) in [
            (
                json!({"a": {"contians": "x"}}),
                Some(
                    "a.contians: there is no condition `contians` (did you mean `contains`? An argument of that name is `contians.eq`)",
                ),
            ),
            (
                json!({"a": {"Contains": "x"}}),
                Some(
                    "a.Contains: there is no condition `Contains` (did you mean `contains`? An argument of that name is `Contains.eq`)",
                ),
            ),
            (
                json!({"a": {"contains": "q", "regexx": "x"}}),
                Some(
                    "a.regexx: there is no condition `regexx` (did you mean `regex`? An argument of that name is `regexx.eq`)",
                ),
            ),
            (json!({"a": {"contians": {"eq": "x"}}}), None),
            (json!({"a": {"force": true, "branch": "x", "log": 1, "map": "y"}}), None),
        ] {
            let found = arguments(form.clone()).err().and_then(|found| Some(found.first()?.to_string()));
            assert_eq!(found.as_deref(), expected, "{form}");
        }
    }

    #[test]
    fn mistakes() {
        for (form, expected) in [
            (json!({"a": {}}), "a: this table says nothing (give a value, or one of eq, prefix, regex…)"),
            (json!({"a": []}), "a: an empty list fits nothing"),
            (json!({"a": {"b": {"min": "x"}}}), "a.b.min: this must be a number"),
            (json!({"a": {"exists": 1}}), "a.exists: this must be true or false"),
            (json!({"a": {"exists": false, "min": 1}}), "a.exists: what does not exist cannot be anything else too"),
            (json!({"a": {"ignore_case": true}}), "a.ignore_case: `ignore_case` alone says nothing"),
            (json!({"a": {"regex": "("}}), "a.regex: this is no regular expression: unclosed group"),
            (
                json!({"a": {"prefix": 1}}),
                "a: prefix, suffix, glob, regex and contains take a text or a list of texts (and ignore_case is true or false)",
            ),
        ] {
            let found = arguments(form.clone()).unwrap_err();
            assert_eq!(found.iter().map(Mistake::to_string).collect::<Vec<_>>(), [expected], "{form}");
        }
    }
}
