//! The one table of how agents spell the tools of MCP servers.
//!
//! The tool `t` of the server `s` is `mcp__s__t` everywhere: see [`tollgate_core::Name`]. What an agent writes is read by
//! the table, never by taking names apart elsewhere. A name that can mean several things is not guessed at.

use tollgate_core::{Name, Names};

use crate::TOOLS;

/// How some agents spell `t` of `s`: a beginning, the server, what stands between, the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// Who writes it so; nobody in particular if everybody may.
    pub agents: &'static [&'static str],
    /// What it begins with.
    pub prefix: &'static str,
    /// What stands between server and tool. Empty where the server is not named at all.
    pub between: &'static str,
    /// Whether an agent's own tool, too, may be written like this.
    pub doubtful: bool,
}

const fn spelling(agents: &'static [&'static str], prefix: &'static str, between: &'static str) -> Spelling {
    Spelling { agents, prefix, between, doubtful: false }
}

/// Every spelling there is. Of those that fit, the first counts.
pub const SPELLINGS: &[Spelling] = &[
    // Claude Code, Codex, Qwen Code, Droid, and whoever was made after them. It is also how we write it.
    spelling(&[], "mcp__", "__"),
    spelling(&["gemini-cli", "copilot"], "mcp_", "_"),
    spelling(&["kiro"], "@", "/"),
    spelling(&["cursor"], "MCP:", ""),
    spelling(&["cline", "goose", "openclaw"], "", "__"),
    // Where it asks for permission.
    spelling(&["copilot"], "", "/"),
    spelling(&["copilot"], "", "-"),
    Spelling { doubtful: true, ..spelling(&["opencode"], "", "_") },
];

/// Agents that tell a server by its address or its command, or not at all: it has no name.
const NAMELESS: &[&str] = &["cursor"];

/// Servers that come with an agent, by what their tools begin with: the agent's own tools, in whatever spelling.
const OWN: &[(&str, &str)] = &[("goose", "developer__")];

/// Servers that come with an agent and have the mark in their names that stands between server and tool.
const KNOWN: &[(&str, &str)] = &[("copilot", "github-mcp-server")];

/// What a name can mean: the server, if it is a server's tool (empty where it has no name), and the tool there.
pub type Reading<'a> = (Option<&'a str>, &'a str);

/// What an agent means by a tool's name, for [`name_of`]. `server` is what it says beside the name. Nothing is the agent's
/// own tool; more than one is what cannot be told.
///
/// ```
/// use tollgate_wire::readings;
///
/// assert_eq!(readings("kiro", "@git/status", None), [(Some("git"), "status")]);
/// assert_eq!(readings("gemini-cli", "mcp_my_git_log", Some("my_git")), [(Some("my_git"), "log")]);
/// assert_eq!(readings("windsurf", "status", Some("git")), [(Some("git"), "status")]);
/// assert_eq!(readings("copilot", "my-git-log", None), [(Some("my"), "git-log"), (Some("my-git"), "log")]);
/// assert!(readings("copilot", "apply-patch", None).is_empty());
/// ```
pub fn readings<'a>(agent: &str, written: &'a str, server: Option<&'a str>) -> Vec<Reading<'a>> {
    let (written, server) = (written.trim(), server.filter(|server| !server.trim().is_empty()));
    let is_own = |(who, prefix): &(&str, &str)| *who == agent && written.starts_with(prefix);
    if written.is_empty() || OWN.iter().any(is_own) {
        return Vec::new();
    }
    let fits = |spelling: &&Spelling| spelling.agents.is_empty() || spelling.agents.contains(&agent);
    let spellings = || SPELLINGS.iter().filter(fits);
    if NAMELESS.contains(&agent) {
        let named = spellings().find_map(|spelling| after(written, spelling.prefix).map(|rest| (spelling, rest)));
        return match (named, server) {
            (Some((spelling, rest)), _) => spelling.splits(rest),
            (None, Some(_)) => vec![(Some(""), written)],
            (None, None) => Vec::new(),
        };
    }
    if let Some(server) = server {
        let tool = spellings().find_map(|spelling| spelling.tool(written, server));
        // Where the name has a server of its own, that is how everybody else knows it.
        let own = || spellings().next().and_then(|spelling| spelling.read(written)?.first().copied());
        return vec![tool.map(|tool| (Some(server), tool)).or_else(own).unwrap_or((Some(server), written))];
    }
    if is_known(written) {
        return Vec::new();
    }
    let known = KNOWN.iter().filter(|(who, _)| *who == agent).find_map(|(_, server)| {
        let tool = spellings().find_map(|spelling| spelling.tool(written, server))?;
        Some(vec![(Some(*server), tool)])
    });
    known.or_else(|| spellings().find_map(|spelling| spelling.read(written))).unwrap_or_default()
}

