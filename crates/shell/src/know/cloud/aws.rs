//! The AWS command line, and tools for object storages.

use super::{destroys, reveals, secret_stuff};
use crate::arg::Arg;
use crate::doing::{Doing, Invocation};
use crate::effect::{Flag, Kind};
use crate::know::options::{Options, Spec, only_asks};

const AWS: Spec = Spec::new(
    "",
    &[
        "profile",
        "region",
        "output",
        "endpoint-url",
        "query",
        "color",
        "ca-bundle",
        "cli-read-timeout",
        "cli-connect-timeout",
        "exclude",
        "include",
        "acl",
        "storage-class",
        "sse",
        "cidr",
        "policy-arn",
        "policy-document",
        "user-name",
        "role-name",
    ],
)
.flags(&["dry-run", "dryrun", "delete", "recursive", "force", "with-decryption", "generate-cli-skeleton"]);

/// Operations that destroy, by how their names start.
const DESTROY: &[&str] = &[
    "delete-",
    "terminate-",
    "deregister-",
    "destroy-",
    "purge-",
    "remove-",
    "schedule-key-deletion",
    "release-address",
    "disable-key",
    "batch-delete-",
    "empty-",
    "reset-",
    "forget-",
    "discard-",
    "dispose-",
    "permanently-delete",
    "cancel-key",
    "close-account",
];

/// What starts like that and destroys nothing worth asking for.
const SPARED: &[&str] =
    &["remove-tags", "delete-tags", "delete-message", "reset-image-attribute", "reset-instance-attribute"];

pub(super) fn aws(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &AWS);
    let (service, operation) = (options.word(0), options.word(1));
    let rehearsed = options.on(&["dry-run", "dryrun"]) || options.has(&["generate-cli-skeleton"]);
    if only_asks(invocation.args) || rehearsed || options.operands.iter().any(|word| word.text == "help") {
        return;
    }
    match service {
        "s3" => s3(&options, invocation, doing),
        "configure" => configure(&options, doing),
        _ if DESTROY.iter().any(|start| operation.starts_with(start)) && !SPARED.contains(&operation) => {
            destroys(format!("destroys resources of AWS ({service} {operation})"), doing);
        }
        _ => {
            prints(service, operation, &options, doing);
            weakens(service, operation, invocation.args, doing);
        }
    }
}

fn s3(options: &Options, invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let paths = options.operands.get(2..).unwrap_or_default();
    match options.word(1) {
        "rm" => destroys("deletes objects in S3", doing),
        "rb" => destroys("deletes a bucket in S3", doing),
        verb @ ("cp" | "mv" | "sync") => {
            if verb == "sync" && options.has(&["delete"]) {
                let here = paths.get(1).filter(|to| !is_object(to));
                match here {
                    Some(to) => doing.deletes(to, Flag::Recursive.into()),
                    None => destroys("deletes objects in S3 that are not here", doing),
                }
            }
            carry(paths, invocation, doing);
        }
        _ => {}
    }
}

fn is_object(path: &Arg) -> bool {
    ["s3://", "gs://", "b2://", "az://", "oci://"].iter().any(|start| path.text.starts_with(start))
}

/// Copies between here and a storage.
fn carry(paths: &[Arg], invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let Some((to, from)) = paths.split_last() else { return };
    for path in from {
        let secret = match path.text.as_str() {
            "-" => invocation.stdin.is_some_and(|stdin| stdin.from.secret),
            _ if is_object(path) => false,
            _ => doing.reads(path).from.secret,
        };
        if secret && is_object(to) {
            doing.does(Kind::SendSecret, Flag::Upload.into(), format!("sends a credential to {}", to.text));
        }
    }
    if is_object(to) {
        doing.does(Kind::Network, Flag::Upload.into(), format!("uploads to {}", to.text));
    } else if to.text == "-" {
        doing.prints(crate::arg::Stuff {
            text: None,
            from: crate::arg::Origins { network: true, unknown: true, ..Default::default() },
        });
    } else if let [one] = from
        && is_object(one)
    {
        let name = one.text.rsplit('/').next().unwrap_or_default();
        let folder = to.text.ends_with('/') || to.text == ".";
        let path = if folder {
            crate::know::options::part(to, &format!("{}/{name}", to.text.trim_end_matches('/')))
        } else {
            to.clone()
        };
        let from = crate::arg::Origins { network: true, unknown: true, ..Default::default() };
        doing.puts(&path, crate::arg::Stuff { text: None, from }, false);
    }
}

fn configure(options: &Options, doing: &mut Doing<'_, '_>) {
    let key = options.word(2);
    match options.word(1) {
        "export-credentials" => reveals("prints credentials", doing),
        "get" if ["secret", "token", "access_key"].iter().any(|word| key.contains(word)) => {
            reveals("prints credentials", doing)
        }
        _ => {}
    }
}

