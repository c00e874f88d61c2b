//! Commands that hide what they do where shells read differently, or in text that is expanded once more; and their
//! harmless neighbours.

use tollgate_shell::{Effect, Flag, Kind, Surroundings, understand};

fn effects(command: &str) -> Vec<Effect> {
    let around = Surroundings { cwd: Some("/home/ann/app"), home: Some("/home/ann"), ..Surroundings::default() };
    understand(command, &around)
}

/// Each of these deletes the home of whoever runs it.
fn check_seen(commands: &[&str]) {
    let seen = |command: &&&str| {
        let deletes = |effect: &Effect| effect.kind == Kind::Delete && effect.path.as_deref() == Some("/home/ann");
        effects(command).iter().any(deletes)
    };
    let missed: Vec<_> = commands.iter().filter(|command| !seen(command)).collect();
    assert!(missed.is_empty(), "not seen: {missed:#?}");
}

/// Commands and the kinds of what they do.
fn check_kinds(rows: &[(&str, &str)]) {
    for (command, expected) in rows {
        let kinds: Vec<_> = effects(command).iter().map(|effect| effect.kind.name()).collect();
        assert_eq!(kinds.join(" "), *expected, "{command}");
    }
}

#[test]
fn what_posix_reads_differently() {
    check_seen(&[
        "sh -c '((rm -rf ~))'",
        "((rm -rf ~))",
        "echo '((rm -rf ~))' | sh",
        "eval '((rm -rf ~))'",
        "x='(('; eval \"${x}rm -rf ~))\"",
        "sh -c \"sh -c '((rm -rf ~))'\"",
        "f() { rm -rf ~; }; ((f))",
        "((rm -rf /home/ann))",
        "((cd /home; rm -rf ann))\nnot ) grammar",
        "PAGER='((rm -rf ~))' git log",
        "dash -c '[[ x || rm -rf ~ ]]'",
        "[[ x || rm -rf ~ ]]",
        "x='rm -rf /home/ann'; [[ a || $x ]]",
        "dash -c 'true &> /tmp/x rm -rf ~'",
        "true &>> /tmp/x rm -rf ~",
        "dash -c \"echo $'a\\'; rm -rf ~ #'\"",
        "echo $'a\\'; rm -rf ~ #'",
        "sh <<'E'\n((rm -rf ~))\nE",
    ]);
}

#[test]
fn indexes_are_expanded_again() {
    check_seen(&[
        "let 'a[$(rm -rf ~)]'",
        "[[ 'a[$(rm -rf ~)]' -eq 0 ]]",
        "[[ 0 -lt 'a[`rm -rf ~`]' ]]",
        "[[ -v 'a[$(rm -rf ~)]' ]]",
        "test -v 'a[$(rm -rf ~)]'",
        "[ -v 'a[`rm -rf ~`]' ]",
        "printf -v 'a[$(rm -rf ~)]' x",
        "declare 'a[$(rm -rf ~)]=1'",
        "typeset 'a[$(rm -rf ~)]=1'",
        "export 'a[$(rm -rf ~)]=1'",
        "readonly 'a[$(rm -rf ~)]=1'",
        "f() { local 'a[$(rm -rf ~)]=1'; }; f",
        "read 'a[$(rm -rf ~)]'",
        "unset 'a[$(rm -rf ~)]'",
        "x='a[$(rm -rf ~)]'; echo $((x))",
        "x='a[$(rm -rf ~)]'; y=x; ((y))",
        "x='a[$(rm -rf ~)]'; [[ x -eq 0 ]]",
        "x='a[$(rm -rf ~)]'; echo ${b:x} ",
        "x='a[$(rm -rf ~)]'; for ((i = x; i < 3; i++)); do :; done",
        "declare -i x='a[$(rm -rf ~)]'",
        "declare -i x; x='a[$(rm -rf ~)]'",
    ]);
}

