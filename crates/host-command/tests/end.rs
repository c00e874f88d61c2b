//! Whoever ends this process without waiting can end all programs first. Alone in its file: it ends those of others, too.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod common;

use std::time::{Duration, Instant};

use common::{Folder, run, said};
use serde_json::json;
use tollgate_core::{Event, Names, OnFault, Point};
use tollgate_host_command::{Protocol, end_all};

#[test]
fn all_programs_can_be_ended_at_once() {
    let folder = Folder::new();
    let hook = folder.hook("touch started; sleep 60 & wait", Protocol::Tollgate);
    let started = folder.path().join("started");
    let ender = std::thread::spawn(move || {
        let until = Instant::now() + Duration::from_secs(10);
        while !started.exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        // A program can do something before whoever started it has noted it down.
        std::thread::sleep(Duration::from_millis(200));
        end_all();
    });
    let names = Names::default();
    let name = names.name("bash");
    let event = Event::tool(Point::ToolBefore, &name, "call-1");
    let (outcome, body) = run(hook, event, OnFault::Deny, json!({}));
    ender.join().unwrap();
    assert!(said(&outcome, &body, &json!({})).contains("crash: ended by signal 9"));
    // Nothing runs any more, and that is fine.
    end_all();
}
