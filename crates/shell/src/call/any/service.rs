//! What a service does on somebody's behalf: deletes, hands out credentials, gives rights.

use serde_json::{Map, Value};

use super::programs::DATABASES;
use super::words::{Deed, Size, Words, is_one, size};
use super::{Object, Seen};
use crate::effect::{Flag, Flags, Kind};

/// Names of stores whose every item is a credential.
#[rustfmt::skip]
const VAULTS: &[&str] = &[
    "vault", "bitwarden", "1password", "onepassword", "lastpass", "keepass", "keychain", "secretsmanager",
    "infisical", "doppler", "keyvault", "dashlane", "passbolt",
];
/// Verbs after which a value is known.
#[rustfmt::skip]
const GETS: &[&str] = &[
    "get", "read", "reveal", "show", "fetch", "retrieve", "export", "view", "access", "inspect", "download", "dump",
];
/// Words that are a credential together.
const PAIRS: &[[&str; 2]] = &[
    ["access", "key"],
    ["access", "keys"],
    ["api", "key"],
    ["api", "keys"],
    ["private", "key"],
    ["account", "key"],
    ["connection", "string"],
    ["connection", "uri"],
    ["secret", "value"],
    ["secret", "version"],
];
/// Tokens that let somebody in, unlike those of a text or a chain.
const TOKENS: &[&str] =
    &["session", "access", "api", "auth", "database", "service", "operator", "admin", "resource", "bearer", "refresh"];
/// Words after which only something about a credential is told.
#[rustfmt::skip]
const TELLS: &[&str] = &[
    "list", "metadata", "info", "policy", "name", "names", "usage", "delete", "scan", "detect", "describe", "schema", "validate",
    "design", "count", "price", "balance", "reset", "update", "set",
];
/// What registries hold.
#[rustfmt::skip]
const PACKAGES: &[&str] = &[
    "package", "npm", "pypi", "crate", "cargo", "gem", "module", "extension", "library", "release", "vsce", "nuget",
    "distribution", "chart", "helm", "uv", "pub", "hex", "maven", "pod", "trunk", "registry", "conda",
];
/// What protects others.
#[rustfmt::skip]
const PROTECTIONS: &[&str] = &[
    "rls", "firewall", "protection", "audit", "mfa", "2fa", "waf", "encryption", "guardrail", "security", "logging",
    "ruleset",
];