#[test]
fn other_text_that_runs() {
    check_seen(&[
        "x='$(rm -rf ~)'; echo ${x@P}",
        "x='`rm -rf ~`'; : \"${x@P}\"",
        "PS4='$(rm -rf \"$HOME\")' bash -xc true",
        "mapfile -C 'rm -rf ~;' -c 1 a",
        "readarray -c1 -C 'rm -rf' a <<< ~",
        "hash -p /bin/rm ls; ls -rf ~",
        "hash -p /bin/rm ls; command 'ls' -rf ~",
        "hash ls=/bin/rm; ls -rf ~",
        "hash -p /bin/true eval; eval 'rm -rf ~'",
        "=rm -rf ~",
        "zsh -c 'sudo =rm -rf ~'",
    ]);
}

#[test]
fn ordinary_bash_is_read_as_bash() {
    check_kinds(&[
        ("((i++))", ""),
        ("(( x > 3 ))", ""),
        ("cd /etc; (( x + 1 > 3 && y << 2 )); ((x>total/2)); (( -x < y[1] ))", ""),
        ("for ((i=0;i<3;i++)); do echo $i; done", ""),
        ("[[ -f a || -f b ]]", ""),
        ("cd /etc; [[ $a > $b ]]; [[ ! a < \"$b\" ]]; [[ -n $x && $a > b ]]", ""),
        ("x=$(some-program); [[ -n $x && $x == ok ]] && (( $x > 3 )) || [[ a || $x ]]", ""),
        ("x=$(curl -s localhost); [[ -n $x && $x == ok ]]; (( $x == 200 ))", "network"),
        ("[[ $a =~ ^(rm -rf ~|b)$ ]]", ""),
        ("if [[ $x == y && ( -z $z ) ]]; then echo; fi", ""),
        ("cmd &> log", "overwrite"),
        ("cmd &> /dev/null", ""),
        ("while true; do make &> /dev/null; done", ""),
        ("echo $'a\\tb'", ""),
        ("rm $'a\\tb'; [[ a ]]", "delete"),
        // Without an end in the other reading, so that shell runs nothing.
        ("git commit -m $'don\\'t; rm -rf ~'", ""),
        ("let i++; let 'a[i]=3'", ""),
        ("declare -a x; declare -A m=([a]=1); declare -i n=3; unset 'm[a]'", ""),
        ("export MSG='see [1] $(rm -rf ~)'", ""),
        ("x='$(rm -rf ~)'; echo \"$x\" ${x@Q}", ""),
        ("[[ $x -eq 0 ]]; test -v x; [ \"$x\" -gt 3 ]", ""),
        ("mapfile -t a < f; hash -r; read -r a b", "read"),
        // It is bash that reads it.
        ("bash -c '((rm -rf ~))'", ""),
        ("bash -c \"echo \\$'a\\\\'; rm -rf ~ #'\"", ""),
        // Each reading starts where the command does.
        ("cd a && [[ -f x ]] && rm y", "delete"),
    ]);
    let paths: Vec<_> = effects("cd a && [[ -f x ]] && rm y").into_iter().filter_map(|effect| effect.path).collect();
    assert_eq!(paths, ["/home/ann/app/a/y"]);
}

/// In tests and expressions only what compares is left out.
#[test]
fn redirections_in_the_other_reading() {
    check_kinds(&[
        ("((echo x > ~/.bashrc))", "overwrite persist"),
        ("[[ a || echo key > notes ]]", "overwrite"),
        ("((echo key > notes))", "overwrite"),
    ]);
}

/// Words that double again and again are unknown from some length on, which is said.
#[test]
fn words_do_not_grow_without_end() {
    let is_said = |command: &str| {
        effects(command).iter().any(|effect| effect.kind == Kind::Unknown && effect.flags.has(Flag::Force))
    };
    let start = format!("a={};", "a/".repeat(500));
    for grow in ["a=$a$a;", "a+=$a;", "a=${a//\\//\\/a\\/};", "printf -v a %s%s $a $a;", "a=\"$a$a\";"] {
        let command = format!("{start}{}rm -rf $a", grow.repeat(13));
        assert!(is_said(&command), "{grow}");
        let longest = effects(&command).iter().filter_map(|effect| effect.path.as_ref().map(String::len)).max();
        assert!(longest.unwrap_or(0) < 100_000, "{grow}: {longest:?}");
    }
    assert!(!is_said(&format!("a={}; rm -rf $a", "a/".repeat(100_000))), "long as it was written");
}
