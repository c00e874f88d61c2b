//! What a service does on somebody's behalf: deletes, hands out credentials, gives rights.

use serde_json::{Map, Value};

use super::programs::DATABASES;
use super::words::{Deed, Size, Words, is_one, size};
use super::{Object, Seen};
use crate::effect::{Flag, Flags, Kind};

/// Names of stores whose every item is a credential.
const VAULTS: &[&str] = &[
    "vault",
    "bitwarden",
    "1password",
    "onepassword",
    "lastpass",
    "keepass",
    "keychain",
    "secretsmanager",
    "infisical",
    "doppler",
    "keyvault",
    "dashlane",
    "passbolt",
];
/// What protects others.
const PROTECTIONS: &[&str] = &[
    "rls",
    "firewall",
    "protection",
    "audit",
    "mfa",
    "2fa",
    "waf",
    "encryption",
    "guardrail",
    "security",
    "logging",
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
        if self.wipes_first() {
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
        if self.local || self.ran || name.any(&["from"]) || self.has_addresses() {
            return;
        }
        if name.any(&["branch"]) {
            let branch = self.text(&["branch", "branchname", "name", "ref"]).unwrap_or_default();
            if is_shared(branch) {
                self.say(Kind::GitRewrite, Flag::Remote.into(), format!("deletes the branch {branch}"));
            }
            return;
        }
        let object = self.text(&["object", "type", "kind", "resource", "resourcetype", "entity"]).map(Words::of);
        let all = self.switched(&["permanent", "permanently", "all", "everything", "hard", "cascade"]);
        // What chose the deed says best what it is done to.
        let size = self
            .given
            .chosen
            .as_ref()
            .and_then(size)
            .or_else(|| size(name))
            .or_else(|| object.and_then(|it| size(&it)));
        let lost = match size {
            Some(Size::Small) => all,
            Some(Size::Large) => true,
            Some(Size::Unknown) | None => all || self.deed == Some(Deed::Delete),
        };
        if lost && !self.is_bounded() {
            let what = format!("deletes ({})", self.given.chosen.as_ref().unwrap_or(name).text());
            self.destroys(&what);
        }
    }

    fn has_addresses(&self) -> bool {
        self.given.texts.iter().any(|text| text.text.contains("://") && text.key.any(&["url", "uri", "href"]))
            && !self.tool.name.any(&["queue", "topic"])
    }

    /// Whether a condition spares anything.
    fn is_bounded(&self) -> bool {
        let names = ["where", "filter", "query", "condition", "selector", "body", "path"];
        let Some(condition) = self.argument(&names) else { return false };
        match condition {
            Value::String(text) => {
                let text = text.trim();
                let request = text.starts_with('/');
                let always = ["", "*", "true", "1", "1=1", "1 = 1", "{}"].contains(&text.to_ascii_lowercase().as_str());
                !always && (!request || text.contains('?') || text.matches('/').count() > 1)
            }
            filter @ Value::Object(_) => !is_everything(filter),
            _ => false,
        }
    }

    /// A switch such as `drop` or `truncateFirst` beside something else that is done.
    fn wipes_first(&self) -> bool {
        let wipes = |key: &Words| {
            key.any(&["drop", "truncate", "purge", "wipe"])
                || key.any(&["delete"]) && key.any(&["all", "existing", "everything", "first"])
        };
        !matches!(self.deed, Some(Deed::Delete | Deed::Remove)) && self.given.on.iter().any(|key| wipes(key))
    }

    /// Credentials that come back.
    fn reveals(&mut self) {
        if self.hands_out() || self.opens_vault() || self.shows_environment() {
            self.say(Kind::ReadSecret, Flag::Secret.into(), "gets a credential from a service");
        }
    }

    /// By its name: `get_secret_value`, `create_access_key`, `generate_token`, `get_connection_string`.
    fn hands_out(&self) -> bool {
        let name = &self.tool.name;
        let makes = name.any(&["generate", "create", "issue", "rotate", "mint"]);
        let gets = name.any(&["get", "read", "reveal", "show", "fetch", "retrieve", "export", "view", "access"]);
        let last = name.last();
        let value = last == "value" && name.any(&["secret", "credential", "password"]);
        let pairs =
            [["access", "key"], ["api", "key"], ["private", "key"], ["connection", "string"], ["connection", "uri"]];
        let pair = pairs.into_iter().any(|pair| name.have(pair));
        let tokens =
            [["access", "token"], ["api", "token"], ["auth", "token"], ["database", "token"], ["service", "token"]];
        let token = tokens.into_iter().any(|pair| name.have(pair));
        let plain = is_one(last, &["secret", "password", "credential", "passphrase", "totp"]);
        let about =
            name.any(&["list", "metadata", "info", "policy", "name", "names", "usage", "delete", "scan", "detect"]);
        !about && (gets && (value || pair || token || plain) || makes && (pair || token || last == "token") && !plain)
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
        if !name.any(&["env", "environment", "variable", "config", "configuration", "parameter"]) {
            return false;
        }
        let one = self.text(&["name", "key", "variable", "variablename"]).is_some_and(crate::walk::state::is_secret);
        let values = self.switched(&["value", "reveal", "decrypt", "decryption", "plaintext", "unmask"]);
        self.deed == Some(Deed::Read) && one || values
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
        let grants =
            self.tool.name.any(&["policy", "role", "permission", "binding", "member", "collaborator", "access", "iam"]);
        let text = |text: &super::Text<'_>| {
            let exact = ["admin", "owner", "administrator", "superuser", "roles/owner", "cluster-admin"];
            text.text.contains("AdministratorAccess")
                || text.text.contains("roles/owner")
                || grants && text.key.any(&["role", "permission", "policy", "level"]) && exact.contains(&text.text)
                || is_dangerous_manifest(text.text)
        };
        if self.switched(&["superuser", "privileged", "admin", "administrator"])
            || self.given.texts.iter().any(text)
            || self.given.objects.iter().any(allows_everything)
        {
            self.say(Kind::Escalate, Flag::Force.into(), "gives away the rights of an administrator");
        }
    }

    fn protection(&mut self) {
        let off = matches!(self.deed, Some(Deed::Disable | Deed::Delete | Deed::Remove))
            || self.given.chosen.as_ref().is_some_and(|word| word.any(&["disable", "off"]));
        if off && self.tool.name.any(PROTECTIONS) {
            self.say(Kind::Weaken, Flag::Remote.into(), "switches a protection off");
        }
    }

    fn publishes(&mut self) {
        let name = &self.tool.name;
        let packages = ["package", "npm", "pypi", "crate", "gem", "module", "extension", "library", "release"];
        if name.any(&["publish", "unpublish", "deprecate"]) && (name.any(&packages) || self.tool.server.any(&packages))
        {
            self.say(Kind::Publish, Flags::NONE, "publishes or takes back what others use");
        }
    }

    /// Code of a page or a worker that gives away what it was entrusted with.
    pub(super) fn leaks(&mut self, code: &str) {
        const HELD: &[&str] = &["document.cookie", "localStorage", "sessionStorage", "indexedDB", "stringify(env)"];
        const SENDS: &[&str] = &["fetch(", "sendBeacon(", "XMLHttpRequest", "WebSocket(", ".src", "location", "axios"];
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if has(HELD) && has(SENDS) && code.contains("://") {
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
    filter.as_object().is_some_and(Map::is_empty)
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
    object.text(&["effect"]) == Some("Allow") && is_star("action") && is_star("resource")
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