/// The name for what an agent wrote, by what that can mean. Where that is not one thing the normal name is what was
/// written, and restrictions go by each of them.
///
/// ```
/// let (names, written) = (tollgate_wire::names(), "my-git-Log");
/// let name = tollgate_wire::name_of(&names, written, &tollgate_wire::readings("copilot", written, None));
/// assert_eq!(name.exact().collect::<Vec<_>>(), ["my-git-log"]);
/// let all = ["my-git-log", "mcp__my__git-log", "git-log", "mcp__my-git__log", "log"];
/// assert_eq!(name.all().collect::<Vec<_>>(), all);
/// ```
pub fn name_of<'a>(names: &'a Names, written: &'a str, readings: &[Reading<'_>]) -> Name<'a> {
    let normal = |server: &str, tool: &str| format!("mcp__{}__{}", server.trim(), tool.trim()).to_lowercase();
    if let [(Some(server), tool)] = readings {
        return names.meaning(written, normal(server, tool), !tool.trim().eq_ignore_ascii_case(written.trim()));
    }
    // What may as well be an agent's own tool is not called by a part of its name.
    let most = if readings.iter().all(|(server, _)| server.is_some()) { usize::MAX } else { 1 };
    let servers = readings.iter().filter_map(|(server, tool)| Some(normal((*server)?, tool)));
    servers.fold(names.name(written), |name, normal| names.name(&normal).all().take(most).fold(name, Name::or))
}

/// Which of these servers an agent means by a tool's name, where it says which there are: the one with the longest name
/// that fits.
///
/// ```
/// assert_eq!(tollgate_wire::among("opencode", "my_git_log", ["my", "My.Git"]), Some("My.Git"));
/// assert_eq!(tollgate_wire::among("opencode", "git_log", ["my"]), None);
/// ```
pub fn among<'a>(agent: &str, written: &str, servers: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let spellings = SPELLINGS.iter().filter(|spelling| spelling.agents.contains(&agent));
    let fits = |server: &&str| spellings.clone().any(|spelling| spelling.tool(written, server).is_some());
    servers.into_iter().filter(|server| !server.trim().is_empty()).filter(fits).max_by_key(|server| server.len())
}

impl Spelling {
    /// What a name can mean if it is spelled like this.
    fn read<'a>(&self, written: &'a str) -> Option<Vec<Reading<'a>>> {
        // Half a name of ours is not another's.
        if !self.agents.is_empty() && after(written, SPELLINGS.first()?.prefix).is_some() {
            return None;
        }
        let mut all = self.splits(after(written, self.prefix)?);
        if self.doubtful && !all.is_empty() {
            all.insert(0, (None, written));
        }
        (!all.is_empty()).then_some(all)
    }

    fn splits<'a>(&self, rest: &'a str) -> Vec<Reading<'a>> {
        if self.between.is_empty() {
            return if rest.is_empty() { Vec::new() } else { vec![(Some(""), rest)] };
        }
        let splits = rest.match_indices(self.between).map(|(at, mark)| (&rest[..at], &rest[at + mark.len()..]));
        let splits = splits.filter(|(server, tool)| !server.is_empty() && !tool.is_empty());
        // The normal name has the same mark, so there it does not matter where the server's name ends.
        let most = if self.between == "__" { 1 } else { usize::MAX };
        splits.take(most).map(|(server, tool)| (Some(server), tool)).collect()
    }

    /// The tool, if a name is spelled like this with that server.
    fn tool<'a>(&self, written: &'a str, server: &str) -> Option<&'a str> {
        if self.between.is_empty() {
            return None;
        }
        let rest = after(written, self.prefix)?;
        let alike = |a: char, b: char| a.eq_ignore_ascii_case(&b) || !b.is_ascii_alphanumeric() && "_-".contains(a);
        let mut left = rest.chars();
        if !server.trim().chars().all(|own| left.next().is_some_and(|written| alike(written, own))) {
            return None;
        }
        left.as_str().strip_prefix(self.between).filter(|tool| !tool.is_empty())
    }
}

