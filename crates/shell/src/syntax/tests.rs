//! Trees as text, and a second opinion: another parser of bash has to see the same commands.

use std::fmt::Write;

use super::*;

/// A list as nested brackets: words in quotes where they are quoted.
fn show(text: &str) -> String {
    let script = read(text);
    let mut out = String::new();
    list(&script.list, &mut out);
    match script.trouble {
        None => out,
        Some(trouble) => format!("{out} !{trouble:?}"),
    }
}

fn list(list: &List, out: &mut String) {
    for (index, step) in list.iter().enumerate() {
        if index > 0 {
            out.push_str("; ");
        }
        for (index, one) in step.pipeline.iter().enumerate() {
            out.push_str(if index > 0 { " | " } else { "" });
            command(one, out);
        }
        out.push_str(if step.background { " &" } else { "" });
    }
}

fn bracketed(name: &str, inner: &List, out: &mut String) {
    let _ = write!(out, "{name}[");
    list(inner, out);
    out.push(']');
}

fn command(command: &Command, out: &mut String) {
    match command {
        Command::Simple(one) => simple(one, out),
        Command::Compound(one, redirects) => {
            compound(one, out);
            redirects.iter().for_each(|one| redirect(one, out));
        }
        Command::Function(name, body) => {
            let _ = write!(out, "{name}()=");
            self::command(body, out);
        }
    }
}

fn compound(compound: &Compound, out: &mut String) {
    match compound {
        Compound::Group(inner) => bracketed("group", inner, out),
        Compound::Subshell(inner) => bracketed("sub", inner, out),
        Compound::If(arms) => {
            for (condition, body) in arms {
                bracketed("if", condition, out);
                bracketed("then", body, out);
            }
        }
        Compound::Loop { condition, body } => {
            bracketed("while", condition, out);
            bracketed("do", body, out);
        }
        Compound::For { name, words, body } => {
            let _ = write!(out, "for {name}(");
            words.iter().flatten().for_each(|one| word(one, out));
            bracketed(")do", body, out);
        }
        Compound::ArithmeticFor { header, body } => {
            word(header, out);
            bracketed("do", body, out);
        }
        Compound::Case { word: value, arms } => {
            out.push_str("case ");
            word(value, out);
            for arm in arms {
                arm.patterns.iter().for_each(|one| word(one, out));
                bracketed(if arm.falls_through { ")&" } else { ")" }, &arm.body, out);
            }
        }
        Compound::Arithmetic(inner) => {
            out.push_str("((");
            word(inner, out);
            out.push_str("))");
        }
        Compound::Test(words) => {
            out.push_str("test(");
            words.iter().for_each(|one| word(one, out));
            out.push(')');
        }
        Compound::Coprocess(name, inner) => {
            let _ = write!(out, "coproc {name:?} ");
            command(inner, out);
        }
    }
}

fn simple(simple: &Simple, out: &mut String) {
    out.push('<');
    for assign in &simple.assigns {
        let _ = write!(out, "{}{}=", assign.name, if assign.append { "+" } else { "" });
        match &assign.value {
            AssignValue::Text(value) => word(value, out),
            AssignValue::Array(items) => items.iter().for_each(|(_, value)| word(value, out)),
        }
        out.push(',');
    }
    simple.words.iter().for_each(|one| word(one, out));
    simple.redirects.iter().for_each(|one| redirect(one, out));
    out.push('>');
}

fn redirect(redirect: &Redirect, out: &mut String) {
    let (operator, target) = match &redirect.kind {
        RedirectKind::In(word) => ("<", Some(word)),
        RedirectKind::Out(word) => (">", Some(word)),
        RedirectKind::Append(word) => (">>", Some(word)),
        RedirectKind::InOut(word) => ("<>", Some(word)),
        RedirectKind::DupIn(word) => ("<&", Some(word)),
        RedirectKind::DupOut(word) => (">&", Some(word)),
        RedirectKind::Both(word) => ("&>", Some(word)),
        RedirectKind::BothAppend(word) => ("&>>", Some(word)),
        RedirectKind::HereString(word) => ("<<<", Some(word)),
        RedirectKind::Here(body) => ("<<", body.get()),
    };
    let fd = redirect.fd.map(|fd| fd.to_string()).or(redirect.name.clone()).unwrap_or_default();
    let _ = write!(out, " {fd}{operator}");
    target.into_iter().for_each(|one| word(one, out));
}

fn word(word: &Word, out: &mut String) {
    out.push('‹');
    word.parts.iter().for_each(|one| part(one, out));
    out.push('›');
}

