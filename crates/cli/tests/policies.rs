//! The policies in `examples/policies` hold: all examples of their rules, and their case files.

mod common;

use common::Sandbox;

#[test]
fn example_policies_do_what_they_say() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies");
    for (name, cases) in [("guards", 5), ("github", 7)] {
        let path = |file: String| folder.join(file).to_str().unwrap().to_owned();
        let (policy, tests) = (path(format!("{name}.toml")), path(format!("tests/{name}.toml")));
        let sandbox = Sandbox::new();
        let ran = sandbox.run(&["--config", &policy, "test", &tests, "--json"]);
        let report = ran.json();
        assert_eq!(
            (&report["failed"], report["cases"].as_array().map(Vec::len)),
            (&0.into(), Some(cases)),
            "{report:#}"
        );
    }
}
