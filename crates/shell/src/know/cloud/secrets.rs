//! Secret managers, and commands that print tokens.

use super::{reveals, secret_stuff};
use crate::doing::{Doing, Invocation};
use crate::know::options::{Options, Spec};

/// Tools, and the words with which they print credentials.
const ROWS: &[(&[&str], &[&str])] = &[
    (
        &["gcloud"],
        &[
            "auth print-access-token",
            "auth print-identity-token",
            "auth application-default print-access-token",
            "secrets versions access",
            "iam service-accounts keys create",
            "sql generate-login-token",
            "config config-helper",
            "kms decrypt",
        ],
    ),
    (
        &["az"],
        &[
            "keyvault secret show",
            "keyvault secret download",
            "keyvault key download",
            "account get-access-token",
            "storage account keys",
            "acr credential show",
            "storage account show-connection-string",
            "cosmosdb keys list",
            "redis list-keys",
            "ad sp create-for-rbac",
            "ad sp credential",
            "ad app credential reset",
            "webapp config connection-string list",
            "webapp deployment list-publishing-profiles",
            "webapp deployment list-publishing-credentials",
            "functionapp keys list",
        ],
    ),
    (&["vault", "bao"], &["print token", "token create", "operator init", "operator generate-root", "operator unseal"]),
    (&["doppler"], &["secrets", "secrets get", "secrets download", "configure get"]),
    (&["bw"], &["get password", "get item", "get notes", "get totp", "export"]),
    (&["rbw"], &["get"]),
    (&["lpass"], &["show", "export"]),
    (&["passage"], &["show"]),
    (&["infisical"], &["secrets", "export"]),
    (&["chamber"], &["read", "export", "env", "list"]),
    (&["keepassxc-cli"], &["show", "export"]),
    (&["heroku"], &["config", "config:get", "auth:token", "pg:credentials:url", "redis:credentials"]),
    (&["fly", "flyctl"], &["auth token", "tokens create"]),
    (&["vercel"], &["env pull"]),
    (&["netlify"], &["env:get", "env:list"]),
    (&["railway"], &["variables", "variable list"]),
    (&["firebase"], &["functions:secrets:access", "functions:config:get", "login:ci", "auth:export"]),
    (&["eas"], &["env:get", "env:pull", "credentials"]),
    (&["consul"], &["acl token read", "acl bootstrap", "keyring -list"]),
    (&["nomad"], &["acl bootstrap"]),
    (&["argocd"], &["admin initial-password", "account generate-token"]),
    (&["secret-tool"], &["lookup"]),
    (&["keyring"], &["get"]),
    (&["kwallet-query"], &["-r"]),
    (&["aws-vault"], &["export"]),
    (&["saml2aws"], &["script"]),
    (&["doctl"], &["auth token", "registry docker-config", "kubernetes cluster kubeconfig show"]),
    (&["ibmcloud"], &["iam oauth-tokens"]),
    (&["tsh"], &["config"]),
    (&["step"], &["crypto key format"]),
    (&["akeyless"], &["get-secret-value"]),
    (&["berglas"], &["access"]),
    (&["teller"], &["env", "show", "sh"]),
    (&["phase"], &["secrets get", "secrets export"]),
    (&["npm-token"], &[""]),
];

pub(super) fn knows(name: &str) -> bool {
    matches!(name, "sops" | "ansible-vault") || ROWS.iter().any(|(names, _)| names.contains(&name))
}

const OPTIONS: Spec = Spec::new(
    "aspclrn",
    &[
        "app",
        "project",
        "config",
        "region",
        "account",
        "vault",
        "profile",
        "context",
        "secret",
        "format",
        "fields",
        "name",
        "vault-name",
        "resource-group",
        "subscription",
        "output",
        "query",
        "token",
        "vault-password-file",
        "vault-id",
        "scope",
        "plain",
    ],
);

/// Whether it was one of those.
pub(super) fn look(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) -> bool {
    let options = Options::of(invocation.args, &OPTIONS);
    let words: Vec<&str> = options.operands.iter().map(|word| word.text.as_str()).collect();
    // Files of one's own project, which are decrypted to be worked on: what counts is where that goes.
    if matches!(invocation.name, "sops" | "ansible-vault") {
        let prints = options.has(&["d", "decrypt"]) || matches!(words.first(), Some(&("decrypt" | "view")));
        if prints {
            doing.prints(secret_stuff());
        }
        return prints;
    }
    if matches!(invocation.name, "pulumi" | "vault" | "bao") {
        return stored(invocation, &words, doing);
    }
    let row = ROWS.iter().find(|(names, _)| names.contains(&invocation.name));
    let prints = row.is_some_and(|(_, starts)| starts.iter().any(|start| begins(&words, start, invocation.name)));
    if prints {
        reveals("prints credentials", doing);
    }
    prints
}

/// `doppler secrets` alone prints them all; `doppler secrets set` does not.
fn begins(words: &[&str], start: &str, name: &str) -> bool {
    let wanted = start.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>();
    if !words.starts_with(&wanted) {
        return false;
    }
    let alone =
        matches!((name, start), ("doppler" | "infisical", "secrets") | ("railway", "variables") | ("heroku", "config"));
    !alone || words.len() == wanted.len()
}

/// Stores whose values are read for their own sake all day long: that is ordinary, but what they print is a secret.
fn stored(invocation: &Invocation<'_>, words: &[&str], doing: &mut Doing<'_, '_>) -> bool {
    match words {
        ["kv", "get", ..] | ["read", ..] | ["kv", "read", ..] | ["unwrap", ..] => {
            doing.prints(secret_stuff());
            true
        }
        _ => {
            let row = ROWS.iter().find(|(names, _)| names.contains(&invocation.name));
            let prints =
                row.is_some_and(|(_, starts)| starts.iter().any(|start| begins(words, start, invocation.name)));
            let shown = invocation.name == "pulumi" && invocation.args.iter().any(|arg| arg.text == "--show-secrets");
            if prints || shown {
                reveals("prints credentials", doing);
            }
            prints || shown
        }
    }
}