fn part(part: &Part, out: &mut String) {
    match part {
        Part::Bare(text) => out.push_str(text),
        Part::Quoted(text) => {
            let _ = write!(out, "'{text}'");
        }
        Part::Double(parts) => {
            out.push('"');
            parts.iter().for_each(|one| self::part(one, out));
            out.push('"');
        }
        Part::Parameter(parameter) => {
            let op = format!("{:?}", parameter.op);
            let op = op.split(['(', ' ']).next().unwrap_or_default();
            let _ = write!(out, "${{{}{}{op}}}", if parameter.indirect { "!" } else { "" }, parameter.name);
        }
        Part::Command(inner) => bracketed("$", inner, out),
        Part::Process(inner, reads) => bracketed(if *reads { "from" } else { "to" }, inner, out),
        Part::Arithmetic(parts) => {
            out.push_str("$((");
            parts.iter().for_each(|one| self::part(one, out));
            out.push_str("))");
        }
    }
}

#[test]
fn trees() {
    for (text, expected) in [
        ("a b 'c d' \"e $f\"", "<‹a›‹b›‹'c d'›‹\"e ${fNone}\"›>"),
        ("a && b || c; d & e", "<‹a›>; <‹b›>; <‹c›>; <‹d›> &; <‹e›>"),
        ("a | b |& c", "<‹a›> | <‹b›> | <‹c›>"),
        ("X=1 Y+=2 a", "<X=‹1›,Y+=‹2›,‹a›>"),
        ("a=(b 'c' [2]=d)", "<a=‹b›‹'c'›‹d›,>"),
        ("declare -a a=(b c)", "<a=‹b›‹c›,‹declare›‹-a›>"),
        ("if a; then b; elif c; then d; else e; fi", "if[<‹a›>]then[<‹b›>]if[<‹c›>]then[<‹d›>]if[]then[<‹e›>]"),
        ("for x in a b; do c; done", "for x(‹a›‹b›)do[<‹c›>]"),
        ("for x\ndo c; done", "for x()do[<‹c›>]"),
        ("for ((i=0;;i++)); do a; done", "‹i=0;;i++›do[<‹a›>]"),
        ("for ((;;)) { a; }", "‹;;›do[<‹a›>]"),
        ("select x in a; do b; done", "for x(‹a›)do[<‹b›>]"),
        ("while a; do b; done < c", "while[<‹a›>]do[<‹b›>] <‹c›"),
        ("case $x in a|b) c;; (d) e;& *) f; esac", "case ‹${xNone}›‹a›‹b›)[<‹c›>]‹d›)&[<‹e›>]‹*›)[<‹f›>]"),
        ("f() { a; }; function g { b; }; function h () (c)", "f()=group[<‹a›>]; g()=group[<‹b›>]; h()=sub[<‹c›>]"),
        (":(){ :|:& };:", ":()=group[<‹:›> | <‹:›> &]; <‹:›>"),
        ("((a + 1)); [[ $a =~ ^(b|c)$ && -f d ]]", "((‹a + 1›)); test(‹${aNone}›‹=~›‹^(b|c)'$'›‹-f›‹d›)"),
        ("( (a); b )", "sub[sub[<‹a›>]; <‹b›>]"),
        ("((a); b)", "sub[sub[<‹a›>]; <‹b›>]"),
        ("echo $((1 + (2))) $((a); b)", "<‹echo›‹$((1 + (2)))›‹$[sub[<‹a›>]; <‹b›>]›>"),
        ("echo $[1+2]", "<‹echo›‹$((1+2))›>"),
        ("a >b 2>&1 <c >>d &>e 3<>f >|g {h}>i", "<‹a› >‹b› 2>&‹1› <‹c› >>‹d› &>‹e› 3<>‹f› >‹g› h>‹i›>"),
        ("cat <<E\na $b\nE\nc", "<‹cat› <<‹a ${bNone}\n›>; <‹c›>"),
        ("cat <<'E' | d\na $b\nE", "<‹cat› <<‹'a $b\n'›> | <‹d›>"),
        ("cat <<-E\n\ta\n\tE\nb", "<‹cat› <<‹a\n›>; <‹b›>"),
        ("cat <<A <<B\na\nA\nb\nB", "<‹cat› <<‹a\n› <<‹b\n›>"),
        ("x=$(cat <<E\na ' b )\nE\n); c", "<x=‹$[<‹cat› <<‹a ' b )\n›>]›,>; <‹c›>"),
        ("bash <<'E'\na", "<‹bash› <<‹'a'›>"),
        ("a <(b) >(c)", "<‹a›‹from[<‹b›>]›‹to[<‹c›>]›>"),
        ("a `b \\`c\\``", "<‹a›‹$[<‹b›‹$[<‹c›>]›>]›>"),
        ("a \\\n b # c\nd", "<‹a›‹b›>; <‹d›>"),
        ("a\\", "<‹a'\\'›>"),
        ("$'\\x41\\102\\u43' $\"d\"", "<‹'ABC'›‹'d'›>"),
        ("X=1 ! a; time -p b; ! c", "<X=‹1›,‹a›>; <‹b›>; <‹c›>"),
        ("coproc a { b; }; coproc c d", "coproc Some(\"a\") group[<‹b›>]; coproc None <‹c›‹d›>"),
        ("ls @(a|b) !(c)", "<‹ls›‹@(a|b)›‹!(c)›>"),
        ("a=b}c; {d e; }", "<a=‹b}c›,>; <‹{d›‹e›> !Syntax"),
        (
            "echo ${a:-b} ${#c} ${!d} ${e/f/g} ${h%%i} ${j:1:2} ${k^^} ${l@Q}",
            "<‹echo›‹${aDefault}›‹${cLength}›‹${!dNone}›‹${eReplace}›‹${hTrim}›‹${jSlice}›‹${kCase}›‹${lTransform}›>",
        ),
        ("echo \"${a:-\"b c\"}\" \"${d:-'e'}\"", "<‹echo›‹\"${aDefault}\"›‹\"${dDefault}\"›>"),
    ] {
        assert_eq!(show(text), expected, "{text}");
    }
}

