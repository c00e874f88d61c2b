//! Databases: clients that are handed statements, and commands that drop or reset them.

mod clients;
mod migrations;
mod sql;
#[cfg(test)]
mod tests;

use crate::arg::Arg;
use crate::doing::{Doing, Invocation, Known};
use crate::effect::{Flag, Flags, Kind};
use crate::know::options::{Options, Spec, only_asks};

pub(crate) use migrations::knows as migrates;
pub(crate) use sql::{Dialect, look_through};

pub(crate) fn find(name: &str) -> Option<Known> {
    if clients::knows(name) {
        return Some(clients::client);
    }
    if migrations::knows(name) {
        return Some(migrations::migrate);
    }
    Some(match name {
        "mongosh" | "mongo" => clients::mongo,
        "redis-cli" | "valkey-cli" | "keydb-cli" => clients::redis,
        "cypher-shell" => clients::cypher,
        "dropdb" => drop_database,
        "mysqladmin" | "mariadb-admin" => admin,
        "pg_restore" => restore,
        "mongorestore" => restore,
        "pg_resetwal" | "pg_resetxlog" => reset_log,
        "etcdctl" => etcd,
        "pg_dump" | "pg_dumpall" | "mysqldump" | "mariadb-dump" => dump,
        _ => return None,
    })
}

/// Says that data is gone for good.
fn destroys(what: impl Into<String>, doing: &mut Doing<'_, '_>) {
    doing.does(Kind::Database, Flags::NONE, what);
}

fn drop_database(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if !only_asks(invocation.args) && !invocation.args.is_empty() {
        destroys("drops a database", doing);
    }
}

fn admin(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let options =
        Options::of(invocation.args, &Spec::new("uhPSicr", &["user", "host", "port", "socket"]).attached("p"));
    for word in &options.operands {
        match word.text.as_str() {
            "drop" => return destroys("drops a database", doing),
            "shutdown" => return doing.does(Kind::Kill, Flag::Force.into(), "stops the database server"),
            _ => {}
        }
    }
}

/// Restores that drop what is there first.
fn restore(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec = Spec::new("dfhpUjnNtTILPSF", &["dbname", "file", "host", "port", "username", "jobs", "schema", "table"]);
    let options = Options::of(invocation.args, &spec.flags(&["clean", "list", "drop", "dryRun"]));
    let only_shown = options.has(&["l", "list", "dryRun"]) || options.value(&["f", "file"]).is_some();
    if options.has(&["c", "clean", "drop"]) && !only_shown && !only_asks(invocation.args) {
        destroys("drops what is in the database before it restores", doing);
    }
}

fn reset_log(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if !invocation.args.iter().any(|arg| matches!(arg.text.as_str(), "-n" | "--dry-run" | "-V" | "-?"))
        && !only_asks(invocation.args)
    {
        destroys("throws away the log that a database recovers from", doing);
    }
}

fn etcd(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec =
        Spec::new("", &["endpoints", "cacert", "cert", "key", "user", "password", "dial-timeout", "command-timeout"]);
    let options = Options::of(invocation.args, &spec);
    if only_asks(invocation.args) {
        return;
    }
    match (options.word(0), options.word(1)) {
        ("del" | "rm" | "rmdir", _) => destroys("deletes keys in etcd", doing),
        ("member", "remove") | ("user" | "role", "delete") | ("auth", "disable") => {
            doing.does(Kind::Infra, Flag::Remote.into(), "takes members or protection away from an etcd cluster");
        }
        _ => {}
    }
}

/// Dumps only read, but may write a file.
fn dump(invocation: &Invocation<'_>, doing: &mut Doing<'_, '_>) {
    let spec =
        Spec::new("fhpUdtTnNFjZSEruP", &["file", "result-file", "host", "port", "username", "user", "dbname", "table"]);
    let options =
        Options::of(invocation.args, &spec.attached(if invocation.name.starts_with("pg") { "" } else { "p" }));
    for path in options.values(&["f", "file", "r", "result-file"]) {
        doing.overwrites(path, Flags::NONE);
    }
}

/// A word in small letters.
fn lower(arg: &Arg) -> String {
    arg.text.to_ascii_lowercase()
}
