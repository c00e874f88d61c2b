//! What each agent's files hold when there was nothing before.

use expect_test::{Expect, expect};

use super::{Machine, setup};
use crate::setup::agents::Level;

#[test]
fn what_is_written() {
    fn check(id: &str, expected: Expect) {
        let machine = Machine::new();
        machine.install(setup(id), Level::User).unwrap().write().unwrap();
        let files = machine.tree().into_iter().filter(|(_, text)| !text.is_empty());
        // Of a plugin, what depends on this machine; the rest is the shim's own business.
        let own = |path: &str, text: &str| match path.ends_with(".js") {
            true => text.lines().filter(|line| line.contains("tollgate\"")).map(|line| format!("{line}\n")).collect(),
            false => text.to_owned(),
        };
        let shown: String =
            files.map(|(path, text)| format!("== {path}\n{}", own(path.as_ref(), text.as_ref()))).collect();
        expected.assert_eq(&shown.replace(machine.root.to_str().unwrap(), ""));
    }
    check(
        "claude-code",
        expect![[r#"
            == home/.claude/settings.json
            {
              "hooks": {
                "PreToolUse": [
                  {
                    "matcher": "*",
                    "hooks": [
                      {
                        "type": "command",
                        "command": "'/opt/my tools/tollgate' hook claude-code",
                        "timeout": 60,
                        "onFailure": "block"
                      }
                    ]
                  }
                ],
                "PostToolUse": [
                  {
                    "matcher": "*",
                    "hooks": [
                      {
                        "type": "command",
                        "command": "'/opt/my tools/tollgate' hook claude-code",
                        "timeout": 60,
                        "onFailure": "block"
                      }
                    ]
                  }
                ],
                "UserPromptSubmit": [
                  {
                    "hooks": [
                      {
                        "type": "command",
                        "command": "'/opt/my tools/tollgate' hook claude-code",
                        "timeout": 60,
                        "onFailure": "block"
                      }
                    ]
                  }
                ]
              }
            }
        "#]],
    );
    check(
        "codex",
        expect![[r#"
        == home/.codex/config.toml
        [hooks.state."/home/.codex/hooks.json:pre_tool_use:0:0"]
        trusted_hash = "sha256:59bd536bbef22415592b35cbc9a3d0c3529d7bff2b25bce0c23d3cb09367ed46"

        [hooks.state."/home/.codex/hooks.json:post_tool_use:0:0"]
        trusted_hash = "sha256:cc310276563bf09e3ae63805736107d3289e6025cbd654dbfce7d856528b8e21"

        [hooks.state."/home/.codex/hooks.json:user_prompt_submit:0:0"]
        trusted_hash = "sha256:d4e4a144ae5fc31ae3db1f65972ad275b254646c41e0c04875e7c2efc364fdbe"
        == home/.codex/hooks.json
        {
          "hooks": {
            "PreToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook codex",
                    "timeout": 60
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook codex",
                    "timeout": 60
                  }
                ]
              }
            ],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook codex",
                    "timeout": 60
                  }
                ]
              }
            ]
          }
        }
    "#]],
    );
    check(
        "gemini-cli",
        expect![[r#"
        == home/.gemini/settings.json
        {
          "hooks": {
            "BeforeTool": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook gemini-cli",
                    "timeout": 60000,
                    "name": "tollgate"
                  }
                ]
              }
            ],
            "AfterTool": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook gemini-cli",
                    "timeout": 60000,
                    "name": "tollgate"
                  }
                ]
              }
            ],
            "BeforeAgent": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook gemini-cli",
                    "timeout": 60000,
                    "name": "tollgate"
                  }
                ]
              }
            ]
          }
        }
    "#]],
    );
    check(
        "qwen-code",
        expect![[r#"
        == home/.qwen/settings.json
        {
          "hooks": {
            "PreToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook qwen-code",
                    "timeout": 60000
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook qwen-code",
                    "timeout": 60000
                  }
                ]
              }
            ],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook qwen-code",
                    "timeout": 60000
                  }
                ]
              }
            ]
          }
        }
    "#]],
    );
    check(
        "droid",
        expect![[r#"
        == home/.factory/settings.json
        {
          "hooks": {
            "PreToolUse": [
              {
                "matcher": "*",
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook droid",
                    "timeout": 60
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "matcher": "*",
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook droid",
                    "timeout": 60
                  }
                ]
              }
            ],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook droid",
                    "timeout": 60
                  }
                ]
              }
            ]
          }
        }
    "#]],
    );
    check(
        "copilot",
        expect![[r#"
        == home/.copilot/hooks/tollgate.json
        {
          "version": 1,
          "hooks": {
            "preToolUse": [
              {
                "type": "command",
                "bash": "'/opt/my tools/tollgate' hook copilot preToolUse",
                "timeoutSec": 60
              }
            ],
            "postToolUse": [
              {
                "type": "command",
                "bash": "'/opt/my tools/tollgate' hook copilot postToolUse",
                "timeoutSec": 60
              }
            ],
            "UserPromptSubmit": [
              {
                "type": "command",
                "bash": "'/opt/my tools/tollgate' hook copilot UserPromptSubmit",
                "timeoutSec": 60
              }
            ]
          }
        }
    "#]],
    );
    check(
        "cursor",
        expect![[r#"
        == home/.cursor/hooks.json
        {
          "version": 1,
          "hooks": {
            "preToolUse": [
              {
                "type": "command",
                "command": "'/opt/my tools/tollgate' hook cursor",
                "timeout": 60,
                "failClosed": true
              }
            ],
            "beforeShellExecution": [
              {
                "type": "command",
                "command": "'/opt/my tools/tollgate' hook cursor",
                "timeout": 60,
                "failClosed": true
              }
            ],
            "beforeSubmitPrompt": [
              {
                "type": "command",
                "command": "'/opt/my tools/tollgate' hook cursor",
                "timeout": 60,
                "failClosed": true
              }
            ]
          }
        }
    "#]],
    );
    check(
        "windsurf",
        expect![[r#"
        == home/.codeium/windsurf/hooks.json
        {
          "hooks": {
            "pre_run_command": [
              {
                "command": "'/opt/my tools/tollgate' hook windsurf",
                "show_output": true
              }
            ],
            "pre_user_prompt": [
              {
                "command": "'/opt/my tools/tollgate' hook windsurf",
                "show_output": true
              }
            ]
          }
        }
    "#]],
    );
    check(
        "cline",
        expect![[r#"
        == home/.cline/hooks/PostToolUse
        #!/bin/sh
        exec '/opt/my tools/tollgate' hook cline PostToolUse
        == home/.cline/hooks/PreToolUse
        #!/bin/sh
        exec '/opt/my tools/tollgate' hook cline tool_call
    "#]],
    );
    check(
        "openclaw",
        expect![[r#"
            == home/.openclaw/openclaw.json
            {
              "plugins": {
                "load": {
                  "paths": [
                    "/home/.openclaw/plugins/tollgate"
                  ]
                },
                "entries": {
                  "tollgate": {
                    "enabled": true
                  }
                }
              }
            }
            == home/.openclaw/plugins/tollgate/index.js
            const PROGRAM = "/opt/my tools/tollgate";
              id: "tollgate",
            == home/.openclaw/plugins/tollgate/openclaw.plugin.json
            {
              "id": "tollgate",
              "name": "Tollgate",
              "description": "Judges every tool call with the policy of Tollgate.",
              "activation": {
                "onStartup": true
              },
              "configSchema": {
                "type": "object",
                "additionalProperties": false,
                "properties": {}
              }
            }
            == home/.openclaw/plugins/tollgate/package.json
            {
              "name": "tollgate",
              "version": "0.1.0",
              "private": true,
              "type": "module",
              "openclaw": {
                "extensions": [
                  "./index.js"
                ]
              }
            }
        "#]],
    );
    check(
        "kiro",
        expect![[r#"
            == home/.kiro/hooks/tollgate.json
            {
              "version": "v1",
              "hooks": [
                {
                  "name": "tollgate PreToolUse",
                  "trigger": "PreToolUse",
                  "action": {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook kiro PreToolUse"
                  },
                  "timeout": 60,
                  "enabled": true
                },
                {
                  "name": "tollgate UserPromptSubmit",
                  "trigger": "UserPromptSubmit",
                  "action": {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook kiro UserPromptSubmit"
                  },
                  "timeout": 60,
                  "enabled": true
                }
              ]
            }
        "#]],
    );
    check(
        "goose",
        expect![[r#"
        == home/.agents/plugins/tollgate/hooks/hooks.json
        {
          "hooks": {
            "PreToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook goose",
                    "timeout": 60
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook goose",
                    "timeout": 60
                  }
                ]
              }
            ],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/my tools/tollgate' hook goose",
                    "timeout": 60
                  }
                ]
              }
            ]
          }
        }
        == home/.agents/plugins/tollgate/plugin.json
        {
          "name": "tollgate",
          "version": "0.1.0",
          "description": "Asks Tollgate before a tool runs",
          "hooks": "./hooks/hooks.json"
        }
    "#]],
    );
}
