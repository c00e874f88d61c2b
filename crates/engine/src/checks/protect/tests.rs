use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
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
        let places = Places::of(&paths, Some(self.path("bin/tollgate")));
        let clock = Arc::new(ManualClock::default());
        let mut registry = Registry::new(tollgate_wire::names(), clock, tollgate_wire::digest);
        registry.add(Protect::registration(places, Arc::new(Disk::new(self.0.to_str().map(str::to_owned))))).unwrap();
        let pipeline = registry.snapshot();
        let (name, cwd) = (pipeline.name(tool), self.path("app"));
        let event = Event { cwd: cwd.to_str(), ..Event::tool(Point::ToolBefore, &name, "1") };
        let root = self.0.to_str().unwrap();
        let arguments = arguments.to_string().replace("ROOT", root);
        match pipeline.run_now(&event, &mut tollgate_wire::body(arguments.into_bytes())).act {
            Act::Stop(ruling) => Some(ruling.reason.replace(root, "ROOT")),
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
    let reason = machine.said("mcp__fs__write_file", &json!({ "path": "~/config/tollgate.toml" }));
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

#[test]
fn a_manifest_that_cannot_be_read_changes_nothing_else() {
    let machine = Machine::new();
    fs::write(machine.path("gate/data/installed.json"), "no json").unwrap();
    assert_eq!(machine.said("Bash", &json!({ "command": "rm ROOT/agent/settings.json" })), None);
    assert!(machine.said("Bash", &json!({ "command": "rm ROOT/gate/data/installed.json" })).is_some());
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
        let places = Places::default().with_hooks(&plan.hooks).found(&Disk::default());
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
