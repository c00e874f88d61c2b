//! What is remembered, by both stores alike.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod common;

use std::time::Duration;

use common::{Folder, START};
use serde_json::json;
use tollgate_core::Digest;
use tollgate_engine::state::{Bucket, Claim, Claimed, Files, Grant, Memory, Pin, Short, Space, State, Take};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// Runs a check on both stores.
fn both(check: impl Fn(&dyn State)) {
    check(&Memory::default());
    let folder = Folder::new();
    check(&Files::new(folder.path()));
}

fn take<'a>(space: Space<'a>, key: &'a str, max: f64, every: Option<Duration>) -> Take<'a> {
    Take { space, key, bucket: Bucket { max, every }, amount: 1.0 }
}

#[test]
fn a_bucket_is_full_at_start_and_refills_evenly_up_to_its_size() {
    // At which second a call comes, and what is then left; none where it is refused.
    let calls: &[(u64, Option<f64>)] = &[
        (0, Some(3.0)),
        (0, Some(2.0)),
        (0, Some(1.0)),
        (0, Some(0.0)),
        (0, None),
        // A quarter of the time is one of four.
        (899, None),
        (900, Some(0.0)),
        (900, None),
        (1800 + 450, Some(0.5)),
        // However long it waits, it is never more than full.
        (1_000_000, Some(3.0)),
        (1_000_000, Some(2.0)),
        (1_000_900, Some(2.0)),
    ];
    both(|state| {
        for (index, (at, expected)) in calls.iter().enumerate() {
            let (now, take) = (START + SECOND * u32::try_from(*at).unwrap(), take(Space::All, "k", 4.0, Some(HOUR)));
            let taken = state.reserve(now, "s", &format!("call-{index}"), &[take]).unwrap().is_ok();
            let left = state.left(now, Space::All, "k", take.bucket).unwrap();
            assert_eq!(
                (taken, (left * 1e6).round() / 1e6),
                (expected.is_some(), expected.unwrap_or((left * 1e6).round() / 1e6)),
                "call {index} at {at}"
            );
        }
    });
}

#[test]
fn without_every_it_is_a_budget() {
    both(|state| {
        let take = take(Space::All, "k", 1.0, None);
        assert_eq!(state.reserve(START, "s", "1", &[take]).unwrap(), Ok(()));
        let later = START + HOUR * 10_000;
        assert_eq!(state.reserve(later, "s", "2", &[take]).unwrap(), Err(Short { which: 0, left: 0.0, wait: None }));
    });
}

#[test]
fn a_clock_that_goes_back_gives_nothing_and_takes_nothing() {
    both(|state| {
        let take = take(Space::All, "k", 1.0, Some(HOUR));
        assert_eq!(state.reserve(START, "s", "1", &[take]).unwrap(), Ok(()));
        let back = START - HOUR;
        assert!(state.reserve(back, "s", "2", &[take]).unwrap().is_err());
        // A refusal keeps nothing, so the old time still counts.
        assert!(state.reserve(START + HOUR / 2, "s", "3", &[take]).unwrap().is_err());
        assert_eq!(state.reserve(START + HOUR, "s", "4", &[take]).unwrap(), Ok(()));
    });
}

#[test]
fn all_or_none() {
    both(|state| {
        let global = take(Space::All, "global", 10.0, None);
        let job = take(Space::Session("s"), "job", 1.0, None);
        assert_eq!(state.reserve(START, "s", "1", &[global, job]).unwrap(), Ok(()));
        let short = Short { which: 1, left: 0.0, wait: None };
        for call in ["2", "3", "4"] {
            assert_eq!(state.reserve(START, "s", call, &[global, job]).unwrap(), Err(short));
        }
        let left = state.left(START, Space::All, "global", global.bucket).unwrap();
        assert_eq!(left, 9.0, "a refused call spends nothing of the global bucket");
    });
}