/// What stands behind a beginning, in upper or lower case.
fn after<'a>(written: &'a str, prefix: &str) -> Option<&'a str> {
    let (first, rest) = written.split_at_checked(prefix.len())?;
    first.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn is_known(written: &str) -> bool {
    let is = |name: &&str| name.eq_ignore_ascii_case(written);
    TOOLS.iter().any(|tool| is(&tool.name) || tool.aliases.iter().any(is))
}

/// The server and the tool of a normal name, if it is the name of a server's tool. Where it is known which server that is,
/// its name may have the mark in it that ends it. The server is empty where nobody names it.
///
/// ```
/// use tollgate_wire::server_tool;
///
/// assert_eq!(server_tool("mcp__github__fork", None), Some(("github", "fork")));
/// assert_eq!(server_tool("mcp__my__git__log", Some("My__Git")), Some(("my__git", "log")));
/// assert_eq!(server_tool("mcp____fork", Some("https://mcp.example.com")), Some(("", "fork")));
/// assert_eq!(server_tool("exec", Some("github")), None);
/// ```
pub fn server_tool<'a>(normal_name: &'a str, server: Option<&str>) -> Option<(&'a str, &'a str)> {
    let ours = SPELLINGS.first()?;
    let rest = normal_name.strip_prefix(ours.prefix)?;
    let told = server.and_then(|server| ours.tool(normal_name, server)).filter(|_| !rest.starts_with(ours.between));
    let split = told.map(|tool| (&rest[..rest.len() - tool.len() - ours.between.len()], tool));
    split.or_else(|| rest.split_once(ours.between)).filter(|(_, tool)| !tool.is_empty())
}

