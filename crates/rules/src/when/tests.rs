use serde_json::json;
use tollgate_core::{Body, Event, Point};

use super::*;
use crate::facts::Still;

fn holds(text: &str) -> Result<bool, String> {
    let names = tollgate_wire::names();
    let name = names.name("Bash");
    let mut body = Body::from(json!({"command": "rm -rf /tmp/x", "amount": 120, "list": [1, 2, 3], "n": null}));
    body.headers_mut().append("X-Team", "payments");
    let event =
        Event { session: Some("s"), cwd: Some("/home/user/project"), ..Event::tool(Point::ToolBefore, &name, "call") };
    let expression = Expression::compile(text)
        .map_err(|found| found.iter().map(Mistake::to_string).collect::<Vec<_>>().join("; "))?;
    expression.holds(&CallFacts::new(&event, &body, &Still::shared())).map_err(|fault| fault.to_string())
}

#[test]
fn expressions() {
    for (text, expected) in [
        ("true", true),
        ("tool == 'exec' && kind == 'exec' && point == 'tool.before'", true),
        ("args.amount > 100", true),
        ("args.amount > 100.5", true),
        ("has(args.amount) && !has(args.missing)", true),
        ("args.?missing.orValue(5) == 5", true),
        ("args.list.exists(x, x == 2)", true),
        ("args.list.all(x, x < 3)", false),
        ("args.list.map(x, x * 2) == [2, 4, 6]", true),
        ("args.list.filter(x, x > 1).size() == 2", true),
        ("'command' in args", true),
        ("args.n == null && result == null", true),
        ("session == 's' && agent == ''", true),
        ("headers['x-team'] == 'payments'", true),
        ("args.command.matches('^rm\\\\s')", true),
        ("matches(args.command, '^rm ') && args.command.matches('^' + 'rm')", true),
        ("args.command.startsWith('rm') && args.command.endsWith('x') && args.command.contains('-rf')", true),
        ("url('https://User:pw@API.Example.com:8443/a/b?c').host == 'api.example.com'", true),
        ("url('https://good.com\\\\@evil.com/').host == 'good.com'", true),
        ("url('http://[::1]/x') == {'scheme': 'http', 'host': '::1', 'port': 80, 'path': '/x'}", true),
        ("url('example.com/a').path == '/a'", true),
        ("secrets('nothing').size() == 0", true),
        ("type(args.amount) == int", true),
        ("text.contains('rm -rf')", true),
        ("int('5') == 5 && string(5) == '5' && double(1) == 1.0 && uint(1) == 1u", true),
        ("size('abc') == 3 && bool('true')", true),
    ] {
        assert_eq!(holds(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_goes_wrong_is_said_without_showing_the_document() {
    for (text, expected) in [
        ("args.missing > 1", "crash: the expression failed: there is no `missing`"),
        ("args['a b'] > 1", "crash: the expression failed: there is no such member"),
        ("args.amount", "crash: the expression is neither true nor false"),
        ("args.list[7] == 1", "crash: the expression failed: a list is too short"),
        ("args.amount / 0 == 1", "crash: the expression failed: it divides by zero"),
        ("args.amount % 0 == 1", "crash: the expression failed: it divides by zero"),
        ("args.amount * 9223372036854775807 == 1", "crash: the expression failed: a number is too large"),
        ("args.amount + 'x' == 1", "crash: the expression failed: the values do not go together"),
        ("'x'.matches('(' + '')", "crash: the expression failed: `matches` did"),
        ("args.tol == 1 || agnt == ''", "there is no variable `agnt` (did you mean `agent`?)"),
        ("args.list.all(x, agnt == '')", "there is no variable `agnt` (did you mean `agent`?)"),
        ("shel('x') == 1", "there is no function `shel` (did you mean `shell`?)"),
        ("'x'.matches('(')", "this is no regular expression: unclosed group"),
        ("", "an empty expression says nothing"),
        ("1 +", "this is no expression: Syntax error: mismatched input '<EOF>'"),
        ("Foo{a: 1} == 1", "there are no types to build here"),
    ] {
        assert_eq!(holds(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn mistakes_say_where() {
    for (text, marked) in [
        ("1 == 1 && agnt == ''", "agnt"),
        ("'ä' == 'ä' && agnt == ''", "agnt"),
        ("'x'.matches('(')", "'('"),
        ("1 == 1 && ) ", ")"),
    ] {
        let mistakes = Expression::compile(text).unwrap_err();
        let range = mistakes[0].within.clone().unwrap();
        assert_eq!(&text[range], marked, "{text}");
    }
}

/// On a stack as small as that of any thread, in a build that uses most of it.
#[test]
fn huge_and_deep_expressions_are_refused() {
    for text in [
        "(".repeat(1_000),
        format!("{}1{}", "(".repeat(900), ")".repeat(900)),
        format!("{}1{}", "[".repeat(900), "]".repeat(900)),
        "!".repeat(1_900) + "true",
        "-".repeat(1_900) + "1",
        format!("args{}", ".a".repeat(900)),
        format!("args{}", "[0]".repeat(600)),
        format!("1{} == 1", "+1".repeat(900)),
        format!("true{}", "&&true".repeat(300)),
        format!("true{}", "?true:true".repeat(150)),
        "a".repeat(1_000_000),
        "{".repeat(1_900),
        "\"".repeat(1_900),
        "has(".repeat(400),
        "[1].map(x,".repeat(150),
    ] {
        assert!(Expression::compile(&text).is_err(), "{}", text.chars().take(30).collect::<String>());
    }
    let longest = format!("true{}", " && true".repeat(90));
    assert_eq!(holds(&longest), Ok(true));
}

#[test]
fn loops_over_large_documents_are_refused() {
    let names = tollgate_wire::names();
    let name = names.name("x");
    let body = Body::from(json!({"list": vec![1; 3_000]}));
    let event = Event::tool(Point::ToolBefore, &name, "call");
    let check = |text: &str| Expression::compile(text).unwrap().holds(&CallFacts::new(&event, &body, &Still::shared()));
    assert_eq!(check("args.list.all(x, x == 1)"), Ok(true));
    assert_eq!(check("args.list.map(x, x).size() == 3000"), Ok(true));
    let fault = check("args.list.all(x, args.list.all(y, y == x))").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Flood);
}