/// What bash would refuse is read as far as that goes.
#[test]
fn trouble() {
    for (text, expected) in [
        ("echo 'it; rm x", "<‹echo›‹'''it›>; <‹rm›‹x›> !Syntax"),
        ("echo \"it; rm x", "<‹echo›‹'\"'it›>; <‹rm›‹x›> !Syntax"),
        ("fi; rm x", "<‹rm›‹x›> !Syntax"),
        ("if a; rm x", "if[<‹a›>; <‹rm›‹x›>]then[] !Syntax"),
        ("a ) b", "<‹a›>; <‹b›> !Syntax"),
        ("echo $(rm x", "<‹echo›‹$[<‹rm›‹x›>]›> !Syntax"),
        ("&& rm x", "<‹rm›‹x›> !Syntax"),
        ("f()", "f()=<> !Syntax"),
    ] {
        let shown = show(text);
        assert_eq!(shown.replace("; ; ", "; "), expected, "{text}");
    }
}

mod second_opinion {
    use brush_parser::ast;

    use super::super::*;

    /// How many words each simple command has, in the order of the text.
    fn ours(list: &List, out: &mut Vec<usize>) {
        for command in list.iter().flat_map(|step| &step.pipeline) {
            our_command(command, out);
        }
    }

    fn our_command(command: &Command, out: &mut Vec<usize>) {
        match command {
            Command::Simple(simple) => out.push(simple.words.len()),
            Command::Function(_, body) => our_command(body, out),
            Command::Compound(compound, _) => match compound {
                Compound::Group(list) | Compound::Subshell(list) => ours(list, out),
                Compound::If(arms) => arms.iter().for_each(|(condition, body)| {
                    ours(condition, out);
                    ours(body, out);
                }),
                Compound::Loop { condition, body } => {
                    ours(condition, out);
                    ours(body, out);
                }
                Compound::For { body, .. } | Compound::ArithmeticFor { body, .. } => ours(body, out),
                Compound::Case { arms, .. } => arms.iter().for_each(|arm| ours(&arm.body, out)),
                Compound::Coprocess(_, command) => our_command(command, out),
                Compound::Arithmetic(_) | Compound::Test(_) => {}
            },
        }
    }

    fn theirs(list: &ast::CompoundList, out: &mut Vec<usize>) {
        for ast::CompoundListItem(list, _) in &list.0 {
            for (_, pipeline) in list {
                pipeline.seq.iter().for_each(|command| their_command(command, out));
            }
        }
    }

    fn their_command(command: &ast::Command, out: &mut Vec<usize>) {
        match command {
            ast::Command::Simple(simple) => {
                let items = simple.suffix.iter().flat_map(|suffix| &suffix.0);
                let words = items.filter(|item| !matches!(item, ast::CommandPrefixOrSuffixItem::IoRedirect(_))).count();
                out.push(words + usize::from(simple.word_or_name.is_some()));
            }
            ast::Command::Compound(compound, _) => their_compound(compound, out),
            ast::Command::Function(function) => their_compound(&function.body.0, out),
            ast::Command::ExtendedTest(..) => {}
        }
    }