impl Seen<'_> {
    pub(super) fn service(&mut self) {
        self.protection();
        match self.deed {
            Some(Deed::Delete | Deed::Remove) => self.deletes(),
            Some(Deed::Read | Deed::List | Deed::Write) | None => self.reveals(),
            _ => {}
        }
        let by_path = self.request_path().and_then(|path| path.rsplit('/').next()).map(Words::of);
        if self.deed != Some(Deed::Delete)
            && by_path.is_some_and(|last| last.any(&["delete", "purge", "truncate", "destroy"]))
        {
            self.destroys("deletes by what its path says");
        } else if self.wipes_first() {
            self.destroys("empties what is there first");
        }
        self.rights();
        self.publishes();
    }

    /// What goes away for good, in a database or elsewhere.
    fn destroys(&mut self, what: &str) {
        let kind = if self.tool.speaks_of(DATABASES) { Kind::Database } else { Kind::Infra };
        self.say(kind, Flag::Remote.into(), what);
    }

    fn deletes(&mut self) {
        let name = &self.tool.name;
        let known = |effect: &crate::effect::Effect| matches!(effect.kind, Kind::Infra | Kind::Database);
        if self.local || self.ran || name.any(&["from"]) || self.call.effects.iter().any(known) {
            return;
        }
        if let Some(path) = self.request_path() {
            if is_lost(path) {
                self.destroys(&format!("deletes {path}"));
            }
            return;
        }
        if name.any(&["branch"]) && !self.tool.speaks_of(DATABASES) {
            let branch = self.text(&["branch", "branchname", "name", "ref"]).unwrap_or_default();
            if is_shared(branch) {
                self.say(Kind::GitRewrite, Flag::Remote.into(), format!("deletes the branch {branch}"));
            }
            return;
        }
        // What chose the deed says best what it is done to.
        let object = self.text(&["object", "type", "kind", "resource", "resourcetype", "entity"]).map(Words::of);
        let chosen = self.given.chosen.as_ref();
        let size = chosen.and_then(size).or_else(|| size(name)).or_else(|| object.and_then(|it| size(&it)));
        let lost = match size {
            Some(Size::Small) => self.takes_all(),
            Some(Size::Large) => !self.is_cache(),
            Some(Size::Unknown) | None if self.is_cache() => false,
            Some(Size::Unknown) | None => self.takes_all() || self.deed == Some(Deed::Delete) && !self.is_one_key(),
        };
        let bounded = size != Some(Size::Large) && self.is_bounded();
        if lost && !bounded {
            let what = format!("deletes ({})", chosen.unwrap_or(name).text());
            self.destroys(&what);
        }
    }

    /// Whether everything goes, or goes for good: by a switch, by a word, or by a list.
    fn takes_all(&self) -> bool {
        const SWITCHES: &[&str] = &["permanent", "permanently", "all", "everything", "hard", "cascade", "purge"];
        let says = |words: &Words| words.any(&["all", "everything"]);
        let ids = |object: &Object<'_>| {
            let many = |value: &Value| value.as_array().is_some_and(|items| items.len() > MANY);
            object.members.iter().any(|(key, value)| key.any(&["id", "key", "name"]) && many(value))
        };
        // Copies are made again.
        !self.is_cache()
            && (self.switched(SWITCHES)
                || says(&self.tool.name)
                || self.given.chosen.as_ref().is_some_and(says)
                || self.given.objects.iter().any(ids))
    }

    fn is_cache(&self) -> bool {
        self.tool.speaks_of(&["cdn"])
            || self.tool.speaks_of(&["cache"]) && !self.tool.speaks_of(&["redis", "memcached"])
    }

    /// One entry of a store, by its key.
    fn is_one_key(&self) -> bool {
        self.tool.speaks_of(DATABASES) && self.text(&["key", "id"]).is_some_and(|key| !key.contains('*'))
    }

    /// The path of a request, where that says what is done to what.
    fn request_path(&self) -> Option<&str> {
        let path = self.text(&["path", "endpoint", "url", "uri", "route", "requestpath"])?;
        let path = match path.split_once("://") {
            Some(_) if crate::know::is_here(&crate::path::host(path)) => return Some("/local/1"),
            Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
            None => path,
        };
        let by_method = self.given.objects.iter().any(|object| object.has(&["method", "httpmethod"]));
        (by_method || self.has_addresses()).then_some(path)
    }

    /// A field of a GraphQL mutation.
    pub(super) fn field(&mut self, words: &Words, bounded: bool) {
        let lost = match (super::words::deed(words), size(words)) {
            (Some(Deed::Delete | Deed::Remove), Some(Size::Large)) => true,
            (Some(Deed::Delete), size) => size != Some(Size::Small) && !bounded,
            _ => false,
        };
        if lost {
            self.destroys(&format!("deletes ({})", words.text()));
        }
    }

    fn has_addresses(&self) -> bool {
        self.given.texts.iter().any(|text| text.text.contains("://") && text.key.any(&["url", "uri", "href"]))
            && !self.tool.name.any(&["queue", "topic"])
    }

    /// Whether a condition spares anything.
    fn is_bounded(&self) -> bool {
        let names = ["where", "filter", "query", "condition", "selector", "body"];
        let Some(condition) = self.argument(&names) else { return false };
        match condition {
            Value::String(text) => {
                let text = text.trim();
                let always = ["", "*", "true", "1", "1=1", "1 = 1", "{}"].contains(&text.to_ascii_lowercase().as_str());
                !always
            }
            filter @ Value::Object(_) => !is_everything(filter),
            _ => false,
        }
    }

    /// A switch such as `drop` or `truncateFirst` beside something else that is done.
    fn wipes_first(&self) -> bool {
        let wipes = |key: &Words| {
            key.any(&["drop", "truncate", "purge", "wipe"])
                || key.any(&["delete"])
                    && key.any(&["all", "existing", "everything", "first", "pvc", "volume", "data", "disk"])
        };
        !matches!(self.deed, Some(Deed::Delete | Deed::Remove)) && self.given.on.iter().any(|key| wipes(key))
    }

    /// Credentials that come back.
    fn reveals(&mut self) {
        if self.hands_out() || self.opens_vault() || self.shows_environment() || self.unmasks() {
            self.say(Kind::ReadSecret, Flag::Secret.into(), "gets a credential from a service");
        }
    }

    /// By its name: `get_secret_value`, `create_access_key`, `generate_token`, `get_connection_string`.
    fn hands_out(&self) -> bool {
        let both = self.given.chosen.as_ref().map(|chosen| chosen.and(&self.tool.name));
        let name = both.as_ref().unwrap_or(&self.tool.name);
        let chosen =
            self.given.chosen.as_ref().is_some_and(|chosen| is_one(chosen.last(), &["secret", "credential", "token"]));
        let listed = name.any(&["storage"]) && name.have(["account", "keys"]) || name.have(["connection", "strings"]);
        let cookies = is_one(name.last(), &["cookie"]) && name.any(&["export", "all"]);
        if chosen && name.any(GETS) || listed || cookies || name.have(["config", "vars"]) && name.any(GETS) {
            return true;
        }
        let makes = name.any(&["generate", "create", "issue", "rotate", "mint", "regenerate", "assume"]);
        let gets = name.any(GETS);
        let pair = PAIRS.iter().any(|pair| name.have(*pair)) || name.any(&["kubeconfig"]);
        let token = name.last() == "token" && name.any(TOKENS);
        let plain = is_one(name.last(), &["secret", "password", "credential", "passphrase", "totp"])
            || is_one(name.first(), &["secret", "password", "credential"]);
        let renews = plain && !name.any(&["create"]) && !(name.any(&["generate"]) && name.last() == "password");
        !name.any(TELLS)
            && (name.have(["assume", "role"])
                || gets && (pair || token || plain)
                || makes && (pair || renews || name.last() == "token"))
    }

    fn opens_vault(&self) -> bool {
        const ABOUT: &[&str] = &[
            "folder",
            "organization",
            "org",
            "collection",
            "member",
            "policy",
            "status",
            "template",
            "fingerprint",
            "group",
            "project",
        ];
        if !self.tool.server.any(VAULTS) && !self.tool.name.any(VAULTS) {
            return false;
        }
        let kind = self.text(&["object", "type", "kind", "itemtype"]).map(Words::of).unwrap_or_default();
        let about = kind.any(ABOUT) || self.tool.name.any(ABOUT);
        match self.deed {
            Some(Deed::Read) => !about,
            Some(Deed::List) => kind.any(&["item", "login", "secret", "password", "credential", "note"]),
            _ => false,
        }
    }

    /// Variables of a deployment: one whose name is that of a credential, or all with their values.
    fn shows_environment(&self) -> bool {
        let name = &self.tool.name;
        if name.are("getenv") || name.are("printenv") {
            return true;
        }
        if !name.any(&["env", "environment", "variable", "config", "configuration", "parameter"]) {
            return false;
        }
        let one = self.text(&["name", "key", "variable", "variablename"]).is_some_and(crate::walk::state::is_secret);
        self.deed == Some(Deed::Read) && one || self.switched(&["value"])
    }

    /// Switches that show what is otherwise hidden, whatever is read.
    fn unmasks(&self) -> bool {
        const KEPT: &[&str] = &["secret", "password", "sensitive", "credential", "token", "value"];
        let shows = |key: &Words| key.any(&["reveal", "decrypt", "decryption", "unmask", "plaintext"]);
        let includes = |key: &Words| key.any(&["include", "with", "show"]) && key.any(KEPT) && !key.any(&["value"]);
        let hides = |key: &Words| key.any(&["hide", "mask", "redact"]) && key.any(KEPT);
        let reads = self.deed != Some(Deed::Write) || self.tool.name.any(GETS);
        reads
            && (self.given.on.iter().any(|key| shows(key) || includes(key))
                || self.given.off.iter().any(|key| hides(key)))
    }

    /// Rights that nobody should get by the way.
    fn rights(&mut self) {
        let gives = !matches!(
            self.deed,
            Some(Deed::Read | Deed::List | Deed::Delete | Deed::Remove | Deed::Detach | Deed::Try)
        );
        if !gives {
            return;
        }
        let text = |text: &super::Text<'_>| {
            text.text.contains("AdministratorAccess")
                || gives_rights(&text.key, text.text) && !self.serves(text)
                || is_dangerous_manifest(text.text)
        };
        if self.switched(&["superuser", "privileged", "admin", "administrator"])
            || self.given.texts.iter().any(text)
            || self.given.objects.iter().any(allows_everything)
        {
            self.say(Kind::Escalate, Flag::Force.into(), "gives away the rights of an administrator");
        }
    }

    /// A door that is meant for everybody.
    fn serves(&self, text: &super::Text<'_>) -> bool {
        let port = self.given.objects[text.object].get(&["port", "ports", "portrange", "toport"]);
        port.is_some_and(|port| ["443", "80"].contains(&port.to_string().trim_matches('"')))
    }

    fn protection(&mut self) {
        let name = &self.tool.name;
        let off = matches!(self.deed, Some(Deed::Disable | Deed::Delete | Deed::Remove))
            || self.given.chosen.as_ref().is_some_and(|word| word.any(&["disable", "off"]));
        let stops = name.any(&["stop"]) && name.any(&["logging", "trail", "audit"]);
        let filter = off && name.any(&["filter"]) && name.any(&["rule"]) && !name.any(&["mail", "email"]);
        let changes = self.deed == Some(Deed::Write);
        let guards = |words: &Words| words.any(PROTECTIONS) || words.any(&["approval", "ids", "event", "blocked"]);
        let switched = |key: &Words| guards(key) || key.any(&["enabled", "enforce"]) && guards(name);
        // What a member may see is no protection of others.
        let rights = ["access", "view", "manage", "read", "can", "show", "include"];
        let weakened = changes && self.given.off.iter().any(|key| switched(key) && !key.any(&rights));
        let watchers = ["wazuh", "pihole", "guardduty", "selinux", "falcon", "apparmor", "defender", "siem"];
        let watched = self.tool.speaks_of(&watchers)
            && (off
                || self.given.off.iter().any(|key| key.any(&["enable", "enabled"]))
                || self.text(&["mode"]) == Some("permissive"));
        let policy = name.any(&["deactivate", "disable"]) && name.any(&["policy"]);
        let unsafely = self.switched(&["unsafe", "dangerously", "insecure"]);
        if off && name.any(PROTECTIONS) || stops || filter || weakened || unsafely || watched || policy {
            self.say(Kind::Weaken, Flag::Remote.into(), "switches a protection off");
        }
        let reference = self.text(&["ref", "branch", "refname", "branchname"]);
        let shared = reference
            .filter(|name| self.switched(&["force"]) && is_shared(name) && (!self.is_git() || name.contains('/')));
        if let Some(reference) = shared {
            self.say(Kind::GitRewrite, Flag::Remote.into(), format!("overwrites the branch {reference}"));
        }
    }

    fn publishes(&mut self) {
        const FILES: &[&str] = &[".whl", ".nupkg", ".gem", ".crate", ".vsix"];
        let name = &self.tool.name;
        let sends = name.any(&["publish", "unpublish", "deprecate", "upload", "push", "yank"]);
        let package = self.tool.speaks_of(PACKAGES);
        let file = |text: &super::Text<'_>| FILES.iter().any(|end| text.text.ends_with(end));
        let task = |text: &super::Text<'_>| {
            let words = Words::of(text.text);
            text.key.any(&["task", "goal"]) && words.any(&["publish"]) && !words.any(&["local"])
        };
        if sends && (package || self.given.texts.iter().any(file)) || self.given.texts.iter().any(task) {
            self.say(Kind::Publish, Flags::NONE, "publishes or takes back what others use");
        }
    }

    /// Code of a page or a worker that gives away what it was entrusted with.
    pub(super) fn leaks(&mut self, code: &str) {
        const HELD: &[&str] = &[
            "document.cookie",
            "localStorage",
            "sessionStorage",
            "indexedDB",
            "stringify(env)",
            "type=password",
            "type=\"password",
        ];
        const SENDS: &[&str] = &["fetch(", "sendBeacon(", "XMLHttpRequest", "WebSocket(", ".src", "location", "axios"];
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        let leaves = ["://", "'//", "\"//"].iter().any(|start| code.contains(start));
        if has(HELD) && has(SENDS) && leaves {
            self.say(
                Kind::SendSecret,
                Flag::Upload.into(),
                "sends what a page or a service keeps secret to another host",
            );
        }
    }

    /// Code for a cloud that deletes there.
    pub(super) fn cloud_code(&mut self, code: &str) {
        const CLOUDS: &[&str] =
            &["@google-cloud/", "google.cloud", "boto3", "aws-sdk", "@azure/", "azure.", "googleapis"];
        const DELETES: &[&str] = &[".delete(", ".delete_", "delete_bucket", "Delete", ".destroy(", ".terminate"];
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if has(CLOUDS) && has(DELETES) {
            self.say(Kind::Infra, Flag::Remote.into(), "deletes what lies in a cloud");
        }
    }
}

