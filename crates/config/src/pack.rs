//! Rules that come with Tollgate.

use std::sync::Arc;

use tollgate_rules::form::Rule;

use crate::diagnostic::{Diagnostics, Text};
use crate::form::PackFile;
use crate::read::read;

/// A pack of rules on one topic.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: String,
    /// Its rules; their ids begin with the pack's name.
    pub rules: Vec<Rule>,
    /// The file it was read from.
    pub text: Arc<Text>,
}

macro_rules! packs {
    ($($name:literal),*) => { &[$(($name, include_str!(concat!("../packs/", $name, ".toml")))),*] };
}

/// Every pack, as written. All of them are used unless a policy file says otherwise.
const PACKS: &[(&str, &str)] =
    packs!["shell-safety", "git-safety", "secrets", "sensitive-paths", "infra", "database", "egress"];

/// Tells one state of the packs from another, worked out by the compiler (FNV-1a).
pub(crate) const FINGERPRINT: u64 = fingerprint();

const fn fingerprint() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut pack = 0;
    while pack < PACKS.len() {
        let (name, text) = PACKS[pack];
        hash = absorb(absorb(hash, name.as_bytes()), text.as_bytes());
        pack += 1;
    }
    hash
}

const fn absorb(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash.wrapping_mul(0x0100_0000_01b3)
}

/// The names of the packs, in the order in which they are used.
///
/// ```
/// assert!(tollgate_config::pack_names().contains(&"git-safety"));
/// ```
pub fn pack_names() -> Vec<&'static str> {
    PACKS.iter().map(|(name, _)| *name).collect()
}

/// A pack by its name.
///
/// ```
/// let pack = tollgate_config::pack("git-safety")?.expect("it exists");
/// assert!(pack.rules[0].id.starts_with("git-safety/"));
/// # Ok::<(), tollgate_config::Diagnostics>(())
/// ```
pub fn pack(name: &str) -> Result<Option<Pack>, Diagnostics> {
    let Some((name, text)) = PACKS.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    parse(name, text).map(Some)
}

fn parse(name: &'static str, text: &str) -> Result<Pack, Diagnostics> {
    let text = Text::new(format!("pack {name}"), text);
    let (PackFile { description, mut rule }, _) = read(&text, "pack").map_err(|flawed| flawed.found)?;
    rule.iter_mut().for_each(|rule| rule.id.insert_str(0, &format!("{name}/")));
    Ok(Pack { name, description, rules: rule, text })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_pack_can_be_read() {
        let mut ids = BTreeSet::new();
        for name in pack_names() {
            let pack = pack(name).unwrap_or_else(|found| panic!("{found}")).unwrap();
            assert!(!pack.rules.is_empty() && !pack.description.is_empty(), "{name}");
            for rule in pack.rules {
                assert!(ids.insert(rule.id.clone()), "{} is there twice", rule.id);
            }
        }
    }

    #[test]
    fn the_fingerprint_is_of_every_byte() {
        let times = |hash: u64| hash.wrapping_mul(0x0100_0000_01b3);
        let one = |hash, text: &str| times(text.bytes().fold(hash, |hash, byte| times(hash ^ u64::from(byte))));
        let all = PACKS.iter().flat_map(|(name, text)| [name, text]);
        assert_eq!(FINGERPRINT, all.fold(0xcbf2_9ce4_8422_2325, |hash, text| one(hash, text)));
    }

    /// What is not looked at at every start.
    #[test]
    fn every_example_in_every_pack_is_right() {
        use tollgate_rules::form::Date;
        use tollgate_rules::{Setting, Source, compile};

        let mut wrong = String::new();
        for name in pack_names() {
            let pack = pack(name).unwrap_or_else(|found| panic!("{found}")).unwrap();
            let rules = pack.rules.into_iter().enumerate().map(|(index, form)| Source {
                form,
                origin: name.into(),
                path: vec![0.into(), "rule".into(), index.into()],
            });
            if let Err(mistakes) = compile(rules.collect(), &Setting::on(Date::of_seconds(0))) {
                wrong += &crate::plan::diagnose(&[(pack.text, "pack")], &mistakes).to_string();
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }

    #[test]
    fn every_file_is_a_pack() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/packs")).unwrap();
        let files = files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
        assert_eq!(files.collect::<BTreeSet<_>>(), pack_names().into_iter().map(str::to_owned).collect());
    }
}
