//! The words that names are made of, and what they say is done.

/// A name as its words, in small letters: `deleteCollection`, `API-delete-a-block`, `db_cluster.delete`.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// Names are short; of a longer one the beginning will do.
    const MOST: usize = 32;

    pub(super) fn of(name: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut before = ' ';
        for c in name.chars() {
            let begins = c.is_uppercase() && !before.is_uppercase() || !before.is_alphanumeric();
            if c.is_alphanumeric() {
                if begins && words.len() == Self::MOST {
                    break;
                }
                if begins {
                    words.push(String::new());
                }
                words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
            }
            before = c;
        }
        Self(words)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    pub(super) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// Whether one of them is among these, in the singular or the plural.
    pub(super) fn any(&self, of: &[&str]) -> bool {
        self.iter().any(|word| is_one(word, of))
    }

    /// Whether these stand in it one behind the other.
    pub(super) fn have(&self, pair: [&str; 2]) -> bool {
        self.0.windows(2).any(|two| two == pair)
    }

    /// Whether it is all of it, however it was divided: `dryRun`, `dry_run`, `dryrun`.
    pub(super) fn are(&self, text: &str) -> bool {
        let mut rest = text;
        self.iter().all(|word| rest.strip_prefix(word).map(|behind| rest = behind).is_some()) && rest.is_empty()
    }

    /// These, and others behind them.
    pub(super) fn and(&self, others: &Self) -> Self {
        Self([self.0.as_slice(), others.0.as_slice()].concat())
    }

    /// The words with blanks between them.
    pub(super) fn text(&self) -> String {
        self.0.join(" ")
    }

    /// Whether the last of them, put together, are this.
    pub(super) fn ends_in(&self, text: &str) -> bool {
        let mut rest = text;
        for word in self.iter().rev() {
            match rest.strip_suffix(word) {
                Some(before) => rest = before,
                None => break,
            }
        }
        rest.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub(super) fn is_one(word: &str, of: &[&str]) -> bool {
    let singular = match word.strip_suffix("ies") {
        Some(stem) if of.iter().any(|one| one.strip_suffix('y') == Some(stem)) => return true,
        _ => word.strip_suffix('s').unwrap_or(word),
    };
    of.contains(&word) || of.contains(&singular) || word.strip_suffix("es").is_some_and(|stem| of.contains(&stem))
}

/// What is done, as far as a word tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::call) enum Deed {
    /// Only names, sizes and the like are looked at.
    List,
    Read,
    Write,
    Copy,
    Move,
    Delete,
    /// The same, or something is only taken out of somewhere.
    Remove,
    /// Something is let go of that was only connected: a member, a mark.
    Detach,
    Run,
    Send,
    /// A protection is switched off.
    Disable,
    /// Nothing happens: it is planned, translated, checked.
    Try,
}

/// Words that say what is done. The first one in a name decides, but for those that may be part of what it is done to.
#[rustfmt::skip]
const VERBS: &[(Deed, &[&str])] = &[
    (Deed::List, &[
        "list", "ls", "exists", "exist", "stat", "tree", "count", "info", "describe", "status", "enumerate", "browse", "watch",
        "monitor", "metadata",
    ]),
    (Deed::Read, &[
        "get", "read", "fetch", "access", "assume", "search", "find", "show", "view", "lookup", "query", "load", "open", "tail",
        "head", "cat", "grep", "inspect", "retrieve", "download", "pull", "export", "dump", "scrape", "crawl", "extract",
        "navigate", "visit", "analyze", "analyse", "summarize", "select", "scan", "peek", "print", "reveal", "goto",
    ]),
    (Deed::Write, &[
        "create", "write", "update", "edit", "add", "put", "set", "save", "insert", "append", "patch", "modify", "replace", "make",
        "mkdir", "generate", "regenerate", "issue", "register", "apply", "import", "restore", "enable", "attach", "grant",
        "authorize", "toggle", "manage", "upsert", "store", "configure", "rotate", "assign", "build", "render", "convert", "touch",
        "change", "fill", "install", "deploy", "start", "restart", "stop", "new", "init", "chmod", "chown", "screenshot", "symlink",
    ]),
    (Deed::Copy, &["copy", "cp", "duplicate", "clone", "sync", "mirror", "backup"]),
    (Deed::Move, &["move", "mv", "rename"]),
    (Deed::Delete, &[
        "delete", "destroy", "purge", "truncate", "prune", "wipe", "erase", "flush", "flushall", "del", "obliterate",
        "decommission", "nuke", "expunge", "teardown", "deprovision", "rmdir", "rmtree", "uninstall",
    ]),
    (Deed::Remove, &["remove", "rm", "drop", "clear", "empty", "unlink", "kill", "trash", "reset", "terminate", "forget", "expire", "reinstall", "reimage"]),
    (Deed::Detach, &[
        "unsubscribe", "unfollow", "unstar", "unlike", "unassign", "unwatch", "leave", "dismiss", "cancel", "archive", "close",
        "detach", "disconnect", "unpin", "unshare", "mute", "hide", "unblock", "deactivate",
    ]),
    (Deed::Run, &["run", "exec", "execute", "eval", "evaluate", "shell", "command", "spawn", "launch", "invoke", "call"]),
    (Deed::Send, &[
        "send", "post", "publish", "forward", "upload", "share", "notify", "reply", "comment", "push", "submit", "email", "type",
        "broadcast", "tweet", "unpublish",
    ]),
    (Deed::Disable, &["disable", "suspend", "revoke", "unprotect", "bypass"]),
    (Deed::Try, &[
        "simulate", "validate", "preview", "plan", "explain", "lint", "parse", "translate", "estimate", "check", "verify", "test",
        "diff", "compare", "format", "suggest", "can", "dry", "log",
    ]),
];

/// Verbs that are as often what something is done to: a run, a command, a comment, a test.
#[rustfmt::skip]
const NOUNS_TOO: &[&str] = &[
    "run", "command", "shell", "comment", "email", "post", "call", "test", "plan", "format", "build", "query", "export", "import",
    "backup", "share", "head", "status", "info", "tree", "count", "type", "start", "stop", "watch", "view", "log", "check", "set",
    "new", "push", "change", "patch", "store", "copy", "clone", "print", "scan", "save", "metadata", "monitor", "diff", "trash",
    "mute", "access", "issue", "manage", "record", "trail",
];

fn verb(word: &str) -> Option<Deed> {
    VERBS.iter().find(|(_, words)| words.contains(&word)).map(|(deed, _)| *deed)
}

/// What a name says is done: by its first verb that can be nothing else, else by its first one at all.
pub(super) fn deed(words: &Words) -> Option<Deed> {
    let sure = words.iter().find_map(|word| verb(word).filter(|_| !NOUNS_TOO.contains(&word)));
    let first = verb(words.first());
    match (first, sure) {
        // `run_delete` is odd, `list_…` and `query_…` are not.
        (Some(Deed::Run), Some(Deed::Delete | Deed::Remove)) => sure,
        (Some(Deed::Detach), _) if words.iter().any(|word| verb(word) == Some(Deed::Delete)) => Some(Deed::Delete),
        (Some(first), _) => Some(first),
        (None, Some(sure)) => Some(sure),
        (None, None) => words.iter().find_map(verb),
    }
}

/// Things whose loss is small, or that stand in a bin for a while. What is not among them may be what the work of many
/// people hangs on.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "alert", "alias", "animation", "annotation", "assignee", "attachment", "attribute", "block", "bookmark", "booking",
    "breakpoint", "cache", "card", "category", "cdn", "cell", "chart", "chat", "checklist", "clip", "column", "comment",
    "component", "constraint", "contact", "conversation", "cookie", "coupon", "deal", "document", "downtime", "draft", "edge",
    "element", "email", "emoji", "entity", "entry", "event", "favorite", "field", "file", "filter", "footer", "footnote", "frame",
    "friend", "header", "highlight", "hyperlink", "image", "invitation", "issue", "item", "key", "keyframe", "label", "layer",
    "like", "line", "link", "mail", "marker", "material", "media", "meeting", "member", "memory", "mesh", "message", "metric",
    "milestone", "node", "object", "gameobject", "derived", "point", "note", "notification", "observation", "operation", "page", "pane", "paragraph", "photo", "playlist",
    "process", "prompt", "property", "range", "reaction", "record", "reference", "relation", "reminder", "reply", "reviewer",
    "row", "rule", "run", "search", "section", "selection", "session", "shape", "sheet", "silence", "slide", "snippet", "star",
    "step", "sticker", "style", "subscription", "symbol", "tab", "tag", "task", "template", "text", "thread", "todo", "token",
    "track", "variable", "video", "view", "vote", "watcher", "watchlist", "waypoint", "widget", "window", "worklog", "worksheet",
];

