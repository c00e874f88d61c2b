use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a file may become: a number and a unit (`kB`, `MB`, `GB`), of which each is a thousand of the one before.
///
/// ```
/// use tollgate_config::Size;
///
/// assert_eq!(Size("16MB".into()).bytes(), Ok(16_000_000));
/// assert!(Size("large".into()).bytes().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Size(pub String);

/// The units, and how many bytes each is.
const UNITS: [(&str, u64); 3] = [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

impl Size {
    /// How many bytes that is, or what is wrong with it.
    pub fn bytes(&self) -> Result<u64, String> {
        let wrong = || format!("`{}` is no size; {}", self.0, self.advice());
        let (number, unit) = self.parts();
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let (_, each) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        number.checked_mul(*each).filter(|bytes| *bytes > 0).ok_or_else(wrong)
    }

    /// The digits, and what follows them.
    fn parts(&self) -> (&str, &str) {
        let text = self.0.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        (number, unit.trim_start())
    }

    /// How to write it. Units are often written with other letters, and then it is clear which was meant.
    fn advice(&self) -> String {
        let (number, unit) = self.parts();
        let unit = unit.to_ascii_lowercase().replace("ib", "b");
        let meant = UNITS
            .iter()
            .find(|(name, _)| name.to_ascii_lowercase().trim_end_matches('b') == unit.trim_end_matches('b'));
        match meant {
            Some((name, _)) if number.parse::<u32>().is_ok_and(|number| number > 0) => {
                format!("did you mean `{number}{name}`?")
            }
            _ => "write a number and a unit: `64kB`, `16MB`, `1GB`".to_owned(),
        }
    }
}

impl From<&str> for Size {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        const HOW: &str = "write a number and a unit: `64kB`, `16MB`, `1GB`";
        for (text, expected) in [
            ("64kB", Ok(64_000)),
            ("16MB", Ok(16_000_000)),
            ("1GB", Ok(1_000_000_000)),
            (" 16 MB ", Ok(16_000_000)),
            ("16KB", Err("did you mean `16kB`?")),
            ("16mb", Err("did you mean `16MB`?")),
            ("16MiB", Err("did you mean `16MB`?")),
            ("1g", Err("did you mean `1GB`?")),
            ("", Err(HOW)),
            ("16", Err(HOW)),
            ("MB", Err(HOW)),
            ("0MB", Err(HOW)),
            ("0mb", Err(HOW)),
            ("-1MB", Err(HOW)),
            ("1.5GB", Err(HOW)),
            ("1TB", Err(HOW)),
            ("1MB500kB", Err(HOW)),
            ("99999999999999999999kB", Err(HOW)),
            ("18446744073709551615GB", Err(HOW)),
        ] {
            let found = Size::from(text).bytes();
            let expected = expected.map_err(|help| format!("`{text}` is no size; {help}"));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
