//! `[audit]`: what holds when several files speak, and how mistakes look.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use expect_test::{Expect, expect};
use tollgate_config::{Anchor, Audit, Diagnostics, File, Keep, Layer, Plan, Sync, combine};
use tollgate_rules::form::{Date, OnFault};

fn load(machine: &str, user: &str, project: &str, trusted: bool) -> Result<Plan, Diagnostics> {
    let layers = [
        (Layer::Machine, "/etc/tollgate/tollgate.toml", machine),
        (Layer::User, "/home/ann/.config/tollgate/tollgate.toml", user),
        (Layer::Project, "/work/tollgate.toml", project),
    ];
    let read = |(layer, path, text): (Layer, &str, &str)| {
        File::of_bytes(layer, Path::new(path), format!("[audit]\n{text}").into()).unwrap()
    };
    let files = layers.into_iter().filter(|(_, _, text)| !text.is_empty()).map(read).collect();
    combine(files, trusted, Date::new(2026, 11, 15).unwrap())
}

/// What holds of all that three files say, and what is shown of the rest.
fn check_layers(machine: &str, user: &str, project: &str, trusted: bool, expected: Expect) {
    let plan = load(machine, user, project, trusted).unwrap_or_else(|found| panic!("{found}"));
    let (audit, default) = (&plan.audit, Audit::default());
    let mut shown = String::new();
    let mut differs = |key: &str, differs: bool, value: &dyn std::fmt::Debug| {
        if differs {
            writeln!(shown, "{key} {value:?}").unwrap();
        }
    };
    differs("enabled", audit.enabled != default.enabled, &audit.enabled);
    differs("keep", audit.keep != default.keep, &audit.keep);
    differs("sync", audit.sync != default.sync, &audit.sync);
    differs("on_fault", audit.on_fault != default.on_fault, &audit.on_fault);
    differs("segment", audit.segment != default.segment, &audit.segment);
    differs("retain", audit.retain != default.retain, &audit.retain);
    differs("anchor", audit.anchor != default.anchor, &audit.anchor);
    for one in &plan.ignored {
        writeln!(shown, "{}:{}: {}\n  {}", one.file, one.line, one.what, one.why).unwrap();
    }
    assert_eq!(plan.warnings.len(), plan.ignored.len(), "{}", plan.warnings);
    expected.assert_eq(&shown);
}

const OTHER: &str = "enabled = false
keep = 'sealed'
sync = 'full'
on_fault = 'pass'
segment = '1GB'
retain = '90d'
anchor.file = '/mnt/other/head'
";
const USUAL: &str = "enabled = true\nkeep = 'redacted'\nsync = 'process'\non_fault = 'deny'\nsegment = '16MB'\n";

#[test]
fn every_key_can_be_said() {
    let expected = Audit {
        enabled: false,
        keep: Keep::Sealed,
        sync: Sync::Full,
        on_fault: OnFault::Pass,
        segment: 1_000_000_000,
        retain: Some(Duration::from_secs(90 * 86_400)),
        anchor: Some(Anchor::File("/mnt/other/head".into())),
    };
    for (machine, user, project) in [(OTHER, "", ""), ("", OTHER, ""), ("", "", OTHER), (OTHER, OTHER, OTHER)] {
        let plan = load(machine, user, project, true).unwrap_or_else(|found| panic!("{found}"));
        assert_eq!((plan.audit, plan.warnings.len()), (expected.clone(), 0));
    }
    assert_eq!(load("", "", "", false).unwrap().audit, Audit::default());
}

