//! `spec/points.md` says what the code does, as far as a table can be compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::path::Path;

use tollgate_core::{Point, Power};
use tollgate_testkit::case;

fn specification() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/points.md")).unwrap()
}

/// The cells of the table of points: name, what it takes, its verdicts.
fn rows(text: &str) -> Vec<(String, String, String)> {
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let table = text.lines().skip_while(|line| !line.starts_with("| point ")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(cells);
    rows.map(|cells| (cells[0].trim_matches('`').to_owned(), cells[1].clone(), cells[2].clone())).collect()
}

fn expected(point: Point) -> (String, String, String) {
    let word = |power: &Power| format!("{power:?}").to_lowercase();
    let powers = point.powers().iter().map(word).collect::<Vec<_>>().join(", ");
    let takes = match (point.is_gate(), point.is_gate() || point == Point::SessionStart) {
        (true, _) => "gate",
        (false, true) => "watch, notes",
        (false, false) => "watch",
    };
    (point.name().to_owned(), takes.to_owned(), if powers.is_empty() { "–".to_owned() } else { powers })
}

#[test]
fn the_table_of_points_is_that_of_the_code() {
    let expected: Vec<_> = Point::ALL.iter().copied().map(expected).collect();
    assert_eq!(rows(&specification()), expected);
}

#[test]
fn the_picture_shows_every_point() {
    let text = specification();
    let picture = text.split("```").nth(1).unwrap();
    for point in Point::ALL {
        assert!(picture.contains(point.name()), "{point} is not in the picture");
    }
}

#[test]
fn the_specification_stays_short() {
    assert!(specification().lines().count() <= 300);
}

#[test]
fn the_format_of_cases_is_described() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases/README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    for key in case::EXPECTATIONS {
        assert!(readme.contains(&format!("`{key}`")), "`{key}` is not described");
    }
}

#[test]
fn a_key_that_is_not_known_is_an_error_that_names_the_file() {
    let folder = std::env::temp_dir().join(format!("tollgate-cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let rows = [
        (r#"{"about": "A.", "registrations": [], "evnt": {}}"#, "unknown field `evnt`"),
        (
            r#"{"about": "A.", "registrations": [], "event": {"point": "notice", "colour": 1}}"#,
            "unknown field `colour`",
        ),
        (
            r#"{"about": "A.", "registrations": [], "event": {"point": "notice"}, "expect": {"act": "pass", "sum": 1}}"#,
            "unknown key `sum` in `expect`",
        ),
        (
            r#"{"about": "A.", "registrations": [{"id": "a", "actor": "sing", "points": []}], "event": {}, "expect": {"act": "pass"}}"#,
            "unknown variant `sing`",
        ),
        (r#"{"about": "A.", "registrations": []}"#, "needs `event` and `expect`, or `steps`"),
    ];
    for (text, problem) in rows {
        let file = folder.join("bad.json");
        std::fs::write(&file, text).unwrap();
        let came = case::load(&file).unwrap_err();
        assert!(came.contains("bad.json") && came.contains(problem), "{text}: {came}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
