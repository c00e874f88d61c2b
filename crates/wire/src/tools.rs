//! The one table of tool names.
//!
//! An alias says that two names are the same tool in every agent; a rule for one then holds for the other.
//! A kind says only that tools do the same *sort* of thing: `read_file` and `view` both read, but take their
//! arguments differently, so a rule for one must not silently be a rule for the other.

use tollgate_core::Names;

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The normalized name: lower case, and the target of the aliases.
    pub name: &'static str,
    /// What it does, one of [`KINDS`].
    pub kind: &'static str,
    /// Other names for the very same tool.
    pub aliases: &'static [&'static str],
}

/// The kinds there are.
///
/// | kind | what it does |
/// |---|---|
/// | `exec` | runs a command |
/// | `stdin` | talks to a command that runs already |
/// | `read` | looks at files |
/// | `write` | makes, replaces or removes whole files |
/// | `edit` | changes parts of files |
/// | `web` | fetches from the network |
/// | `mcp` | belongs to an MCP server, which alone knows what it does |
/// | `agent` | starts or steers another agent, or calls tools on its own |
/// | `other` | none of this |
pub const KINDS: &[&str] = &["exec", "stdin", "read", "write", "edit", "web", "mcp", "agent", "other"];

const fn tool(kind: &'static str, name: &'static str) -> Tool {
    Tool { name, kind, aliases: &[] }
}

/// Every tool that is known by name, of all agents.
pub const TOOLS: &[Tool] = &[
    Tool { name: "exec", kind: "exec", aliases: &["bash"] },
    tool("exec", "powershell"),
    tool("exec", "shell"),
    tool("exec", "execute"),
    tool("exec", "execute_bash"),
    tool("exec", "execute_command"),
    tool("exec", "exec_command"),
    tool("exec", "run_shell_command"),
    tool("exec", "run_commands"),
    tool("exec", "monitor"),
    tool("exec", "developer__shell"),
    tool("exec", "beforeshellexecution"),
    tool("exec", "pre_run_command"),
    tool("exec", "local_shell"),
    tool("exec", "run_command"),
    tool("exec", "run_in_terminal"),
    tool("exec", "run_terminal_cmd"),
    tool("exec", "run_terminal_command"),
    tool("exec", "shell_command"),
    tool("exec", "terminal"),
    tool("stdin", "write_stdin"),
    tool("stdin", "write_bash"),
    tool("stdin", "read_bash"),
    tool("stdin", "process"),
    tool("read", "read"),
    tool("read", "read_file"),
    tool("read", "read_files"),
    tool("read", "read_many_files"),
    tool("read", "readfile"),
    tool("read", "open_file"),
    tool("read", "list_dir"),
    tool("read", "view"),
    tool("read", "view_image"),
    tool("read", "fs_read"),
    tool("read", "beforereadfile"),
    tool("read", "pre_read_code"),
    tool("read", "glob"),
    tool("read", "grep"),
    tool("read", "grep_search"),
    tool("read", "search_codebase"),
    tool("read", "ls"),
    tool("read", "list_directory"),
    tool("read", "readmcpresourcetool"),
    tool("read", "read_mcp_resource"),
    tool("read", "mcp.resource"),
    tool("read", "mcp.prompt"),
    tool("write", "write"),
    tool("write", "write_file"),
    tool("write", "write_to_file"),
    tool("write", "create"),
    tool("write", "fs_write"),
    tool("write", "delete"),
    tool("write", "pre_write_code"),
    tool("write", "create_file"),
    tool("write", "delete_file"),
    tool("write", "move_file"),
    tool("write", "rename_file"),
    tool("write", "copy_file"),
    Tool { name: "apply_patch", kind: "edit", aliases: &["apply-patch"] },
    tool("edit", "applypatch"),
    tool("edit", "edit"),
    tool("edit", "editor"),
    tool("edit", "replace"),
    tool("edit", "replace_in_file"),
    tool("edit", "edit_file"),
    tool("edit", "insert_edit_into_file"),
    tool("edit", "multiedit"),
    tool("edit", "multi_edit"),
    tool("edit", "multi_replace_string_in_file"),
    tool("edit", "replace_string_in_file"),
    tool("edit", "search_replace"),
    tool("edit", "str_replace_based_edit_tool"),
    tool("edit", "str_replace_editor"),
    tool("edit", "notebookedit"),
    tool("edit", "notebook_edit"),
    tool("edit", "developer__text_editor"),
    tool("web", "webfetch"),
    tool("web", "web_fetch"),
    tool("web", "fetchurl"),
    tool("web", "fetch"),
    tool("web", "fetch_url"),
    tool("web", "fetch_webpage"),
    tool("web", "fetch_web_content"),
    tool("web", "websearch"),
    tool("web", "web_search"),
    tool("web", "google_web_search"),
    tool("mcp", "use_mcp_tool"),
    tool("agent", "agent"),
    tool("agent", "task"),
    tool("agent", "spawn_agent"),
    tool("agent", "invoke_agent"),
    tool("agent", "workflow"),
    tool("agent", "skill"),
    tool("agent", "sendmessage"),
    tool("agent", "tool_call"),
    tool("other", "ask_question"),
    tool("other", "todowrite"),
    tool("other", "toolsearch"),
    tool("other", "tool_search"),
    tool("other", "update_plan"),
];

