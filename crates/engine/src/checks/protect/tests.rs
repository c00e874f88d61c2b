use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate_config::Paths;
use tollgate_core::{Act, Registry};
use tollgate_testkit::ManualClock;

use super::*;
use crate::Disk;

/// A machine: a home with everything where nobody expects it.
struct Machine(PathBuf);

impl Machine {
    fn new() -> Self {
        let root = std::env::temp_dir().canonicalize().unwrap();
        let root = root.join(format!("tollgate-protect-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for folder in
            ["gate/state/audit", "app/dir", "tools", "gate/data", "gate/cache", "config", "bin", "app/src", "agent"]
        {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in
            ["config/tollgate.toml", "app/tollgate.toml", "agent/settings.json", "bin/tollgate", "tools/guard.sh"]
        {
            fs::write(root.join(file), "").unwrap();
        }
        symlink(root.join("agent"), root.join("app/linked")).unwrap();
        let files = json!({ "files": [{ "path": root.join("agent/settings.json"), "agent": "claude-code" }] });
        fs::write(root.join("gate/data/installed.json"), files.to_string()).unwrap();
        Self(root)
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }

    fn said(&self, tool: &str, arguments: &Value) -> Option<String> {
        let [user, project] = ["config/tollgate.toml", "app/tollgate.toml"].map(|file| Some(self.path(file)));
        let [state, cache, data] = ["gate/state", "gate/cache", "gate/data"].map(|folder| Some(self.path(folder)));
        let machine = Some(self.path("no/machine/tollgate.toml"));
        let paths = Paths { machine, user, project, state, cache, data, ..Paths::default() };
        let switch = |path: &str| SwitchFile { agent: "claude-code", path: path.into() };
        let others = SwitchFile { agent: "droid", path: ".factory/settings.json".into() };
        let switches = vec![switch(".claude/settings.local.json"), switch("/etc/claude-code/managed.json"), others];
        let places = Places::of(&paths, Some(self.path("bin/tollgate"))).with_switches(switches, &[]);
        let clock = Arc::new(ManualClock::default());
        let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
        registry.add(Protect::registration(places, Arc::new(Disk::new(self.0.to_str().map(str::to_owned))))).unwrap();
        let pipeline = registry.snapshot();
        let (name, cwd) = (pipeline.name(tool), self.path("app"));
        let event = Event { cwd: cwd.to_str(), ..Event::tool(Point::ToolBefore, &name, "1") };
        let root = self.0.to_str().unwrap();
        let arguments = arguments.to_string().replace("ROOT", root);
        match pipeline.run_now(&event, &mut tollgate_wire::body(arguments.into_bytes())).act {
            Act::Deny(ruling) => Some(ruling.reason.replace(root, "ROOT")),
            _ => None,
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn whatever_watches_the_agent_cannot_be_changed_by_it() {
    let machine = Machine::new();
    for command in [
        "echo x > ROOT/config/tollgate.toml",
        "sed -i s/a/b/ tollgate.toml",
        "rm -rf ROOT/gate",
        "rm -rf ROOT",
        "rm ROOT/gate/state/audit/*",
        "rm ROOT/config/*",
        "rm ROOT/config/toll*.toml",
        "rm ROOT/*/tollgate.toml",
        "rm ../bin/t?llgate",
        "mv ROOT/gate/state ROOT/elsewhere",
        "mv ROOT/gate ROOT/elsewhere",
        "cp x ROOT/bin/tollgate",
        "chmod -R a+w ROOT/gate",
        "touch ROOT/gate/state/pause.json",
        "rm linked/settings.json",
        "echo '{}' > ROOT/agent/settings.json",
        "cd .. && cd gate && rm state/halt",
        "F=ROOT/config/tollgate.toml; : > $F",
        "bash -c 'rm ROOT/gate/data/trust.json'",
        "python3 -c \"open('ROOT/gate/state/pause.json','w')\"",
        "echo > ../tollgate.toml",
        "echo > ROOT/no/machine/tollgate.toml",
        "cp tollgate.toml ROOT/config",
        "cp * ROOT/config/",
        "find ROOT/gate -type f | xargs rm",
        "find ROOT/gate -name '*.log' -exec rm {} +",
        "tar xf e.tar -C ~",
        "cd ~ && tar xf e.tar",
        "unzip e.zip -d ..",
        "cpio -idm -D ROOT/agent",
        "rsync -a evil/ ROOT/agent/",
        "cp -r evil/. ROOT/agent/",
        "cp -a evil/agent ..",
        "cp evil/settings.json ROOT/agent",
    ] {
        assert!(machine.said("Bash", &json!({ "command": command })).is_some(), "{command}");
    }
    for (tool, arguments) in [
        ("Write", json!({ "file_path": "ROOT/gate/state/pause.json", "content": "{}" })),
        ("Edit", json!({ "file_path": "ROOT/app/tollgate.toml", "old_string": "a", "new_string": "b" })),
        ("write_file", json!({ "file_path": "linked/settings.json", "content": "{}" })),
        (
            "apply_patch",
            json!({ "command": "*** Begin Patch\n*** Delete File: ROOT/agent/settings.json\n*** End Patch" }),
        ),
    ] {
        assert!(machine.said(tool, &arguments).is_some(), "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("mcp__fs__write_file", json!({ "path": "~/config/tollgate.toml", "content": "" })),
        ("mcp__fs__write_file", json!({ "path": "tollgate.toml", "content": "" })),
        ("mcp__fs__write_file", json!({ "path": "../gate/./data/trust.json" })),
        ("mcp__fs__write_file", json!({ "path": "linked/settings.json" })),
        ("mcp__fs__write_file", json!({ "path": "linked/../config/tollgate.toml" })),
        ("mcp__fs__write_file", json!({ "uri": "file://ROOT/config/tollgate%2Etoml" })),
        ("mcp__fs__write_file", json!({ "path": "$HOME/conf*/tollgate.toml" })),
        ("mcp__fs__write_file", json!({ "path": "../tollgate.toml" })),
        ("mcp__fs__move_file", json!({ "source": "~/config", "destination": "/tmp/x" })),
        ("mcp__fs__move_file", json!({ "source": "~/agent", "destination": "/tmp/x" })),
        ("mcp__a__write", json!({ "note": "ROOT/config/tollgate.toml" })),
        ("use_mcp_tool", json!({ "arguments": "{\"paths\": [\"ROOT/bin/tollgate\"]}" })),
        ("order_pizza", json!({ "a": [{ "b": " ROOT/gate/state/halt " }] })),
        ("put_files", json!({ "files": { "ROOT/gate/state/halt": "x" } })),
    ] {
        assert!(machine.said(tool, &arguments).is_some(), "{tool} {arguments}");
    }
    let reason = machine.said("order_pizza", &json!({ "topping": "~/config/tollgate.toml" }));
    assert_eq!(
        reason.as_deref(),
        Some(
            "this is given ~/config/tollgate.toml, which changes the policy, the record or the hooks that watch the \
             agent; a human can do that"
        )
    );
    let reason = machine.said("Bash", &json!({ "command": "rm ROOT/bin/tollgate" }));
    assert_eq!(
        reason.as_deref(),
        Some(
            "this deletes ROOT/bin/tollgate, which changes the policy, the record or the hooks that watch the agent; \
             a human can do that"
        )
    );
}

#[test]
fn work_around_it_goes_on() {
    let machine = Machine::new();
    for command in [
        "cat ROOT/config/tollgate.toml",
        "ls -R ROOT/gate",
        "echo x > src/main.rs",
        "rm -rf src",
        "rm *.bak",
        "rm ROOT/*.bak",
        "mkdir -p ROOT/configured",
        "echo x > src/tollgate.toml",
        "touch ROOT/gateway",
        "rm -rf $SOMEWHERE/state",
        "ROOT/bin/tollgate check",
        "chmod +x ROOT/bin",
        "rm -rf ROOT/no",
        "tar xf e.tar",
        "tar xf e.tar -C dir",
        "cp -r dir/. .",
        "cp -r dir ROOT/configured",
        "cp notes.txt ROOT/agent",
        "mkdir -p ROOT/agent",
    ] {
        assert_eq!(machine.said("Bash", &json!({ "command": command })), None, "{command}");
    }
    for (tool, arguments) in [
        ("Read", json!({ "file_path": "ROOT/config/tollgate.toml" })),
        ("Write", json!({ "file_path": "ROOT/app/src/main.rs", "content": "ROOT/config/tollgate.toml" })),
        ("mcp__fs__read_file", json!({ "path": "ROOT/config/tollgate.toml" })),
        ("mcp__fs__write_file", json!({ "path": "src/main.rs", "content": "see ROOT/config/tollgate.toml" })),
        ("mcp__fs__write_file", json!({ "path": "src/main.rs", "glob": "**/*", "folder": "ROOT" })),
        ("mcp__fs__move_file", json!({ "source": "src", "destination": "ROOT/elsewhere" })),
        ("Task", json!({ "prompt": "look at\nROOT/config/tollgate.toml" })),
    ] {
        assert_eq!(machine.said(tool, &arguments), None, "{tool} {arguments}");
    }
}

/// Every way to a file by which a command was seen to pass, and what is like it.
#[track_caller]
fn check(machine: &Machine, refused: &[&str], passed: &[&str]) {
    let said = |command: &str| machine.said("Bash", &json!({ "command": command }));
    let silent: Vec<_> = refused.iter().filter(|command| said(command).is_none()).collect();
    let stopped: Vec<_> = passed.iter().filter_map(|command| Some((command, said(command)?))).collect();
    assert!(silent.is_empty() && stopped.is_empty(), "passed: {silent:#?}\nrefused: {stopped:#?}");
}

#[test]
fn proc_is_no_way_around() {
    let machine = Machine::new();
    symlink("/proc/self/root", machine.path("app/top")).unwrap();
    symlink("/proc/self/cwd", machine.path("app/here")).unwrap();
    let refused = [
        "echo x >> /proc/self/rootROOT/gate/state/pause.json",
        "echo x >> /proc/thread-self/rootROOT/gate/state/pause.json",
        "echo x >> /proc/$$/rootROOT/gate/state/pause.json",
        "echo x >> /proc/1/task/1/rootROOT/gate/state/pause.json",
        "echo x >> /proc/self/root/../..ROOT/gate/state/pause.json",
        "cp e/tollgate /proc/self/rootROOT/bin/",
        "cp e /proc/self/cwd/tollgate.toml",
        "cp e /proc/self/cwd/../config/tollgate.toml",
        "cd .. && cp e /proc/self/cwd/config/tollgate.toml",
        "cp e /dev/fd/../cwd/tollgate.toml",
        "cp e topROOT/config/tollgate.toml",
        "cd .. && cp e app/here/config/tollgate.toml",
        "ln -s /proc/self/root r; cp e rROOT/config/tollgate.toml",
        "cp e /proc/4242/cwd/x",
        "cp e /proc/4242/cwd/../x",
        "cp e /proc/4242/fd/3",
        "cp e /proc/self/fd/7/settings.json",
        "cp e /dev/stdin/settings.json < ROOT/agent",
        "echo '{}' > /dev/stdin < ROOT/agent/settings.json",
        "tee /dev/fd/0 < ROOT/agent/settings.json",
        "exec 3< ROOT/agent/settings.json; echo '{}' > /dev/fd/3",
        "exec 3< ROOT/agent/settings.json; echo '{}' > /proc/self/fd/3",
        "echo '{}' 1<> ROOT/agent/settings.json",
        "cp e /proc/self/$X/settings.json",
    ];
    let passed = [
        "echo x > /dev/stderr",
        "echo x > /dev/null",
        "echo x > /proc/self/fd/2",
        "echo x > /proc/1/fd/1",
        "echo 500 > /proc/$$/oom_score_adj",
        "cat a | tee /dev/stderr >(gzip > a.gz)",
        "exec 3> log; echo x > /dev/fd/3",
        "cp a /proc/self/cwd/b",
        "cat /proc/4242/cwd/x /dev/stdin",
    ];
    check(&machine, &refused, &passed);
    for path in ["/proc/self/rootROOT/config/tollgate.toml", "/proc/self/cwd/x", "/proc/9/fd/3", "topROOT/bin/tollgate"]
    {
        assert!(machine.said("mcp__fs__write_file", &json!({ "path": path })).is_some(), "{path}");
    }
}

#[test]
fn another_name_for_a_file_is_that_file() {
    let machine = Machine::new();
    fs::write(machine.path("gate/state/pause.json"), "").unwrap();
    for (file, name) in [("bin/tollgate", "app/x"), ("gate/state/pause.json", "app/y"), ("tools/guard.sh", "app/b")] {
        fs::hard_link(machine.path(file), machine.path(name)).unwrap();
    }
    let refused = [
        "ln ROOT/bin/tollgate z",
        "ln ../bin/toll* .",
        "link ROOT/bin/tollgate z",
        "ln -f tollgate.toml z",
        "cp -l ROOT/agent/settings.json z",
        "cp -rl ROOT/agent z",
        "ln linked/settings.json z",
        "python3 -c \"import os; os.link('ROOT/bin/tollgate', 'z')\"",
        "cp /bin/true x",
        "echo > y",
        "chmod 777 x",
    ];
    check(
        &machine,
        &refused,
        &["ln src z", "ln a b", "ln -s ROOT/bin/tollgate z", "cp a b", "echo > b", "rm x", "cat x"],
    );
    assert!(machine.said("Write", &json!({ "file_path": "ROOT/app/x", "content": "" })).is_some());
    assert!(machine.said("mcp__fs__write_file", &json!({ "path": "ROOT/app/y", "content": "" })).is_some());
}

/// Whoever changes something then may change what is registered.
#[test]
fn a_note_of_registrations_that_cannot_be_read_lets_nothing_be_changed() {
    let machine = Machine::new();
    fs::write(machine.path("gate/data/installed.json"), "{").unwrap();
    let said = |command: &str| machine.said("Bash", &json!({ "command": command }));
    let reason = said("echo {} > ROOT/agent/settings.json").unwrap_or_default();
    assert!(reason.contains("what is registered cannot be read"), "{reason}");
    assert_eq!((said("ls"), said("cat ROOT/agent/settings.json")), (None, None));
}

/// The system goes up from where a link leads; a shell that changes its folder, from where the link lies.
#[test]
fn above_a_link_is_above_where_it_leads() {
    let machine = Machine::new();
    let refused = [
        "echo > linked/../gate/state/pause.json",
        "echo > ./linked/../gate/state/../state/pause.json",
        "rm -rf linked/../gate/state",
        "cp x linked/../bin/toll*",
        "cd linked/.. && echo > tollgate.toml",
    ];
    let harmless = ["echo > linked/../notes", "echo > src/../notes", "cd linked/.. && mkdir gate && echo > gate/x"];
    check(&machine, &refused, &harmless);
}

#[test]
fn what_is_copied_with_others_is_copied() {
    let machine = Machine::new();
    for folder in ["evil/agent", "kind"] {
        fs::create_dir_all(machine.path(folder)).unwrap();
    }
    let files =
        ["evil/settings.json", "evil/tollgate.toml", "evil/agent/settings.json", "evil/tollgate", "kind/notes.md"];
    for file in files {
        fs::write(machine.path(file), "").unwrap();
    }
    let refused = [
        "cp ROOT/evil/* ROOT/agent/",
        "cp ROOT/evil/*.json ROOT/agent",
        "cp ROOT/evil/s?tt* ROOT/agent/",
        "cp nowhere/* ROOT/agent/",
        // There is nothing yet, but nobody works in that folder; here it would replace something.
        "cp nowhere/* ROOT/no/machine/",
        "cp nowhere/* .",
        "cp ROOT/evil/$(ls ROOT/evil) ROOT/agent/",
        "cp $(cat list) ROOT/agent/",
        "cp $X ROOT/agent",
        "echo '{}' > ROOT/agent/$(cat name)",
        "echo '{}' > ROOT/agent/set$(cat name).json",
        "mv ROOT/evil/* ROOT/agent/",
        "install ROOT/evil/* ROOT/agent/",
        "install -t ROOT/bin ROOT/evil/*",
        "rsync ROOT/evil/* ROOT/agent/",
        "rsync -a ROOT/evil/ ROOT/agent",
        "rsync -a ROOT/evil/agent ROOT",
        "rsync -aR x ROOT",
        "rsync -a host:x/ ROOT/agent/",
        "ln -sf ROOT/kind/* ROOT/agent/",
        "ln -s ../kind/settings.json ROOT/agent",
        "cp ROOT/evil/* ROOT/bin/",
        "cp -r ROOT/evil/. ROOT/agent",
        "cp -r ROOT/evil/* ROOT",
        "cp -r ROOT/evil/agent ROOT",
        "cp --parents agent/settings.json ROOT",
        "cd ROOT/evil && cp -r . ../agent",
        "cp -r ROOT/evil/. .",
        "cp ROOT/evil/* .",
        "mkdir e; echo > e/tollgate.toml; cp -r e/. .",
        "echo > ROOT/kind/settings.json; cp ROOT/kind/* ROOT/agent",
        "cp -r ROOT/evil/. ROOT/kind; cp -r ROOT/kind/. ROOT/agent",
        "tar xf e.tar -C ROOT/kind; cp -r ROOT/kind/. ROOT/agent",
    ];
    let passed = [
        "cp ROOT/kind/* ROOT/agent/",
        "cp -r ROOT/kind/. ROOT/agent",
        "cp ROOT/evil/*.md ROOT/agent/",
        "rsync -a ROOT/kind/ ROOT/agent/",
        "install ROOT/kind/* ROOT/bin/",
        "cp -r src/. build/",
        "cp *.txt /tmp/x/",
        "cp $X .",
        "cp $X build/",
        "rsync -a src/ dst/",
        "cd src && mv * ../other/",
        "echo > ROOT/agent/notes-$(date).md",
        "cp ROOT/evil/tollgate.toml build/",
        "cp -r ROOT/evil build/",
        "mkdir e; echo > e/x; cp -r e/. dir/. .",
    ];
    check(&machine, &refused, &passed);
}

#[test]
fn files_that_turn_hooks_off_are_protected() {
    let machine = Machine::new();
    fs::create_dir_all(machine.path("evil")).unwrap();
    fs::write(machine.path("evil/settings.local.json"), "").unwrap();
    let refused = [
        "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json",
        "mkdir -p .claude && tee .claude/settings.local.json",
        "echo > ../.claude/settings.local.json",
        "cp -r ROOT/evil .claude",
        "cp ROOT/evil/* .claude/",
        "touch /etc/claude-code/managed.json",
    ];
    // Droid is not registered.
    let passed = ["echo > .factory/settings.json", "echo > src/.claude/settings.local.json", "echo > .claude/notes.md"];
    check(&machine, &refused, &passed);
    assert!(machine.said("Write", &json!({ "file_path": ".claude/settings.local.json", "content": "" })).is_some());
}

/// Whoever calls is registered.
#[test]
fn switches_count_for_who_calls() {
    let switches = || vec![SwitchFile { agent: "droid", path: "/home/ann/.factory/settings.json".into() }];
    for (callers, expected) in [(&["droid"][..], true), (&["codex"], false)] {
        let known = Places::default().with_switches(switches(), callers).found(&Disk::default());
        assert_eq!(known.paths.iter().any(|path| path.ends_with("settings.json")), expected, "{callers:?}");
    }
}

#[test]
fn programs_beside_the_one_that_was_started_are_protected() {
    let machine = Machine::new();
    let refused = ["cp e/tollgate-hook ROOT/bin/", "cp e ROOT/bin/tollgate-hook", "rm ../bin/tollgate*"];
    check(&machine, &refused, &["cp e ROOT/bin/mine", "cp e/mine ROOT/bin/"]);
}

/// Whoever wrote a hook, and wherever what it runs lies.
#[test]
fn what_hooks_run_is_protected() {
    use tollgate_config::{File, Layer, inspect};

    let folder = std::env::temp_dir().canonicalize().unwrap();
    let folder = folder.join(format!("tollgate-protect-hooks-{}", std::process::id()));
    for name in ["policy/own.sh", "tools/guard.sh"] {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), "").unwrap();
    }
    let file = folder.join("policy/tollgate.toml");
    let guard = folder.join("tools/guard.sh");
    let policy = format!(
        "[[hook]]\ncommand = 'sh {} || sh own.sh'\n[[hook]]\ncommand = ['sh', '../tools/guard.sh']\n",
        guard.display()
    );
    for (layer, policy) in [(Layer::User, policy.as_str()), (Layer::Project, "[[hook]]\ncommand = 'sh own.sh'\n")] {
        fs::write(&file, policy).unwrap();
        let plan = inspect(vec![File::read(layer, &file).unwrap().unwrap()], None, false).unwrap();
        let places = Places::default().with_hooks(&plan.hooks).found(&Disk::default()).paths;
        let is_known = |path: &Path| places.iter().any(|place| Path::new(place) == path);
        assert!(is_known(&folder.join("policy/own.sh")), "{layer:?} {places:?}");
        assert_eq!(is_known(&guard), layer == Layer::User, "{layer:?} {places:?}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// What was started is known under its own name, too.
#[test]
fn this_program_is_protected_as_it_was_called() {
    let called = PathBuf::from(std::env::args_os().next().unwrap());
    assert!(Places::of(&Paths::default(), None).paths.contains(&called), "{}", called.display());
}

#[test]
fn patterns() {
    for (pattern, name, expected) in [
        ("*", "", true),
        ("*", "a", true),
        ("toll*", "tollgate.toml", true),
        ("*.toml", "tollgate.toml", true),
        ("*.toml", "tollgate.tom", false),
        ("t?llgate.t[o0]ml", "tollgate.toml", true),
        ("*a*b", "aab", true),
        ("*a*b", "aba", false),
        ("a?", "a", false),
        ("[a", "[a", false),
        ("a", "ab", false),
        ("ab", "a", false),
    ] {
        assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
    }
    // Long ones neither take long nor break anything.
    assert!(fits("*".repeat(1 << 20).as_bytes(), b"tollgate.toml"));
    assert!(!fits(format!("{}b", "*a".repeat(1 << 18)).as_bytes(), "a".repeat(200).as_bytes()));
}
