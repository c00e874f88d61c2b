use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tollgate_rules::form::Mode;

use super::*;
use crate::load;

/// A user with a folder of their own, and a project in it.
struct User {
    root: PathBuf,
}

impl User {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("tollgate-cached-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("project")).unwrap();
        Self { root }
    }

    fn paths(&self) -> Paths {
        let env = |name: &str| match name {
            "HOME" => Some(self.root.join("home").into()),
            _ => None,
        };
        Paths { machine: None, ..Paths::find(&self.root.join("project"), None, env) }
    }

    fn write(&self, policy: &str) {
        fs::write(self.root.join("project/tollgate.toml"), policy).unwrap();
    }

    fn plans(&self) -> Vec<PathBuf> {
        let folder = self.paths().cache.unwrap();
        let mut all: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// What a plan says, as far as it is kept.
fn said(plan: &Plan) -> String {
    serde_json::to_string(plan).unwrap()
}

const POLICY: &str = r#"
workspace = ["sub"]
[tools]
deny = ["create_fork"]
[[rule]]
id = "no-prod"
any = [{ arg.command = { contains = "prod" } }, { effect = { kind = "delete", place = "outside" } }]
deny = "no"
suggest = "use staging"
examples.match = ["deploy prod"]
[[rule]]
id = "soft"
text = { regex = "a+b" }
on = "prompt.submit"
ask = { title = "sure?", timeout = "5m" }
[[limit]]
id = "few"
tool = "exec"
max = 3
every = "1h"
[[loop]]
tool = "*"
deny = 4
[[dedupe]]
tool = "post_*"
for = "1h"
[[require]]
tool = "post_*"
arg.draft = true
deny = "drafts only"
[[exception]]
rule = "no-prod"
tool = "exec"
until = 2999-01-01
reason = "because"
[override."git-safety/discard"]
decision = "ask"
[audit]
keep = "nothing"
retain = "30d"
"#;

#[test]
fn what_was_kept_is_compiled_once() {
    let user = User::new("once");
    let file = user.root.join("user.toml");
    let limit = "[[limit]]\nid = 'few'\ntool = 'x'\nmax = 3\n";
    fs::write(&file, format!("[packs]\nuse = []\n[[rule]]\nid = 'a'\ntool = 'y'\ndeny = 'no'\n{limit}")).unwrap();
    let paths = Paths { user: Some(file), ..user.paths() };
    for _ in 0..3 {
        let before = tollgate_rules::texts_compiled();
        load_cached(&paths).unwrap();
        assert_eq!(tollgate_rules::texts_compiled() - before, 2);
    }
}

/// Every key that a rule may have, each with the first of these values that it takes.
fn rules_of_one_key() -> impl Iterator<Item = (String, Rule)> {
    let values = json!([
        "x", true, 1, "deny", "observe", { "a": "x" }, { "tool": "x" }, [{ "tool": "x" }], { "provider": "p" },
        [{ "remove": ["a"] }], ["secrets"], { "match": ["ls"] }
    ]);
    let schema = crate::schemas().swap_remove(0).1;
    let keys: Vec<String> = schema["$defs"]["Rule"]["properties"].as_object().unwrap().keys().cloned().collect();
    assert!(keys.len() > 30, "{keys:?}");
    keys.into_iter().filter(|key| key != "id" && key != "examples").map(move |key| {
        let rule = |value: &Value| serde_json::from_value(json!({ "id": "a", key.as_str(): value })).ok();
        let rule = values.as_array().unwrap().iter().find_map(rule);
        (key.clone(), rule.unwrap_or_else(|| panic!("give an example of `{key}`")))
    })
}

#[test]
fn every_key_of_a_rule_is_kept() {
    for (key, form) in rules_of_one_key() {
        assert!(serde_json::to_value(&form).unwrap().get(&key).is_some(), "{key}");
        let rules = vec![Placed { form, origin: "user".into(), path: Vec::new() }];
        let plan = Plan { rules, ..Plan::default() };
        let kept: Plan = serde_json::from_str(&said(&plan)).unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_eq!(kept.rules, plan.rules, "{key}");
    }
}

#[test]
fn what_was_kept_says_what_was_worked_out() {
    let user = User::new("same");
    for policy in [None, Some(""), Some(POLICY)] {
        policy.inspect(|policy| user.write(policy));
        let paths = user.paths();
        let fresh = load(&paths).unwrap_or_else(|wrong| panic!("{wrong}"));
        let before = user.plans().len();
        let (first, second) = (load_cached(&paths).unwrap(), load_cached(&paths).unwrap());
        assert_eq!(user.plans().len(), before + 1, "each policy is kept once");
        assert_eq!(said(&first), said(&fresh));
        assert_eq!(said(&second), said(&fresh));
        assert!(same(&fresh, &first) && same(&fresh, &second));
        assert!(!same(&fresh, &Plan { mode: Mode::Observe, ..second.clone() }));
        let rules = |plan: &Plan| format!("{:?}", plan.compiled.as_ref().unwrap().list());
        assert_eq!(rules(&second), rules(&fresh));
    }
}

#[test]
fn a_policy_that_changes_holds_at_once() {
    let user = User::new("changes");
    user.write("");
    assert!(load_cached(&user.paths()).unwrap().tools.is_empty());
    user.write("[tools]\ndeny = ['x']\n");
    assert_eq!(load_cached(&user.paths()).unwrap().tools.len(), 1);
    user.write("[tools]\ndeny = 'x\n");
    assert!(load_cached(&user.paths()).is_err(), "mistakes are not hidden by what was right before");
    user.write("");
    assert!(load_cached(&user.paths()).unwrap().tools.is_empty());
}

#[test]
fn trust_that_is_given_or_taken_holds_at_once() {
    let user = User::new("trust");
    user.write("mode = 'observe'\n");
    let (paths, file) = (user.paths(), user.root.join("project/tollgate.toml"));
    assert_eq!(load_cached(&paths).unwrap().mode, Mode::Enforce);
    let trust = crate::Trust::at(paths.data().unwrap());
    trust.trust(crate::kind::CONFIG, &file, b"mode = 'observe'\n").unwrap();
    assert_eq!(load_cached(&paths).unwrap().mode, Mode::Observe);
    trust.revoke(crate::kind::CONFIG, &file).unwrap();
    assert_eq!(load_cached(&paths).unwrap().mode, Mode::Enforce);
}

#[test]
fn what_cannot_be_believed_is_worked_out_anew() {
    let user = User::new("believed");
    user.write("[tools]\ndeny = ['x']\n");
    let paths = user.paths();
    load_cached(&paths).unwrap();
    let plan = user.plans().remove(0);
    let good = fs::read(&plan).unwrap();
    let lying = {
        // A right digest over a plan that denies nothing, as whoever may write here could make it.
        let text = String::from_utf8(good[65..].to_vec()).unwrap().replace("\"deny\":[\"x\"]", "\"deny\":[]");
        format!("{}\n{text}", hex::encode(&Sha256::digest(text.as_bytes()))).into_bytes()
    };
    let flipped = {
        let mut bytes = good.clone();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    };
    let check = |bytes: &[u8], mode: u32, folder: u32| {
        fs::write(&plan, bytes).unwrap();
        fs::set_permissions(&plan, fs::Permissions::from_mode(mode)).unwrap();
        fs::set_permissions(plan.parent().unwrap(), fs::Permissions::from_mode(folder)).unwrap();
        load_cached(&paths).unwrap().tools[0].deny.len()
    };
    for broken in [&b""[..], b"garbage", &good[..64], &good[..good.len() / 2], &flipped] {
        assert_eq!(check(broken, 0o600, 0o700), 1, "{:?}", String::from_utf8_lossy(&broken[..broken.len().min(20)]));
    }
    assert_eq!(check(&lying, 0o666, 0o700), 1, "others may write the file");
    assert_eq!(check(&lying, 0o600, 0o777), 1, "others may write the folder");
    assert_eq!(check(&lying, 0o600, 0o700), 0, "the test must be able to fail");
}

#[test]
fn many_processes_may_keep_the_same_plan() {
    let user = User::new("many");
    user.write(POLICY);
    let paths = user.paths();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let paths = paths.clone();
            std::thread::spawn(move || (0..10).all(|_| load_cached(&paths).is_ok()))
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    assert_eq!(user.plans().iter().filter(|path| path.extension().is_none()).count(), 1);
}

#[test]
fn old_plans_go() {
    let user = User::new("sweep");
    for number in 0..MAX_KEPT + 9 {
        user.write(&format!("# {number}\n"));
        load_cached(&user.paths()).unwrap();
    }
    assert_eq!(user.plans().len(), MAX_KEPT);
}

#[test]
fn plans_go_that_nobody_asked_for_in_a_week() {
    let user = User::new("week");
    let kept = |number: u64| {
        let before = user.plans();
        user.write(&format!("# {number}\n"));
        load_cached(&user.paths()).unwrap();
        user.plans().into_iter().find(|path| !before.contains(path)).unwrap()
    };
    let plans = [6, 8].map(|days: u64| {
        let path = kept(days);
        let then = SystemTime::now() - Duration::from_secs(days * 86_400);
        fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        path
    });
    let new = kept(0);
    assert_eq!([&plans[0], &plans[1], &new].map(|path| path.exists()), [true, false, true]);
}

const HOOKED: &str = "[[hook]]\nid = 'guard'\ncommand = './guard.sh'\ntimeout = '2s'\n";

impl User {
    fn script(&self, text: &str) {
        let path = self.root.join("project/guard.sh");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Trusts the hooks of a file as they are now.
    fn trust_hooks(&self, file: &str) {
        let (paths, path) = (self.paths(), self.root.join(file));
        let plan = load(&paths).unwrap();
        let file = plan.files.iter().find(|file| file.path == path).unwrap();
        let manifest = Hook::manifest(file, &plan.hooks);
        crate::Trust::at(paths.data().unwrap()).trust(crate::kind::HOOKS, &path, manifest.as_bytes()).unwrap();
    }

    /// What the hooks come to, or why not. With a cache, filled or not, it is the same as without.
    fn hooks(&self) -> String {
        let paths = self.paths();
        let told = |plan: Result<Plan, Diagnostics>| {
            let hook = |hook: &Hook| format!("{} {}", hook.id, if hook.trusted { "runs" } else { "does not run" });
            plan.map(|plan| plan.hooks.iter().map(hook).collect::<Vec<_>>().join(", "))
                .unwrap_or_else(|wrong| wrong.brief())
        };
        let fresh = load(&paths);
        for _ in 0..2 {
            let cached = load_cached(&paths);
            if let (Ok(fresh), Ok(cached)) = (&fresh, &cached) {
                assert!(same(fresh, cached), "{:#?}\n{:#?}", fresh.hooks, cached.hooks);
            }
            assert_eq!(told(cached), told(load(&paths)));
        }
        told(fresh)
    }
}

#[test]
fn hooks_are_looked_at_at_each_use() {
    let user = User::new("hooks");
    type Step = (&'static str, fn(&User), &'static str);
    let steps: [Step; 11] = [
        ("nothing is trusted", |_| (), "guard does not run"),
        ("trusted", |user| user.trust_hooks("project/tollgate.toml"), "guard runs"),
        ("a changed script", |user| user.script("#!/bin/sh\nexit 1\n"), "guard does not run"),
        ("the script as it was", |user| user.script("#!/bin/sh\n"), "guard runs"),
        ("a changed manifest", |user| user.write(&HOOKED.replace("2s", "3s")), "guard does not run"),
        ("trusted again", |user| user.trust_hooks("project/tollgate.toml"), "guard runs"),
        (
            "a script that is gone",
            |user| fs::remove_file(user.root.join("project/guard.sh")).unwrap(),
            "no such script",
        ),
        ("the script again", |user| user.script("#!/bin/sh\n"), "guard runs"),
        (
            "a damaged store",
            |user| fs::write(user.paths().data().unwrap().join("trust.json"), "x").unwrap(),
            "guard does not run",
        ),
        (
            "an empty store",
            |user| fs::remove_file(user.paths().data().unwrap().join("trust.json")).unwrap(),
            "guard does not run",
        ),
        ("trusted anew", |user| user.trust_hooks("project/tollgate.toml"), "guard runs"),
    ];
    user.write(HOOKED);
    user.script("#!/bin/sh\n");
    let mut before = basis(&user.paths(), today(), &[]);
    for (what, change, expected) in steps {
        change(&user);
        let now = basis(&user.paths(), today(), &load(&user.paths()).map(|plan| plan.hooks).unwrap_or_default());
        assert_ne!(now, std::mem::replace(&mut before, now.clone()), "{what}");
        assert!(now.hooks.is_empty() || now.hooks == load_cached(&user.paths()).unwrap().hooks, "{what}");
        let gone = format!("{}:3:12: there is no file `./guard.sh`", user.root.join("project/tollgate.toml").display());
        let expected = if expected == "no such script" { &*gone } else { expected };
        assert_eq!(user.hooks(), expected, "{what}");
    }
    let file = user.root.join("project/tollgate.toml");
    crate::Trust::at(user.paths().data().unwrap()).revoke(crate::kind::HOOKS, &file).unwrap();
    assert_eq!(user.hooks(), "guard does not run", "trust that was taken back");
    assert_eq!(user.plans().len(), 2, "each of the two policies is kept once");
}

#[test]
fn hooks_in_a_file_of_their_own_are_looked_at_too() {
    let user = User::new("beside");
    let file = user.root.join("project/.tollgate/workspace.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let write = |text: &str| fs::write(&file, text).unwrap();
    user.write("");
    user.script("#!/bin/sh\n");
    write(r#"{"hooks": {"preToolUse": [{"command": "./guard.sh"}]}}"#);
    assert_eq!(user.hooks(), "preToolUse-1 does not run");
    user.trust_hooks("project/.tollgate/workspace.json");
    assert_eq!(user.hooks(), "preToolUse-1 runs");
    write(r#"{"hooks": {"preToolUse": [{"command": "./guard.sh"}], "stop": [{"command": "true"}]}}"#);
    assert_eq!(user.hooks(), "preToolUse-1 does not run, stop-1 does not run");
    fs::remove_file(&file).unwrap();
    assert_eq!(user.hooks(), "");
    assert_eq!(user.plans().len(), 3);
}

#[test]
fn a_kept_plan_cannot_say_what_is_trusted() {
    let user = User::new("poisoned");
    user.write(HOOKED);
    user.script("#!/bin/sh\n");
    assert_eq!(user.hooks(), "guard does not run");
    let plan = user.plans().remove(0);
    let good = String::from_utf8(fs::read(&plan).unwrap()[65..].to_vec()).unwrap();
    let pin = r#"{"id":"guard","trusted":true,"pins":[],"program":{"argv":["/bin/true"],"folder":"/"}"#;
    let lies = [
        good.replace(r#"{"id":"guard""#, pin),
        // Then no file is its own, and everything is worked out anew.
        good.replace(r#""origin":"project","file""#, r#""origin":"user","file""#),
        good.replace(r#""command":"./guard.sh""#, r#""command":"./no-such.sh""#),
    ];
    for lie in lies {
        assert_ne!(lie, good);
        fs::write(&plan, format!("{}\n{lie}", tollgate_wire::hex::encode(&Sha256::digest(lie.as_bytes())))).unwrap();
        fs::set_permissions(&plan, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(user.hooks(), "guard does not run", "{lie}");
    }
}
