//! The public key.

use std::process::ExitCode;

use serde_json::json;
use tollgate_core::Digest;

use super::args::Key;
use super::json;
use super::place::{Origin, Place, shown};
use crate::args::Policy;
use crate::command::{Done, Failure, NO};
use crate::output::{print, wrap};

pub(super) fn run(policy: &Policy, args: &Key) -> Done {
    let place = Place::of(policy, &args.place)?;
    let Some((key, proves)) = find(&place)? else {
        if args.json.json {
            json::print(&json!({ "key": null }))?;
        } else {
            let dir = shown(&place.dir);
            print(&format!("there is no key yet: it is made with the first record of the log in\n{dir}\n"))?;
        }
        return Ok(ExitCode::from(NO));
    };
    if args.json.json {
        json::print(&json!({ "key": key, "dir": place.dir, "of_the_log_itself": !proves }))?;
    } else {
        print(&format!("{key}\n"))?;
        // Whoever sends the key into a file wants nothing else in it.
        eprintln!("\n{}", wrap(help(proves), 0, 80));
    }
    Ok(ExitCode::SUCCESS)
}

/// The key, and whether it comes from elsewhere than the log.
fn find(place: &Place) -> Result<Option<(String, bool)>, Failure> {
    if let Some(key) = place.public_key(None)? {
        return Ok(Some((Digest(key.bytes).to_string(), key.from == Origin::Own)));
    }
    Ok(place.head().map(|head| (Digest(head.key).to_string(), false)))
}

fn help(own: bool) -> &'static str {
    if own {
        "This key is no secret. Give it to whoever is to check the log, on another way than the log itself; \
         `tollgate log export --bundle DIR` copies the log, and `tollgate log verify --dir DIR --key KEY` checks it."
    } else {
        "This key came with the log. Compare it with the one that `tollgate log key` prints where the log was written: \
         whoever made up the log could have made up the key."
    }
}
