/// HTTP headers whose names ignore case and whose order is kept.
///
/// Values are text; a surface maps the rare non-ASCII byte to the character of the same number.
///
/// ```
/// use tollgate_core::Headers;
///
/// let mut headers = Headers::default();
/// headers.append("X-Trace", "1");
/// headers.set("x-trace", "2");
/// assert_eq!(headers.get("X-TRACE"), Some("2"));
/// assert!(headers.remove("x-Trace") && headers.iter().next().is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    fields: Vec<(String, String)>,
}

impl Headers {
    /// The first value under this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Makes this the only value under the name.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.remove(name);
        self.append(name, value);
    }

    /// Adds a value and keeps those under the same name.
    pub fn append(&mut self, name: &str, value: impl Into<String>) {
        self.fields.push((name.to_owned(), value.into()));
    }

    /// Removes every value under the name; says whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.fields.len();
        self.fields.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self.fields.len() < before
    }

    /// Every field, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}