/// More than this many of something small are much.
const MANY: usize = 3;

/// Whether a `DELETE` of this path loses more than one small thing: its last segment that is known for its size decides.
fn is_lost(path: &str) -> bool {
    let (plain, query) = path.split_once('?').unwrap_or((path, ""));
    let segments: Vec<&str> = plain.split('/').filter(|segment| !segment.is_empty()).collect();
    let is_id = |segment: &str| segment.starts_with(['{', ':']) || segment.chars().any(|c| c.is_ascii_digit());
    let sized = |segment: &str| size(&Words::of(segment)).filter(|size| *size != Size::Unknown);
    let known = segments.iter().enumerate().rev().find_map(|(at, segment)| Some((at, sized(segment)?)));
    let one = query.contains('=') || segments.len() > 1 && segments.last().is_some_and(|last| is_id(last));
    match known {
        Some((_, Size::Large)) => !query.contains('='),
        Some((at, Size::Small)) => at + 1 == segments.len() && !one,
        _ => !one,
    }
}

/// Branches that others build on.
fn is_shared(branch: &str) -> bool {
    let name = branch.rsplit('/').next().unwrap_or_default();
    let names =
        ["main", "master", "develop", "development", "trunk", "release", "production", "prod", "staging", "stable"];
    names.contains(&name) || branch.starts_with("release/")
}

