//! What somebody reads who types `tollgate --help` for the first time.

mod common;

use common::Sandbox;
use expect_test::expect;

#[test]
fn every_command_is_listed_with_one_line_in_the_order_in_which_one_meets_them() {
    let short = Sandbox::new().run(&["-h"]).out;
    let (_, listed) = short.split_once("Commands:\n").unwrap();
    let (listed, _) = listed.split_once("\n\n").unwrap();
    expect![[r#"
          try          See it at work: a short session of an agent, in a scratch folder
          init         Register with the coding agents of this machine
          doctor       Prove that every agent's calls are judged, and say what is not
          status       What is enforced, where, since when, and what was refused last
          check        Check the policy files; show what is enforced, and from where
          explain      Say what a call does and what would be decided, and why
          test         Run the examples of all rules, and case files
          rules        List rules, show one, or list what they can speak of
          trust        Let a project's files relax policy and run hooks, as they are now
          pause        Stop nothing for a while. Only a person can do this
          resume       End a pause or a halt. Only a person can do this
          halt         Refuse every call of every agent. Anybody can do this
          key          Make a key with which programs may do what only people may
          log          What agents did: list it, show one record, prove it unchanged
          replay       Run recorded calls through another policy and show what changes
          uninstall    Take out of agents' settings what `tollgate init` put in
          hook         Answer the hook of an agent. Agents run this, not people
          completions  Print completions for a shell
          man          Print the manual page
          help         Print this message or the help of the given subcommand(s)
    "#]]
    .assert_eq(&listed.lines().map(|line| format!("{}\n", &line[2..])).collect::<String>());
    let long = Sandbox::new().run(&["--help"]).out;
    assert!(long.contains(listed), "both helps list the same:\n{long}");
    for line in long.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn every_command_has_a_help_of_its_own() {
    let sandbox = Sandbox::new();
    let short = sandbox.run(&["-h"]).out;
    let listed = short.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = listed.filter(|word| word.chars().all(char::is_alphabetic) && !word.is_empty()).collect();
    assert!(commands.contains(&"try") && commands.contains(&"man"), "{commands:?}");
    for command in commands.into_iter().filter(|word| *word != "help" && *word != "tollgate") {
        let ran = sandbox.run(&[command, "--help"]);
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.all());
        assert!(ran.out.contains(&format!("Usage: tollgate {command}")), "{command}: {}", ran.out);
    }
}