/// The aliases in force, for a [`Registry`](tollgate_core::Registry).
///
/// ```
/// assert_eq!(tollgate_wire::names().name("Bash").normal(), "exec");
/// ```
pub fn names() -> Names {
    let mut names = Names::default();
    for tool in TOOLS {
        tool.aliases.iter().for_each(|alias| names.alias(alias, tool.name));
    }
    names
}

/// What a tool does, by its normalized name. A tool of an MCP server can call itself anything, so the prefix
/// that agents put before such names is asked for after the table and never inside a name.
///
/// ```
/// use tollgate_wire::kind;
///
/// assert_eq!(kind("exec"), Some("exec"));
/// assert_eq!(kind("mcp__github__create_issue"), Some("mcp"));
/// assert_eq!(kind("order_pizza"), None);
/// ```
pub fn kind(normal_name: &str) -> Option<&'static str> {
    let known = TOOLS.iter().find(|tool| tool.name == normal_name || tool.aliases.contains(&normal_name));
    known.map(|tool| tool.kind).or(normal_name.starts_with("mcp__").then_some("mcp"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn normal_names_and_kinds() {
        let names = names();
        for (written, normal, expected) in [
            ("Bash", "exec", Some("exec")),
            (" bash\n", "exec", Some("exec")),
            ("BASH", "exec", Some("exec")),
            ("exec", "exec", Some("exec")),
            ("Apply-Patch", "apply_patch", Some("edit")),
            ("apply_patch", "apply_patch", Some("edit")),
            ("ApplyPatch", "applypatch", Some("edit")),
            ("Read", "read", Some("read")),
            ("read_file", "read_file", Some("read")),
            ("Write", "write", Some("write")),
            ("NotebookEdit", "notebookedit", Some("edit")),
            ("run_shell_command", "run_shell_command", Some("exec")),
            ("write_stdin", "write_stdin", Some("stdin")),
            ("WebFetch", "webfetch", Some("web")),
            ("Task", "task", Some("agent")),
            ("mcp__srv__bash", "mcp__srv__bash", Some("mcp")),
            ("MCP__Srv__Tool", "mcp__srv__tool", Some("mcp")),
            ("mcp.resource", "mcp.resource", Some("read")),
            ("update_plan", "update_plan", Some("other")),
            ("not_mcp__tool", "not_mcp__tool", None),
            ("bash2", "bash2", None),
            ("", "", None),
        ] {
            let name = names.name(written);
            assert_eq!((name.normal(), kind(name.normal())), (normal, expected), "{written:?}");
        }
    }

    #[test]
    fn the_table_agrees_with_itself() {
        let mut seen = BTreeSet::new();
        for tool in TOOLS {
            assert!(KINDS.contains(&tool.kind), "{tool:?}");
            for name in [&[tool.name], tool.aliases].concat() {
                assert!(seen.insert(name), "`{name}` is there twice");
                assert_eq!(name, name.trim().to_lowercase(), "{tool:?}");
                assert_eq!(names().name(name).normal(), tool.name, "{tool:?}");
                assert_eq!(kind(name), Some(tool.kind), "{tool:?}");
            }
        }
    }
}