#[test]
fn sessions_have_buckets_of_their_own() {
    both(|state| {
        for (session, allowed) in [("a", true), ("b", true), ("a", false), ("b", false), ("", true)] {
            let own = take(Space::Session(session), "k", 1.0, None);
            assert_eq!(state.reserve(START, session, "c", &[own]).unwrap().is_ok(), allowed, "{session}");
        }
    });
}

#[test]
fn what_is_given_back_can_be_taken_again() {
    both(|state| {
        let (global, own) = (take(Space::All, "g", 1.0, None), take(Space::Session("s"), "o", 1.0, None));
        let reserve = |call: &str| state.reserve(START, "s", call, &[global, own]).unwrap().is_ok();
        assert!(reserve("1") && !reserve("2"));
        assert!(state.holds("s", "1").unwrap() && !state.holds("s", "2").unwrap());
        // Somebody else's refund, and one of a call that reserved nothing, are none.
        state.refund("s", "2").unwrap();
        state.refund("other", "1").unwrap();
        assert!(!reserve("3"));
        state.refund("s", "1").unwrap();
        // Only once.
        state.refund("s", "1").unwrap();
        state.refund_all("s", "1").unwrap();
        assert!(reserve("4") && !reserve("5"));
        // What has run is spent.
        state.spend("s", "4").unwrap();
        state.refund("s", "4").unwrap();
        assert!(!reserve("6"));
    });
}

#[test]
fn what_came_back_with_time_is_not_given_back_again() {
    both(|state| {
        let take = take(Space::All, "k", 1.0, Some(HOUR));
        let reserve = |at, call: &str| state.reserve(START + at, "s", call, &[take]).unwrap().is_ok();
        assert!(reserve(Duration::ZERO, "asked"));
        // While a human thinks about the first call, time gives back what it took, and a second one takes that.
        assert!(reserve(HOUR, "second") && !reserve(HOUR, "third"));
        state.refund("s", "asked").unwrap();
        assert!(!reserve(HOUR, "fourth"), "the second has it");
        state.refund("s", "second").unwrap();
        assert!(reserve(HOUR, "fifth"));
    });
}

#[test]
fn amounts_and_waiting_times() {
    both(|state| {
        let bucket = Bucket { max: 100.0, every: Some(HOUR) };
        let pay = |at: Duration, amount| {
            let take = Take { space: Space::All, key: "money", bucket, amount };
            state.reserve(START + at, "s", "c", &[take]).unwrap()
        };
        let short = |left, wait: Option<u64>| Err(Short { which: 0, left, wait: wait.map(Duration::from_secs) });
        assert_eq!(pay(Duration::ZERO, 60.0), Ok(()));
        assert_eq!(pay(Duration::ZERO, 60.0), short(40.0, Some(720)));
        assert_eq!(pay(Duration::ZERO, 101.0), short(40.0, None));
        assert_eq!(pay(Duration::from_secs(720), 60.0), Ok(()));
    });
}

#[test]
fn another_size_holds_at_once() {
    both(|state| {
        let with = |max| state.reserve(START, "s", "c", &[take(Space::All, "k", max, None)]).unwrap().is_ok();
        assert_eq!(
            [with(1.0), with(1.0), with(3.0), with(3.0), with(3.0), with(1.0)],
            [true, false, true, true, false, false]
        );
    });
}

