//! The words of a name, however they are joined.

/// `deleteVM`, `delete_vm`, `API-delete` and `VMDelete` all have a `delete`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        if begins(&letters, at) || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A capital after a small letter, or before one at the end of an abbreviation.
fn begins(letters: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| letters.get(before));
    let after = letters.get(at + 1);
    letters[at].is_uppercase()
        && (before.is_some_and(|letter| letter.is_lowercase() || letter.is_numeric())
            || before.is_some_and(|letter| letter.is_uppercase()) && after.is_some_and(|letter| letter.is_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_their_writers_joined_them() {
        for (name, expected) in [
            ("delete_file", "delete file"),
            ("droplet-delete", "droplet delete"),
            ("linear_deleteIssue", "linear delete issue"),
            ("deleteVM", "delete vm"),
            ("VMDelete", "vm delete"),
            ("API-delete-a-block", "api delete a block"),
            ("s3.Get2Keys", "s3 get2 keys"),
            ("__", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }
}
