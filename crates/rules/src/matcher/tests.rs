use proptest::prelude::*;

use super::*;

fn text(toml: &str, sort: Sort<'_>) -> Result<Text, Vec<Mistake>> {
    #[derive(serde::Deserialize)]
    struct Holder {
        m: Matcher,
    }
    Text::compile(&toml::from_str::<Holder>(&format!("m = {toml}")).unwrap().m, sort)
}

#[test]
fn texts() {
    let names = tollgate_wire::names();
    for (sort, matcher, subject, fits) in [
        (Sort::Plain, "'a'", "a", true),
        (Sort::Plain, "'a'", "A", false),
        (Sort::Plain, "'a*'", "ab", true),
        (Sort::Plain, "['a', 'b']", "b", true),
        (Sort::Plain, "{ eq = 'a*' }", "ab", false),
        (Sort::Plain, "{ eq = ['a', 'b'] }", "b", true),
        (Sort::Plain, "{ one_of = ['a', 'b'] }", "c", false),
        (Sort::Plain, "{ prefix = 'a', suffix = 'c' }", "abc", true),
        (Sort::Plain, "{ prefix = 'a', suffix = 'c' }", "abd", false),
        (Sort::Plain, "{ prefix = ['x', 'a'] }", "abd", true),
        (Sort::Plain, "{ contains = 'PROD' }", "a prod b", false),
        (Sort::Plain, "{ contains = 'PROD', ignore_case = true }", "a Prod b", true),
        (Sort::Plain, "{ regex = 'PROD', ignore_case = true }", "a Prod b", true),
        (Sort::Plain, "{ regex = '^a$' }", "ba", false),
        (Sort::Plain, r"{ regex = '^\w+$' }", "ä", false),
        (Sort::Plain, r"{ regex = '(?u)^\w+$' }", "ä", true),
        (Sort::Plain, "{ glob = 'a/*' }", "a/b/c", true),
        (Sort::Tool(&names, Sense::Restricts), "'Bash'", "exec", true),
        (Sort::Tool(&names, Sense::Restricts), "'Web_*'", "web_search", true),
        (Sort::Tool(&names, Sense::Restricts), "{ regex = '^Web' }", "web_search", true),
        (Sort::Tool(&names, Sense::Restricts), "{ one_of = ['Bash', 'Read'] }", "read", true),
        (Sort::Path, "{ prefix = '/srv' }", "/srv/a", true),
        (Sort::Path, "{ prefix = '/srv' }", "/srv", true),
        (Sort::Path, "{ prefix = '/srv' }", "/srv2/a", false),
        (Sort::Path, "{ prefix = '/srv/' }", "/srv/a", true),
        (Sort::Path, "'/a/*'", "/a/b/c", false),
        (Sort::Host, "'*.Internal'", "DB.internal", true),
        (Sort::Host, "{ suffix = '.COM' }", "a.com", true),
        (Sort::Host, "{ regex = 'com$' }", "A.COM", true),
    ] {
        assert_eq!(text(matcher, sort).unwrap().fits(subject), fits, "{matcher} {subject}");
    }
}

#[test]
fn mistakes_say_where() {
    for (matcher, expected) in [
        ("''", "an empty text fits nothing"),
        ("[]", "an empty list fits nothing"),
        ("['a', { regex = ['b', '('] }]", "1.regex.1: this is no regular expression: unclosed group"),
        ("{ prefix = [] }", "prefix: an empty list fits nothing"),
        (
            "{ ignore_case = true }",
            "this table says nothing (give one of eq, one_of, prefix, suffix, glob, regex or contains)",
        ),
        (
            "{ regex = '(a{999}){999}' }",
            "regex: this regular expression is too large (repeat less, or use several rules)",
        ),
    ] {
        let mistakes = text(matcher, Sort::Plain).unwrap_err();
        assert_eq!(mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>(), [expected], "{matcher}");
    }
    assert_eq!(text("{ regex = 'ab(c' }", Sort::Plain).unwrap_err()[0].within, Some(2..3));
}

proptest! {
    /// Whatever an expression fits holds one of its literals, so that nothing is missed by looking for those first.
    #[test]
    fn literals_of_expressions_are_always_there(pattern in r"[a-c|()?*+.\[\]^$\\dbs{}0-2-]{1,14}", subject in "[a-c .0-2-]{0,20}") {
        if let (Ok(regex), Some(literals)) = (regex(&pattern, false), literal::of_regex(&pattern))
            && regex.is_match(subject.as_bytes())
        {
            prop_assert!(literals.iter().any(|literal| subject.contains(literal.as_str())), "{pattern} {subject} {literals:?}");
        }
    }

    #[test]
    fn literals_of_patterns_are_always_there(pattern in r"[ab/*]{1,10}", subject in "[ab/]{0,12}", path: bool) {
        let glob = Glob::new(&pattern, path);
        if glob.fits(&subject) {
            prop_assert!(subject.contains(glob.literal()), "{pattern} {subject}");
        }
    }
}