#[test]
fn a_claim_is_one_calls_until_it_ends() {
    let claim = |call, digest| Claim { session: "s", digest: Digest([digest; 32]), call };
    both(|state| {
        let ask = |at: Duration, call, digest| state.claim(START + at, claim(call, digest), false, HOUR).unwrap();
        let again = |call| state.claim(START, claim(call, 7), true, HOUR).unwrap();
        let running = Claimed::Running { since: START };
        assert_eq!(ask(Duration::ZERO, "1", 7), Claimed::Mine);
        assert_eq!(ask(SECOND, "1", 7), running, "the same id is not the same call");
        assert_eq!([again("1"), again("2")], [Claimed::Mine, running.clone()], "unless somebody says so");
        assert_eq!(ask(SECOND, "2", 7), running);
        assert_eq!(ask(SECOND, "2", 8), Claimed::Mine, "another digest");
        // Only the owner can end it.
        state.release(claim("2", 7)).unwrap();
        assert!(!state.finish(START, claim("2", 7), HOUR, None).unwrap());
        assert_eq!(ask(SECOND, "2", 7), running);
        // A failed call lets go.
        state.release(claim("1", 7)).unwrap();
        assert_eq!(ask(SECOND, "3", 7), Claimed::Mine);
        let end = START + SECOND * 5;
        assert!(state.finish(end, claim("3", 7), SECOND * 60, Some(json!({"id": 1}))).unwrap());
        let done = Claimed::Done { at: end, result: Some(json!({"id": 1})) };
        assert_eq!(ask(SECOND * 6, "4", 7), done);
        assert_eq!(ask(SECOND * 64, "3", 7), done, "also for the call itself: it has run");
        assert_eq!(ask(SECOND * 65, "5", 7), Claimed::Mine);
        // Whose process died is forgotten in the end.
        assert_eq!(ask(SECOND * 66 + HOUR, "6", 7), Claimed::Mine);
    });
}

#[test]
fn grants_count_once_and_for_a_time() {
    let grant = |digest| Grant { digest: Digest([digest; 32]), by: "ann".to_owned(), at: START, until: START + HOUR };
    both(|state| {
        state.grant(&grant(1)).unwrap();
        state.grant(&grant(2)).unwrap();
        let redeem =
            |at, digest| state.redeem(START + at, Digest([digest; 32])).unwrap().map(|yes| (yes.by, yes.granted));
        assert_eq!(redeem(SECOND, 9), None);
        assert_eq!(redeem(SECOND, 1), Some(("ann".to_owned(), true)));
        assert_eq!(redeem(SECOND, 1), None);
        assert_eq!(redeem(HOUR, 2), None);
    });
}

#[test]
fn pins_do_not_move() {
    both(|state| {
        for (key, digest, expected) in
            [("a", 1, Pin::New), ("a", 1, Pin::Same), ("a", 2, Pin::Moved), ("a", 1, Pin::Same), ("b", 2, Pin::New)]
        {
            assert_eq!(state.pin(key, Digest([digest; 32])).unwrap(), expected, "{key} {digest}");
        }
        assert!(state.unpin("a").unwrap() && !state.unpin("a").unwrap());
        assert_eq!(state.pin("a", Digest([2; 32])).unwrap(), Pin::New);
    });
}

#[test]
fn what_is_remembered_stays_small() {
    // What counts is the same for both, and this is faster.
    let state: &dyn State = &Memory::default();
    {
        for call in 0..300_u16 {
            let digest = tollgate_wire::digest(&json!(call));
            let name = call.to_string();
            let claim = Claim { session: "s", digest, call: &name };
            assert_eq!(state.claim(START + SECOND * call.into(), claim, false, HOUR).unwrap(), Claimed::Mine);
            state.finish(START + SECOND * call.into(), claim, HOUR, Some(json!("x".repeat(100)))).unwrap();
            state.reserve(START, "s", &name, &[take(Space::Session("s"), "k", 1e9, None)]).unwrap().unwrap();
            state.record("s", "loop", 30, digest, digest).unwrap();
        }
        let ledger = state.look(&[Space::Session("s")]).unwrap().remove(0);
        let count = |prefix| ledger.keys(prefix).len();
        assert_eq!((count("seen/"), count("held/"), count("history/")), (128, 256, 1));
        let results = ledger.all::<serde_json::Value>("seen/").unwrap();
        assert_eq!(results.iter().filter(|(_, seen)| seen.get("result").is_some()).count(), 32);
    }
}