/// A filter that lets everything through.
fn is_everything(filter: &Value) -> bool {
    let inner = || ["query", "filter", "where"].iter().find_map(|name| filter.get(name));
    let nothing =
        |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
    filter.as_object().is_some_and(|members| members.values().all(nothing))
        || filter.get("match_all").is_some()
        || inner().filter(|inner| inner.is_object()).is_some_and(is_everything)
}

/// A statement of a policy that allows all of everything.
fn allows_everything(object: &Object<'_>) -> bool {
    let is_star = |name: &str| match object.get(&[name]) {
        Some(Value::String(text)) => text == "*",
        Some(Value::Array(items)) => items.iter().any(|item| item == "*"),
        _ => false,
    };
    let public = is_star("principal") && (is_star("action") || is_star("resource") || object.has(&["action"]));
    object.text(&["effect"]) == Some("Allow") && (is_star("action") && is_star("resource") || public)
}

/// Whether an argument names the rights of an administrator, or everybody as the one who gets some.
fn gives_rights(key: &Words, text: &str) -> bool {
    const POWERFUL: &[&str] =
        &["owner", "administrator", "superuser", "admin", "root", "cluster-admin", "all privileges", "super_admin"];
    const EVERYBODY: &[&str] = &["allusers", "allauthenticatedusers", "anyone", "*"];
    let last = text.rsplit(['/', ':', '.']).next().unwrap_or_default().to_ascii_lowercase();
    let admin = last.ends_with("-admin") || last.ends_with("_admin") || last.starts_with("public_");
    let everything = key.any(&["privilege"]) && last == "all";
    let role = key.any(&["role", "clusterrole", "permission", "privilege", "level", "acl"])
        && (POWERFUL.contains(&last.as_str()) || admin);
    let role = role || key.any(&["type"]) && admin;
    let who = key.any(&["entity", "principal", "member", "grantee", "type"]) && EVERYBODY.contains(&last.as_str());
    let network = key.any(&["cidr", "source", "ip", "range"]) && ["0.0.0.0/0", "::/0"].contains(&text);
    role || who || network || everything
}

/// A manifest whose pods own the machine, or whose roles own the cluster.
fn is_dangerous_manifest(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !matches!(c, ' ' | '"' | '\'')).collect();
    let manifest = plain.contains("apiVersion:") && plain.contains("kind:");
    let admin = plain.contains("RoleBinding") && plain.contains("name:cluster-admin");
    let host =
        plain.contains("privileged:true") || plain.contains("hostPID:true") || plain.contains("hostPath:{path:/}");
    manifest && (admin || host)
}