#[test]
fn a_stranger_says_nothing_of_the_record() {
    check_layers(
        "",
        "",
        OTHER,
        false,
        expect![[r#"
        /work/tollgate.toml:2: `audit.enabled`
          this file is not trusted as it is now; read it, then run `tollgate trust`
        /work/tollgate.toml:3: `audit.keep`
          this file is not trusted as it is now; read it, then run `tollgate trust`
        /work/tollgate.toml:4: `audit.sync`
          this file is not trusted as it is now; read it, then run `tollgate trust`
        /work/tollgate.toml:5: `audit.on_fault`
          this file is not trusted as it is now; read it, then run `tollgate trust`
        /work/tollgate.toml:6: `audit.segment`
          this file is not trusted as it is now; read it, then run `tollgate trust`
        /work/tollgate.toml:7: `audit.retain`
          this file is not trusted as it is now; read it, then run `tollgate trust`
        /work/tollgate.toml:8: `audit.anchor`
          this file is not trusted as it is now; read it, then run `tollgate trust`
    "#]],
    );
    // Who is careful with what they keep proves less with it, so this is not for strangers either.
    check_layers(
        "",
        "",
        "keep = 'nothing'",
        false,
        expect![[r#"
        /work/tollgate.toml:2: `audit.keep`
          this file is not trusted as it is now; read it, then run `tollgate trust`
    "#]],
    );
    check_layers("", "", USUAL, false, expect![[""]]);
}

#[test]
fn whoever_has_more_rights_decides() {
    check_layers(
        USUAL,
        OTHER,
        "",
        false,
        expect![[r#"
        retain Some(7776000s)
        anchor Some(File("/mnt/other/head"))
        /home/ann/.config/tollgate/tollgate.toml:2: `audit.enabled`
          the machine's policy says otherwise
        /home/ann/.config/tollgate/tollgate.toml:3: `audit.keep`
          the machine's policy says otherwise
        /home/ann/.config/tollgate/tollgate.toml:4: `audit.sync`
          the machine's policy says otherwise
        /home/ann/.config/tollgate/tollgate.toml:5: `audit.on_fault`
          the machine's policy says otherwise
        /home/ann/.config/tollgate/tollgate.toml:6: `audit.segment`
          the machine's policy says otherwise
    "#]],
    );
    check_layers(
        "",
        USUAL,
        OTHER,
        true,
        expect![[r#"
        retain Some(7776000s)
        anchor Some(File("/mnt/other/head"))
        /work/tollgate.toml:2: `audit.enabled`
          the user's policy says otherwise
        /work/tollgate.toml:3: `audit.keep`
          the user's policy says otherwise
        /work/tollgate.toml:4: `audit.sync`
          the user's policy says otherwise
        /work/tollgate.toml:5: `audit.on_fault`
          the user's policy says otherwise
        /work/tollgate.toml:6: `audit.segment`
          the user's policy says otherwise
    "#]],
    );
    // What would not hold anyway is not worth trusting.
    check_layers(
        "",
        "keep = 'redacted'",
        "keep = 'sealed'\nsync = 'full'",
        false,
        expect![[r#"
        /work/tollgate.toml:2: `audit.keep`
          the user's policy says otherwise
        /work/tollgate.toml:3: `audit.sync`
          this file is not trusted as it is now; read it, then run `tollgate trust`
    "#]],
    );
    check_layers(
        "keep = 'sealed'",
        "keep = 'redacted'",
        "keep = 'nothing'",
        true,
        expect![[r#"
        keep Sealed
        /home/ann/.config/tollgate/tollgate.toml:2: `audit.keep`
          the machine's policy says otherwise
        /work/tollgate.toml:2: `audit.keep`
          the machine's policy says otherwise
    "#]],
    );
    check_layers(
        "enabled = true",
        "keep = 'sealed'",
        "retain = '1d'",
        true,
        expect![[r#"
        keep Sealed
        retain Some(86400s)
    "#]],
    );
}

#[test]
fn the_same_in_other_words_is_the_same() {
    check_layers(
        "segment = '1GB'\nretain = '7d'",
        "segment = '1000MB'\nretain = '1w'",
        "",
        false,
        expect![[r#"
        segment 1000000000
        retain Some(604800s)
    "#]],
    );
    check_layers(
        "segment = '1MB'",
        "",
        "segment = '1000 kB'",
        false,
        expect![[r#"
        segment 1000000
    "#]],
    );
}

/// What is said of the user's file.
fn check(text: &str, expected: Expect) {
    let found = load("", text, "", false);
    let shown = found.map_or_else(|wrong| wrong.to_string(), |plan| plan.warnings.to_string());
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    expected.assert_eq(&shown);
}

#[test]
fn words_and_types() {
    check(
        "enable = true
keep = 'redact'
sync = 'always'
on_fault = 'allow'
segment = 16
retain = true
anchor = '/mnt/other/head'
",
        expect![[r#"
            error: `audit` has no key `enable`
             --> /home/ann/.config/tollgate/tollgate.toml:2:1
              |
            2 | enable = true
              | ^^^^^^
              = help: did you mean `enabled`?

            error: `keep` cannot be `redact`
             --> /home/ann/.config/tollgate/tollgate.toml:3:8
              |
            3 | keep = 'redact'
              |        ^^^^^^^^
              = help: did you mean `redacted`?

            error: `sync` cannot be `always`
             --> /home/ann/.config/tollgate/tollgate.toml:4:8
              |
            4 | sync = 'always'
              |        ^^^^^^^^
              = help: it can be process or full

            error: `on_fault` cannot be `allow`
             --> /home/ann/.config/tollgate/tollgate.toml:5:12
              |
            5 | on_fault = 'allow'
              |            ^^^^^^^
              = help: did you mean `pass`?

            error: `segment` must be a text, and this is a whole number
             --> /home/ann/.config/tollgate/tollgate.toml:6:11
              |
            6 | segment = 16
              |           ^^
              = help: with quotes: "16"

            error: `retain` must be a text, and this is true or false
             --> /home/ann/.config/tollgate/tollgate.toml:7:10
              |
            7 | retain = true
              |          ^^^^

            error: `anchor` must be a table, and this is a text
             --> /home/ann/.config/tollgate/tollgate.toml:8:10
              |
            8 | anchor = '/mnt/other/head'
              |          ^^^^^^^^^^^^^^^^^

            7 errors
        "#]],
    );
}

#[test]
fn sizes_and_times() {
    check(
        "segment = '63kB'\nretain = '59m'\n",
        expect![[r#"
        error: `segment` must be between `64kB` and `1GB`
         --> /home/ann/.config/tollgate/tollgate.toml:2:11
          |
        2 | segment = '63kB'
          |           ^^^^^^
          = help: it is `16MB` if you do not say

        error: records are kept for an hour at least
         --> /home/ann/.config/tollgate/tollgate.toml:3:10
          |
        3 | retain = '59m'
          |          ^^^^^
          = help: to record nothing at all, write `enabled = false`

        2 errors
    "#]],
    );
    check(
        "segment = '1001MB'\nretain = 'for ever'\n",
        expect![[r#"
        error: `segment` must be between `64kB` and `1GB`
         --> /home/ann/.config/tollgate/tollgate.toml:2:11
          |
        2 | segment = '1001MB'
          |           ^^^^^^^^
          = help: it is `16MB` if you do not say

        error: `for ever` is no length of time
         --> /home/ann/.config/tollgate/tollgate.toml:3:10
          |
        3 | retain = 'for ever'
          |          ^^^^^^^^^^
          = help: write a number and a unit: `30s`, `10m`, `1h`, `7d`

        2 errors
    "#]],
    );
    check(
        "segment = '16 MiB'\n",
        expect![[r#"
        error: `16 MiB` is no size
         --> /home/ann/.config/tollgate/tollgate.toml:2:11
          |
        2 | segment = '16 MiB'
          |           ^^^^^^^^
          = help: did you mean `16MB`?
    "#]],
    );
    check(
        "segment = 'large'\n",
        expect![[r#"
        error: `large` is no size
         --> /home/ann/.config/tollgate/tollgate.toml:2:11
          |
        2 | segment = 'large'
          |           ^^^^^^^
          = help: write a number and a unit: `64kB`, `16MB`, `1GB`
    "#]],
    );
    for right in ["segment = '64kB'", "segment = '1GB'", "retain = '1h'", "retain = '5000w'"] {
        assert!(load("", right, "", false).is_ok(), "{right}");
    }
}

#[test]
fn what_is_wrong_elsewhere_hides_nothing() {
    check(
        "keep = 'all'\nsegment = '1kB'\nanchor.file = 'head'\n",
        expect![[r#"
            error: `keep` cannot be `all`
             --> /home/ann/.config/tollgate/tollgate.toml:2:8
              |
            2 | keep = 'all'
              |        ^^^^^
              = help: it can be redacted, sealed or nothing

            error: `segment` must be between `64kB` and `1GB`
             --> /home/ann/.config/tollgate/tollgate.toml:3:11
              |
            3 | segment = '1kB'
              |           ^^^^^
              = help: it is `16MB` if you do not say

            error: `head` is no full path
             --> /home/ann/.config/tollgate/tollgate.toml:4:15
              |
            4 | anchor.file = 'head'
              |               ^^^^^^
              = help: write it from `/` on; `~` is not replaced

            3 errors
        "#]],
    );
}

#[test]
fn anchors() {
    check(
        "anchor = {}\n",
        expect![[r#"
        error: `anchor` is empty
         --> /home/ann/.config/tollgate/tollgate.toml:2:10
          |
        2 | anchor = {}
          |          ^^
          = help: it takes one of file, command, url
    "#]],
    );
    check(
        "anchor = { file = '/mnt/head', url = 'https://notary.example' }\n",
        expect![[r#"
        error: `anchor` takes one key, and this is a second
         --> /home/ann/.config/tollgate/tollgate.toml:2:32
          |
        2 | anchor = { file = '/mnt/head', url = 'https://notary.example' }
          |                                ^^^
          = help: choose one
    "#]],
    );
    check(
        "anchor = { fil = '/mnt/head' }\n",
        expect![[r#"
        error: `anchor` has no key `fil`
         --> /home/ann/.config/tollgate/tollgate.toml:2:12
          |
        2 | anchor = { fil = '/mnt/head' }
          |            ^^^
          = help: did you mean `file`?
    "#]],
    );
    check(
        "anchor = { command = 'publish-head --now' }\n",
        expect![[r#"
        error: `command` must be a list, and this is a text
         --> /home/ann/.config/tollgate/tollgate.toml:2:22
          |
        2 | anchor = { command = 'publish-head --now' }
          |                      ^^^^^^^^^^^^^^^^^^^^
          = help: in brackets: ["…"]
    "#]],
    );
    check(
        "anchor = { command = [] }\n",
        expect![[r#"
        error: `command` names no program
         --> /home/ann/.config/tollgate/tollgate.toml:2:22
          |
        2 | anchor = { command = [] }
          |                      ^^
          = help: the program, then its arguments: ["publish-head"]
    "#]],
    );
    check(
        "anchor = { command = ['', 'x'] }\n",
        expect![[r#"
        error: `command` names no program
         --> /home/ann/.config/tollgate/tollgate.toml:2:22
          |
        2 | anchor = { command = ['', 'x'] }
          |                      ^^^^^^^^^
          = help: the program, then its arguments: ["publish-head"]
    "#]],
    );
    check(
        "anchor = { file = '~/head' }\n",
        expect![[r#"
            error: `~/head` is no full path
             --> /home/ann/.config/tollgate/tollgate.toml:2:19
              |
            2 | anchor = { file = '~/head' }
              |                   ^^^^^^^^
              = help: write it from `/` on; `~` is not replaced
        "#]],
    );
    check(
        "anchor = { file = '/mnt/other/' }\n",
        expect![[r#"
        error: `/mnt/other/` is a folder
         --> /home/ann/.config/tollgate/tollgate.toml:2:19
          |
        2 | anchor = { file = '/mnt/other/' }
          |                   ^^^^^^^^^^^^^
          = help: name the file in it
    "#]],
    );
    check(
        "anchor = { url = 'notary.example' }\n",
        expect![[r#"
        error: `notary.example` is no address of a service
         --> /home/ann/.config/tollgate/tollgate.toml:2:18
          |
        2 | anchor = { url = 'notary.example' }
          |                  ^^^^^^^^^^^^^^^^
          = help: begin it with `https://`
    "#]],
    );
    check(
        "anchor = { url = 'https:///heads' }\n",
        expect![[r#"
        error: `https:///heads` is no address of a service
         --> /home/ann/.config/tollgate/tollgate.toml:2:18
          |
        2 | anchor = { url = 'https:///heads' }
          |                  ^^^^^^^^^^^^^^^^
          = help: name the host after `//`
    "#]],
    );
    check(
        "anchor = { url = 'http://notary.example/heads' }\n",
        expect![[r#"
        warning: the head would travel unprotected
         --> /home/ann/.config/tollgate/tollgate.toml:2:12
          |
        2 | anchor = { url = 'http://notary.example/heads' }
          |            ^^^
          = help: somebody on the way could hold it back; `https://` is safer
    "#]],
    );
    check("anchor = { url = 'http://localhost:8080/heads' }\n", expect![[""]]);
    check("[audit.anchor]\nurl = 'https://notary.example/heads'\n", expect![[""]]);
}

#[test]
fn an_anchor_that_does_not_hold_is_not_warned_of() {
    let url = "anchor.url = 'http://notary.example'";
    check_layers(
        "anchor.file = '/mnt/head'",
        url,
        "",
        false,
        expect![[r#"
        anchor Some(File("/mnt/head"))
        /home/ann/.config/tollgate/tollgate.toml:2: `audit.anchor`
          the machine's policy says otherwise
    "#]],
    );
    check_layers(
        "",
        "",
        url,
        false,
        expect![[r#"
        /work/tollgate.toml:2: `audit.anchor`
          this file is not trusted as it is now; read it, then run `tollgate trust`
    "#]],
    );
}