/// What else a name in a policy means, as normal names: who writes down how one agent spells a tool means that tool.
/// `lets` is whether the name lets something through; then it only means what it must. Works for patterns, too.
///
/// ```
/// use tollgate_wire::normal_spellings;
///
/// assert_eq!(normal_spellings("@github/fork", true), ["mcp__github__fork"]);
/// assert_eq!(normal_spellings("GitHub__*", true), ["mcp__github__*"]);
/// assert_eq!(normal_spellings("mcp_my_git_log", false), ["mcp__my__git_log", "mcp__my_git__log"]);
/// assert!(normal_spellings("mcp_my_git_log", true).is_empty());
/// assert_eq!(normal_spellings("mcp__github__fork", false), ["mcp____fork"]);
/// assert!(normal_spellings("read_file", false).is_empty());
/// ```
pub fn normal_spellings(written: &str, lets: bool) -> Vec<String> {
    let written = written.trim().to_lowercase();
    if is_known(&written) || OWN.iter().any(|(_, prefix)| written.starts_with(prefix)) {
        return Vec::new();
    }
    let read = |spelling: &'static Spelling| Some((spelling, spelling.read(&written)?));
    // Marks that are in ordinary names, too, say nothing by themselves.
    let plain = |spelling: &&Spelling| !spelling.prefix.is_empty() || spelling.between == "__";
    let strict = || SPELLINGS.iter().filter(plain).find_map(read);
    let Some((spelling, all)) = strict().or_else(|| SPELLINGS.iter().filter(|_| !lets).find_map(read)) else {
        return Vec::new();
    };
    let is_ours = spelling.agents.is_empty();
    let servers = all.iter().filter_map(|(server, tool)| Some(((*server)?, *tool)));
    match servers.clone().next() {
        // Nobody but the agent knows the server, so a restriction is one for all of them.
        Some(("", tool)) if !lets => vec![format!("mcp__*__{tool}")],
        // The server that has no name may be this one.
        Some((_, tool)) if is_ours => match !lets && !tool.trim_matches('*').is_empty() {
            true => vec![format!("mcp____{tool}")],
            false => Vec::new(),
        },
        Some(_) if !lets || servers.clone().count() == 1 => {
            servers.map(|(server, tool)| format!("mcp__{server}__{tool}")).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_mean() {
        let t = |server: &'static str, tool: &'static str| vec![(Some(server), tool)];
        for (agent, written, server, expected) in [
            ("claude-code", "mcp__everything__echo", None, t("everything", "echo")),
            ("claude-code", "mcp__plugin_a_b__say__it", Some("plugin:a:b"), t("plugin:a:b", "say__it")),
            ("claude-code", "mcp__a__b__c", Some("A__B"), t("A__B", "c")),
            ("claude-code", "mcp__a__b__c", None, t("a", "b__c")),
            // The name is what everybody else knows it by.
            ("claude-code", "mcp__claude_ai_x__t", Some("X"), t("claude_ai_x", "t")),
            ("claude-code", "mcp__everything", None, vec![]),
            ("claude-code", "mcp__everything__", None, vec![]),
            ("claude-code", "Bash", None, vec![]),
            ("claude-code", "some__thing", None, vec![]),
            ("gemini-cli", "mcp_everything_echo", Some("everything"), t("everything", "echo")),
            ("gemini-cli", "mcp_my_git_log", None, vec![(Some("my"), "git_log"), (Some("my_git"), "log")]),
            ("gemini-cli", "run_shell_command", None, vec![]),
            ("copilot", "everything-echo", None, t("everything", "echo")),
            ("copilot", "everything/echo", None, t("everything", "echo")),
            ("copilot", "mcp_github_fork", None, t("github", "fork")),
            ("copilot", "github-mcp-server-get_me", None, t("github-mcp-server", "get_me")),
            ("copilot", "a-b-c", None, vec![(Some("a"), "b-c"), (Some("a-b"), "c")]),
            ("copilot", "apply-patch", None, vec![]),
            ("copilot", "read_bash", None, vec![]),
            ("copilot", "-x", None, vec![]),
            ("cursor", "MCP:create_issue", None, t("", "create_issue")),
            ("cursor", "create_issue", Some("https://x.example"), t("", "create_issue")),
            ("cursor", "MCP:create_issue", Some("npx x"), t("", "create_issue")),
            ("cursor", "Shell", None, vec![]),
            ("cursor", "MCP:", None, vec![]),
            ("kiro", "@git/status", None, t("git", "status")),
            ("kiro", "@git", None, vec![]),
            ("kiro", "execute_bash", None, vec![]),
            ("cline", "everything__echo", None, t("everything", "echo")),
            ("goose", "github__create_issue", None, t("github", "create_issue")),
            ("goose", "developer__shell", None, vec![]),
            ("goose", "developer__analyze", None, vec![]),
            ("goose", "mcp__everything", None, vec![]),
            ("opencode", "github_fork", None, vec![(None, "github_fork"), (Some("github"), "fork")]),
            ("opencode", "apply_patch", None, vec![]),
            ("opencode", "bash", None, vec![]),
            ("windsurf", "read_file", Some("files"), t("files", "read_file")),
            ("windsurf", "files_read", Some("files"), t("files", "files_read")),
            ("", "read_file", Some("files"), t("files", "read_file")),
            ("", "mcp__files__read_file", Some("files"), t("files", "read_file")),
            ("", "read_file", Some(" "), vec![]),
        ] {
            assert_eq!(readings(agent, written, server), expected, "{agent} {written} {server:?}");
        }
    }

    #[test]
    fn what_names_in_policies_mean() {
        for (written, restricts, lets) in [
            ("github__fork", &["mcp__github__fork"][..], &["mcp__github__fork"][..]),
            ("@github/*", &["mcp__github__*"], &["mcp__github__*"]),
            ("mcp_github_fork", &["mcp__github__fork"], &["mcp__github__fork"]),
            ("mcp_my_git_log", &["mcp__my__git_log", "mcp__my_git__log"], &[]),
            ("github-fork", &["mcp__github__fork"], &[]),
            ("github/fork", &["mcp__github__fork"], &[]),
            ("delete_repository", &["mcp__delete__repository"], &[]),
            ("MCP:fork", &["mcp__*__fork"], &["mcp____fork"]),
            ("mcp__github__fork", &["mcp____fork"], &[]),
            ("mcp__github__*", &[], &[]),
            ("mcp__*", &[], &[]),
            ("*", &[], &[]),
            ("exec", &[], &[]),
            ("apply-patch", &[], &[]),
            ("developer__shell", &[], &[]),
        ] {
            assert_eq!(normal_spellings(written, false), restricts, "{written}");
            assert_eq!(normal_spellings(written, true), lets, "{written}");
        }
    }
}