/// Things that the work of many people hangs on.
#[rustfmt::skip]
const LARGE: &[&str] = &[
    "account", "app", "application", "backup", "bucket", "catalog", "cluster", "collection", "container", "data", "database", "db",
    "deployment", "device", "directory", "disk", "dns", "domain", "droplet", "environment", "everything", "folder", "guest", "host",
    "index", "instance", "keyspace", "machine", "mailbox", "namespace", "network", "org", "organization", "pod", "project",
    "queue", "registry", "release", "repo", "repository", "schema", "server", "service", "site", "snapshot", "stack", "storage",
    "store", "stream", "table", "team", "tenant", "topic", "user", "vault", "vm", "volume", "vpc", "warehouse", "zone",
];

/// How much is lost with what a name speaks of: its last word that is no verb decides, as in `delete_issue_reaction`. What
/// follows `by` or `in` says how and where.
pub(super) fn size(words: &Words) -> Option<Size> {
    let ends = |word: &&str| !["by", "in", "for", "from", "of"].contains(word);
    let head: Vec<&str> = words.iter().take_while(ends).collect();
    // A row among many, but not one that says where a whole domain is.
    if words.any(&["record"]) && words.any(&["dns", "domain"]) {
        return Some(Size::Large);
    }
    let size = |word: &&str| match word {
        word if is_one(word, SMALL) => Some(Size::Small),
        word if is_one(word, LARGE) => Some(Size::Large),
        word if verb(word).is_some() || word.len() < 2 || PARTS.contains(word) => None,
        _ => Some(Size::Unknown),
    };
    head.iter().rev().find_map(size)
}

/// Words that say how many, or what they are told apart by.
const PARTS: &[&str] = &["batch", "bulk", "many", "multi", "all", "id", "ids", "one", "manage", "api"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Small,
    Unknown,
    Large,
}