/// Operations that hand out credentials.
fn prints(service: &str, operation: &str, options: &Options, doing: &mut Doing<'_, '_>) {
    let decrypts = options.on(&["with-decryption"]);
    match (service, operation) {
        ("secretsmanager", "get-secret-value" | "batch-get-secret-value")
        | ("sts", "get-session-token" | "assume-role" | "get-federation-token" | "assume-role-with-web-identity")
        | ("iam", "create-access-key" | "create-service-specific-credential")
        | ("kms", "decrypt" | "generate-data-key")
        | ("sso", "get-role-credentials")
        | ("cognito-identity", "get-credentials-for-identity")
        | ("lightsail", "download-default-key-pair")
        | ("ec2", "get-password-data" | "create-key-pair") => reveals("prints credentials", doing),
        ("ssm", operation) if operation.starts_with("get-parameter") && decrypts => {
            reveals("prints decrypted parameters", doing)
        }
        // Tokens that are made to be piped into a login.
        ("ecr" | "ecr-public", "get-login-password" | "get-login" | "get-authorization-token")
        | ("eks", "get-token")
        | ("rds", "generate-db-auth-token")
        | ("codeartifact", "get-authorization-token") => doing.prints(secret_stuff()),
        _ => {}
    }
}

/// Operations that open doors or switch off those who watch them.
fn weakens(service: &str, operation: &str, args: &[Arg], doing: &mut Doing<'_, '_>) {
    let mentions = |text: &str| args.iter().any(|arg| arg.text.contains(text));
    match (service, operation) {
        ("cloudtrail", "stop-logging" | "update-trail")
        | ("guardduty", "update-detector" | "stop-monitoring-members" | "disassociate-from-administrator-account")
        | ("config" | "configservice", "stop-configuration-recorder")
        | ("securityhub" | "macie2" | "inspector2", "disable" | "disable-macie" | "disable-security-hub")
            if operation != "update-trail" && operation != "update-detector" || mentions("--no-") =>
        {
            doing.does(Kind::Weaken, Flag::Remote.into(), "switches off the audit of a cloud account");
        }
        ("ec2", "authorize-security-group-ingress") if mentions("0.0.0.0/0") || mentions("::/0") => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "opens a firewall to the world");
        }
        ("s3api", "put-bucket-acl" | "put-object-acl") if mentions("public-read") => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "makes a bucket public");
        }
        ("s3api" | "s3control", "put-public-access-block") if mentions("=false") => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "lets buckets be public");
        }
        ("iam", "attach-user-policy" | "attach-role-policy" | "attach-group-policy" | "put-user-policy")
            if mentions("AdministratorAccess") || mentions("\"Action\":\"*\"") || mentions("IAMFullAccess") =>
        {
            doing.does(Kind::Escalate, Flag::Force.into(), "gives somebody power over a cloud account");
        }
        ("iam", "put-user-policy" | "put-role-policy" | "put-group-policy" | "update-assume-role-policy")
            if mentions("--policy-document=file:") || mentions("file://") =>
        {
            doing.does(Kind::Escalate, Flag::Force.into(), "gives somebody powers that cannot be seen here");
        }
        ("iam", "create-login-profile" | "update-login-profile" | "add-user-to-group") => {
            doing.does(Kind::Escalate, Flag::Force.into(), "lets somebody into a cloud account");
        }
        ("s3api", "put-bucket-versioning") if mentions("Suspended") => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "stops keeping what is deleted from a bucket");
        }
        ("route53", "change-resource-record-sets") if mentions("DELETE") => {
            destroys("deletes names of a domain", doing);
        }
        ("iam", "deactivate-mfa-device") => {
            doing.does(Kind::Weaken, Flag::Remote.into(), "switches off a second factor")
        }
        ("ssm", "send-command") => {
            for arg in args.iter().filter(|arg| arg.text.contains("commands=")) {
                let script = arg
                    .text
                    .split_once("commands=")
                    .map_or("", |(_, script)| script)
                    .trim_matches(['[', ']', '"', '\'']);
                doing.runs_script("aws ssm", &crate::arg::Stuff::known(script), &[], None);
            }
        }
        _ => {}
    }
}

const STORAGE: Spec =
    Spec::new("ohuxX", &["config-dir", "endpoint-url", "profile", "exclude", "include", "rexclude", "config"])
        .flags(&["dry-run", "fake", "remove", "delete-removed", "delete"]);

/// `gsutil`, `s3cmd`, `mc`, `s5cmd`, `b2`.
pub(super) fn storage(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options = Options::of(invocation.args, &STORAGE);
    if only_asks(invocation.args) || options.on(&["dry-run", "fake"]) {
        return;
    }
    let verb = options.word(0);
    let mirrors = verb == "rsync" && options.has(&["d"])
        || matches!(verb, "sync" | "mirror") && options.has(&["delete", "delete-removed", "remove"]);
    match verb {
        "rm"
        | "rb"
        | "del"
        | "delete-bucket"
        | "delete-file-version"
        | "delete_bucket"
        | "hide-file"
        | "cancel-all-unfinished-large-files" => {
            destroys("deletes objects in a cloud storage", doing);
        }
        _ if mirrors && !options.has(&["n"]) => destroys("deletes objects in a cloud storage that are not here", doing),
        "cp" | "mv" | "put" | "sync" | "rsync" | "upload-file" | "mirror" => {
            carry(options.operands.get(1..).unwrap_or_default(), invocation, doing);
        }
        _ => {}
    }
}
