//! Any input gets an answer after a bounded number of steps: nothing hangs, nothing overflows the stack, and what is
//! too complex to follow says so. A hang shows as a test that never ends; the work is counted, not timed.

use tollgate_shell::{Effect, Flag, Kind, Surroundings, understand};

fn effects(command: &str) -> Vec<Effect> {
    let around = Surroundings { cwd: Some("/home/ann/app"), home: Some("/home/ann"), ..Surroundings::default() };
    understand(command, &around)
}

fn is_too_complex(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| effect.kind == Kind::Unknown && effect.flags.has(Flag::Force))
}

/// Something that opens, again and again.
#[test]
fn nesting_is_answered() {
    for open in [
        "(",
        "( ",
        "{ ",
        "$(",
        "$((",
        "((",
        "${a:-",
        "${",
        "\"$(",
        "`",
        "\\`",
        "<(",
        "@(",
        "a@(",
        "$[",
        "a[",
        "{a,",
        "{",
        "[[ ",
        "if a; then ",
        "while a; do ",
        "for a in b; do ",
        "case a in a) ",
        "f() { ",
        "f()",
        "function f ",
        "coproc a ",
        "! ",
        "time ",
        "a=(",
        "a=$(",
        "<<E ",
        "x() (",
        "eval ",
        "sudo ",
        "bash -c '",
        "\"",
        "'",
        "\\",
        "$",
        "$'",
        "~",
        "&",
        ";",
        "|",
    ] {
        for count in [1, 10, 100, 5_000] {
            effects(&open.repeat(count));
            effects(&format!("{}rm -rf /", open.repeat(count)));
        }
    }
}

/// What is nested too deeply is never taken for harmless.
#[test]
fn too_deep_is_said() {
    for (open, close) in
        [("$(", ")"), ("( ", " )"), ("{ ", "; }"), ("\"$(", ")\""), ("${a:-$(", ")}"), ("if ", "; then a; fi")]
    {
        let command = format!("echo {}rm -rf /{}", open.repeat(500), close.repeat(500));
        let command = if open.starts_with(['(', '{', 'i']) { command.replacen("echo ", "", 1) } else { command };
        assert!(is_too_complex(&effects(&command)), "{open}");
    }
}

/// Little text that stands for much work.
#[test]
fn bombs_are_said() {
    let doubling = "a=aaaaaaaa;".to_owned() + &"a=$a$a;".repeat(40);
    let braces = format!("echo {}", "{a,b}".repeat(30));
    let loops = "for a in 1 2 3 4 5 6 7 8 9 0; do ".repeat(9) + "echo $a" + &"; done".repeat(9);
    let calls: String = (1..30).map(|n| format!("f{n}() {{ f{0}; f{0}; }};", n + 1)).collect::<String>() + "f1";
    let lines = "x=$(cat <<E\n".to_owned()
        + &"a b c d e f g h\n".repeat(100)
        + "E\n);"
        + &"x=\"$x $x\";".repeat(30)
        + "echo $x";
    for bomb in [doubling, braces, loops, calls, lines] {
        let effects = effects(&bomb);
        assert!(is_too_complex(&effects), "{}", bomb.chars().take(60).collect::<String>());
    }
}

/// A megabyte of anything.
#[test]
fn long_input_is_answered() {
    const LENGTH: usize = 1_000_000;
    for unit in [
        "a;",
        "a|",
        "a b ",
        "'a' ",
        "\"a\" ",
        "$a ",
        "a=b ",
        "\n",
        "# a\n",
        "cat <<E\na\nE\n",
        "[a]",
        "{a,b} ",
        "é",
        "\\\n",
    ] {
        let text = unit.repeat(LENGTH / 10 / unit.len());
        assert!(!is_too_complex(&effects(&text)), "{unit:?} is long, not complex");
    }
    effects(&"\u{FFFF}".repeat(LENGTH / 3));
    effects(&"9".repeat(LENGTH));
}

/// Ordinary work is not near any bound.
#[test]
fn ordinary_scripts_are_not_too_complex() {
    let script = r#"
        set -euo pipefail
        for i in {1..1000}; do for j in a b c d e; do
            if [ "$i" -gt 5 ]; then echo "$i $j" >> out.txt; fi
        done; done
        while read -r line; do printf '%s\n' "${line%%,*}"; done < data.csv
        declare -A seen; for f in src/*.rs; do seen[$f]=1; done
        a=(); for n in $(seq 100); do a+=("$n"); done; echo "${a[@]}"
    "#;
    assert!(!is_too_complex(&effects(script)));
}

#[test]
fn numbers_out_of_range_are_text() {
    for (command, expected) in [
        ("rm {1..99999999999999999999}", "delete {1..99999999999999999999}"),
        (
            "rm x{-9223372036854775808..-9223372036854775807}",
            "delete x-9223372036854775808, delete x-9223372036854775807",
        ),
        ("rm {9223372036854775806..9223372036854775807}", "delete 9223372036854775806, delete 9223372036854775807"),
        ("echo x 99999999999999999999>f", "overwrite f"),
        ("rm $((9223372036854775807 + 1)) $((1 << 99)) $((-9223372036854775808 / -1)) $((1 / 0))", "delete …"),
        ("rm ${a:99999999999999999999}", "delete …"),
        ("rm {y..z..0} {1..2..-9223372036854775808}", "delete y, delete z, delete {1..2..-9223372036854775808}"),
        ("shift 99999999999999999999; rm a", "delete a"),
        ("rm ${99999999999999999999}", "delete …"),
        ("a[-9223372036854775808]=1; rm ${a[-9223372036854775808]}", "delete 1"),
        ("set -- a; rm ${@:9223372036854775807:9223372036854775807} b", "delete b"),
        ("x=abc; rm ${x: -9223372036854775808} ${x:1:-9223372036854775808}", "delete …"),
        ("rm $'\\U7fffffff\\xfg\\777'", "delete \u{f}g\u{fffd}"),
    ] {
        let short = |effect: &Effect| {
            let path = effect.path.as_deref().unwrap_or_default();
            format!("{} {}", effect.kind, path.trim_start_matches("/home/ann/app/"))
        };
        assert_eq!(effects(command).iter().map(short).collect::<Vec<_>>().join(", "), expected, "{command}");
    }
}

#[test]
fn what_is_too_long_is_not_read_and_not_let_through() {
    let command = format!("echo {}", "x".repeat(tollgate_shell::MAX_LENGTH));
    let effects = tollgate_shell::understand(&command, &tollgate_shell::Surroundings::default());
    let shown: Vec<_> =
        effects.iter().map(|effect| (effect.kind, effect.flags.has(tollgate_shell::Flag::Force))).collect();
    assert_eq!(shown, [(tollgate_shell::Kind::Unknown, true)]);
}
