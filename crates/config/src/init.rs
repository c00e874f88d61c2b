//! What a policy file begins as.

/// A policy file to begin with: it says what holds without it, and shows how to say more.
///
/// ```
/// assert!(tollgate_config::TEMPLATE.starts_with("# Tollgate: "));
/// ```
pub const TEMPLATE: &str = r#"# Tollgate: what agents may do here.
# `tollgate check` looks this file over, `tollgate explain` tries it on a call.
# Without any of this, the packs of rules hold that come with Tollgate:
# They refuse what destroys work, leaks secrets or takes over the machine, and let ordinary work pass.

# mode = "observe"        # only record what would be refused; a way to begin
# audit.retain = "90d"    # how long records of what happened are kept; for ever if you do not say

# [packs]
# use = ["shell-safety", "git-safety", "secrets", "sensitive-paths", "infra", "database", "egress"]

# A rule of your own. Calls under `examples` are checked whenever this file is loaded.
# [[rule]]
# id = "no-prod"
# kind = "exec"
# arg.command = { regex = '\bprod(uction)?\b' }
# ask = "this command names production"
# examples.match = ["psql -h db.prod -c 'select 1'"]
# examples.pass = ["make products"]

# What is produced must not be edited by hand.
# [[rule]]
# id = "generated"
# effect = { kind = ["write", "overwrite", "delete"], path = "**/generated/**" }
# deny = "this file is generated"
# suggest = "change its source, then generate it again"

# The same call again and again is stopped.
# [[loop]]
# tool = "*"
# warn = 10
# deny = 20

# When a rule is wrong for this project. From a project's file this holds once you said `tollgate trust`.
# [[exception]]
# rule = "shell-safety/delete-outside"
# path = "/srv/scratch/**"
# until = 2099-12-31
# reason = "scratch disk"

# [override."git-safety/rewrite"]
# decision = "ask"
"#;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tollgate_rules::form::Date;

    use super::*;
    use crate::{File, Layer, combine};

    #[test]
    fn the_template_is_right_as_it_is_and_with_every_comment_removed() {
        let code = |line: &str| !line.starts_with(|letter: char| letter.is_uppercase() || letter == '`');
        let bare = TEMPLATE.lines().map(|line| match line.strip_prefix("# ") {
            Some(rest) if code(rest) => rest,
            _ => line,
        });
        let bare = bare.collect::<Vec<_>>().join("\n");
        for text in [TEMPLATE.to_owned(), bare] {
            let file = File::of_bytes(Layer::User, Path::new("tollgate.toml"), text.clone().into()).unwrap();
            let plan = combine(vec![file], false, Date::of_seconds(0)).unwrap_or_else(|found| panic!("{found}"));
            assert!(plan.warnings.is_empty(), "{}", plan.warnings);
            assert_eq!(plan.loops.len(), usize::from(text != TEMPLATE), "{text}");
        }
    }
}
