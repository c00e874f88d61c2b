//! `tollgate key`

use std::fs::File;
use std::io::Read as _;
use std::process::ExitCode;

use serde_json::json;
use tollgate_config::sha256;
use tollgate_engine::ours;
use tollgate_wire::hex;

use super::{Done, Failure, NO};
use crate::args::{Key, KeyWhat};
use crate::human;
use crate::output::{print, print_json};

pub(super) fn run(args: &Key) -> Done {
    match &args.what {
        KeyWhat::New { key, json } => {
            human::require("tollgate key new", key.key.as_deref())?;
            new(json.json)
        }
        KeyWhat::Revoke(json) => revoke(json.json),
    }
}

/// Only the hash is kept: whoever can read the file cannot use it.
fn new(json: bool) -> Done {
    let mut drawn = [0; 32];
    let random = |error| Failure::Said(format!("no random numbers: {error}"));
    File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut drawn)).map_err(random)?;
    let key = format!("tollgate-key-{}", hex::encode(&drawn));
    ours::write(&human::key_file()?, &format!("{}\n", sha256(key.as_bytes())))?;
    if json {
        print_json(&json!({ "key": key }))?;
    } else {
        print(&format!(
            "{key}\n\nThis is shown once; a key made before is of no use any more.\n\
             Keep it where no agent reads. A program gives it as `--key` or in TOLLGATE_KEY.\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(json: bool) -> Done {
    let there = ours::remove(&human::key_file()?)?;
    if json {
        print_json(&json!({ "revoked": there }))?;
    } else {
        print(if there { "the key is of no use any more\n" } else { "there was no key\n" })?;
    }
    Ok(if there { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}
