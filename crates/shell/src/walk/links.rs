//! What the command itself did to the disk that later paths depend on: links it made, folders it filled from elsewhere.

use std::collections::HashMap;

use crate::arg::{Origins, Stuff};
use crate::path::Resolve;

/// A link may lead to a link; nobody nests them deeper.
const FOLLOWED: usize = 8;

/// Names that are started to build what was fetched. What they run is no more hidden than what `make` or `npm` run
/// there, which are not told apart either.
const BUILDS: &[&str] = &["configure", "autogen.sh", "bootstrap.sh", "gradlew", "mvnw", "Configure"];

/// Links that were made in the command, before those of the disk.
#[derive(Clone)]
pub(super) struct Links<'a> {
    made: HashMap<String, String>,
    disk: Option<&'a dyn Resolve>,
    fetched: Vec<(String, Origins)>,
}

impl<'a> Links<'a> {
    pub(super) fn new(disk: Option<&'a dyn Resolve>) -> Self {
        Self { made: HashMap::new(), disk, fetched: Vec::new() }
    }

    pub(super) fn none_made(&self) -> bool {
        self.made.is_empty()
    }

    pub(super) fn make(&mut self, name: String, target: String) {
        if name != target && self.made.len() < 256 {
            self.made.insert(name, target);
        }
    }

    /// A folder was filled with what came from elsewhere.
    pub(super) fn fill(&mut self, folder: String, from: Origins) {
        if self.fetched.len() < 64 {
            self.fetched.push((folder, from));
        }
    }

    pub(super) fn nothing_fetched(&self) -> bool {
        self.fetched.is_empty()
    }

    /// What a file holds that was fetched with its folder.
    pub(super) fn fetched(&self, path: &str) -> Option<Stuff> {
        let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let (_, from) = self.fetched.iter().find(|(folder, _)| below(folder.trim_end_matches('/')))?;
        let name = path.rsplit('/').next().unwrap_or_default();
        (!BUILDS.contains(&name)).then_some(Stuff { text: None, from: Origins { unknown: true, ..*from } })
    }

    /// The path with the first of its parts replaced that is a link.
    fn followed(&self, path: &str) -> Option<String> {
        let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
        ends.into_iter().find_map(|end| {
            let target = self.made.get(&path[..end])?;
            Some(format!("{}{}", target.trim_end_matches('/'), &path[end..]))
        })
    }
}

impl Resolve for Links<'_> {
    fn real(&self, path: &str) -> Option<String> {
        let mut real = None;
        for _ in 0..FOLLOWED {
            let Some(next) = self.followed(real.as_deref().unwrap_or(path)) else { break };
            real = Some(if next.is_empty() { "/".to_owned() } else { next });
        }
        let reached = real.as_deref().unwrap_or(path);
        let on_disk = self.disk.filter(|_| !crate::path::is_view(reached)).and_then(|disk| disk.real(reached));
        on_disk.or(real)
    }
}