    fn their_compound(compound: &ast::CompoundCommand, out: &mut Vec<usize>) {
        use ast::CompoundCommand as Theirs;
        match compound {
            Theirs::Arithmetic(_) => {}
            Theirs::ArithmeticForClause(clause) => theirs(&clause.body.list, out),
            Theirs::BraceGroup(group) => theirs(&group.list, out),
            Theirs::Subshell(group) => theirs(&group.list, out),
            Theirs::ForClause(clause) => theirs(&clause.body.list, out),
            Theirs::CaseClause(clause) => {
                clause.cases.iter().flat_map(|case| &case.cmd).for_each(|list| theirs(list, out))
            }
            Theirs::IfClause(clause) => {
                theirs(&clause.condition, out);
                theirs(&clause.then, out);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| theirs(list, out));
                    theirs(&other.body, out);
                }
            }
            Theirs::WhileClause(clause) | Theirs::UntilClause(clause) => {
                theirs(&clause.0, out);
                theirs(&clause.1.list, out);
            }
            Theirs::Coprocess(clause) => their_command(&clause.body, out),
        }
    }

    /// What both accept, both read alike. Short and shallow texts only: the other parser can take exponential time.
    fn compare(text: &str) {
        let script = read(text);
        let Ok(other) =
            brush_parser::Parser::new(text.as_bytes(), &brush_parser::ParserOptions::default()).parse_program()
        else {
            return;
        };
        assert_eq!(script.trouble, None, "only the other parser accepts {text:?}");
        let (mut our_words, mut their_words) = (Vec::new(), Vec::new());
        ours(&script.list, &mut our_words);
        other.complete_commands.iter().for_each(|list| theirs(list, &mut their_words));
        assert_eq!(our_words, their_words, "{text:?}");
    }

    #[test]
    fn agrees_on_scripts() {
        for text in [
            "for f in *.c; do gcc -c \"$f\" -o \"${f%.c}.o\" || exit 1; done && ld *.o",
            "find . -name '*.rs' -exec grep -l 'fn main' {} + | xargs -I{} sh -c 'wc -l \"{}\" # count'",
            "if ! command -v jq >/dev/null 2>&1; then echo 'no jq' >&2; exit 127; fi",
            "while IFS=, read -r a b; do printf '%s\\n' \"$a\"; done < <(tail -n +2 data.csv)",
            "cat <<EOF > out.txt\n$(date) \"quoted\" 'single'\nEOF\necho done",
            "case \"$1\" in start|stop) systemctl \"$1\" app ;; *) echo usage ;; esac",
            "f() { local x=${1:-$(pwd)}; ( cd \"$x\" && ls -la | awk '{ print $9 }' ); }; f /tmp",
            "echo $(( (1 + 2) * 3 )) \"$(echo \"$(echo nested)\")\" `date +%s`",
            "docker run --rm -v \"$PWD\":/w -w /w node:20 bash -c 'npm ci && npm test -- --ci'",
            "[[ -n $A && ( $B == x* || $C =~ ^[0-9]+$ ) ]] && echo yes",
            "git log --format='%h %s' | while read -r h s; do case $s in fix*) echo $h;; esac; done",
            "trap 'rm -f \"$tmp\"' EXIT; tmp=$(mktemp); arr=(a \"b c\" $(ls)); echo \"${arr[@]}\" ${#arr[@]}",
            "{ time make -j$(nproc); } 2>&1 | tee >(grep -i error > errors.log)",
            "until curl -sf localhost:8080/health; do sleep 1; done & wait $!",
            "echo a;echo b # c ; d\n\n# e\necho f\\\ng",
            "x=1 y=\"2 3\" env | sort >|out; echo {a,b}{1..3} ~/x ~user \\$y",
        ] {
            compare(text);
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_on_soup(tokens in proptest::collection::vec(proptest::sample::select(&[
            "a", "b", "'c d'", "\"e\"", "$f", "\"$(g h)\"", "$(i)", "`j`", "|", "&&", "||", ";", "&", "\n", "!", "{ k; }", "( l )",
            "if m; then n; fi", "for o in p q; do r; done", "while s; do t; done", "u() { v; };", "w=x", "> y", "2>&1", "<<< z",
            "case a in b) c;; esac", "[[ d ]]", "((e))", "# f", "\\\n", "${g:-h i}", "$((1+2))", "<(j)", "else", "*", "{1,2}",
        ][..]), 0..12)) {
            compare(&tokens.join(" "));
        }
    }
}
