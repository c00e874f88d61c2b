//! The difference between two texts, as `diff -u` writes it.

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// Where it is: `@@ -1,2 +1,3 @@`.
    Place(String),
    /// In both texts.
    Same(&'t str),
    /// Only before.
    Gone(&'t str),
    /// Only after.
    New(&'t str),
}

/// How many lines around a change are shown.
const AROUND: usize = 3;
/// More pairs of lines than this are not compared with each other: everything between is then another.
const MOST: usize = 4_000_000;

/// The difference. A line that lacks its end is followed by a line that says so.
pub fn unified<'t>(before: &'t str, after: &'t str) -> Vec<Line<'t>> {
    let lines = compared(&split(before), &split(after));
    let changed: Vec<usize> = (0..lines.len()).filter(|&at| !matches!(lines[at], Line::Same(_))).collect();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < changed.len() {
        let mut last = at;
        while changed.get(last + 1).is_some_and(|next| next - changed[last] <= 2 * AROUND + 1) {
            last += 1;
        }
        let from = changed[at].saturating_sub(AROUND);
        let to = (changed[last] + AROUND + 1).min(lines.len());
        let count = |lines: &[Line<'_>], new: bool| {
            lines
                .iter()
                .filter(|line| if new { !matches!(line, Line::Gone(_)) } else { !matches!(line, Line::New(_)) })
                .count()
        };
        let side = |new: bool| {
            let (start, length) = (count(&lines[..from], new), count(&lines[from..to], new));
            format!("{},{length}", start + usize::from(length > 0))
        };
        out.push(Line::Place(format!("@@ -{} +{} @@", side(false), side(true))));
        out.extend_from_slice(&lines[from..to]);
        at = last + 1;
    }
    out
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn compared<'t>(before: &[&'t str], after: &[&'t str]) -> Vec<Line<'t>> {
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (rest, other) = (&before[start..], &after[start..]);
    let end = rest.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let (rest, other) = (&rest[..rest.len() - end], &other[..other.len() - end]);
    let mut lines: Vec<Line<'t>> = before[..start].iter().map(|line| Line::Same(line)).collect();
    lines.extend(middle(rest, other));
    lines.extend(before[before.len() - end..].iter().map(|line| Line::Same(line)));
    lines
}

/// The longest common lines stay, the others are gone or new.
fn middle<'t>(before: &[&'t str], after: &[&'t str]) -> Vec<Line<'t>> {
    let all = || before.iter().map(|line| Line::Gone(line)).chain(after.iter().map(|line| Line::New(line)));
    if before.len() * after.len() > MOST {
        return all().collect();
    }
    let width = after.len() + 1;
    let mut common = vec![0_u32; (before.len() + 1) * width];
    for i in (0..before.len()).rev() {
        for j in (0..after.len()).rev() {
            common[i * width + j] = if before[i] == after[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < before.len() || j < after.len() {
        if i < before.len() && j < after.len() && before[i] == after[j] {
            lines.push(Line::Same(before[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == after.len() || (i < before.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            lines.push(Line::Gone(before[i]));
            i += 1;
        } else {
            lines.push(Line::New(after[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(before: &str, after: &str, expected: Expect) {
        let line = |line: Line<'_>| match line {
            Line::Place(place) => format!("{place}\n"),
            Line::Same(text) => format!(" {text}"),
            Line::Gone(text) => format!("-{text}"),
            Line::New(text) => format!("+{text}"),
        };
        expected.assert_eq(&unified(before, after).into_iter().map(line).collect::<String>());
    }

    #[test]
    fn differences() {
        check(
            "",
            "a\n",
            expect![[r#"
            @@ -0,0 +1,1 @@
            +a
        "#]],
        );
        check(
            "a\nb\nc\nd\ne\n",
            "a\nb\nc\nd\nx\ne\n",
            expect![[r#"
            @@ -2,4 +2,5 @@
             b
             c
             d
            +x
             e
        "#]],
        );
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\nx\n3\n4\n5\n6\n7\n8\n",
            expect![[r#"
            @@ -1,9 +1,8 @@
             1
            -2
            +x
             3
             4
             5
             6
             7
             8
            -9
        "#]],
        );
        check("same\n", "same\n", expect![[""]]);
        // Seven lines apart is one place, eight are two.
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n",
            "1\n2\n3\n4\nx\n6\n7\n8\n9\n10\n11\n12\n14\n",
            expect![[r#"
                @@ -2,7 +2,7 @@
                 2
                 3
                 4
                -5
                +x
                 6
                 7
                 8
                @@ -10,5 +10,4 @@
                 10
                 11
                 12
                -13
                 14
            "#]],
        );
    }

    /// How many lines two texts have in common, in order.
    fn in_common(one: &[&str], other: &[&str]) -> usize {
        match (one, other) {
            ([a, one @ ..], [b, other @ ..]) if a == b => 1 + in_common(one, other),
            ([_, less @ ..], [_, fewer @ ..]) => in_common(less, other).max(in_common(one, fewer)),
            _ => 0,
        }
    }

    #[test]
    fn no_difference_is_longer_than_it_must_be() {
        let texts: Vec<String> = (1..64_u8)
            .map(|bits| (0..bits.ilog2()).map(|at| ["a\n", "b\n"][usize::from(bits >> at & 1)]).collect())
            .collect();
        for (before, after) in texts.iter().flat_map(|before| texts.iter().map(move |after| (before, after))) {
            let (before, after) = (split(before), split(after));
            let lines = compared(&before, &after);
            let read = |line: &Line<'_>| match line {
                Line::Same(text) => (text.to_string(), text.to_string()),
                Line::Gone(text) => (text.to_string(), String::new()),
                Line::New(text) => (String::new(), text.to_string()),
                Line::Place(_) => unreachable!(),
            };
            let read: (String, String) = lines.iter().map(read).unzip();
            assert_eq!(read, (before.concat(), after.concat()));
            let same = lines.iter().filter(|line| matches!(line, Line::Same(_))).count();
            assert_eq!(same, in_common(&before, &after), "{before:?} {after:?}");
        }
    }

    #[test]
    fn texts_without_end_are_not_compared_line_by_line() {
        // A line in the middle is common, if anybody looks for it.
        for (lines, expected) in [(2000, 1), (2001, 0)] {
            let text = |name: &str| -> String {
                (0..lines)
                    .map(|line| if line == 1000 { "both\n".to_owned() } else { format!("{name} {line}\n") })
                    .collect()
            };
            let (before, after) = (text("a"), text("b"));
            let same =
                compared(&split(&before), &split(&after)).iter().filter(|line| matches!(line, Line::Same(_))).count();
            assert_eq!(same, expected, "{lines}");
        }
    }
}
