// The context also holds things that cannot be written down.
function ask(hook, event, context) {
  const { agentId, sessionKey, sessionId, runId, workspaceDir } = context ?? {};
  const cwd = workspaceDir ?? process.cwd();
  return judge("openclaw", { hook, event, ctx: { agentId, sessionKey, sessionId, runId }, cwd });
}

// An error is a refusal here too; saying it plainly keeps the reason readable.
function beforeToolCall(event, context) {
  const answer = ask("before_tool_call", event, context);
  switch (answer.decision) {
    case "pass":
      return undefined;
    case "rewrite": {
      // New arguments are laid over the old ones: what is to be gone must be named.
      const gone = Object.keys(event.params ?? {}).map((key) => [key, undefined]);
      return { params: { ...Object.fromEntries(gone), ...answer.value } };
    }
    case "ask":
      return {
        requireApproval: {
          title: "Tollgate asks",
          description: answer.reason,
          severity: "warning",
          timeoutBehavior: "deny",
        },
      };
    default:
      return { block: true, blockReason: answer.reason };
  }
}

// What is stored of a result. An error here would store it as it is, so none leaves.
function toolResultPersist(event, context) {
  const withheld = (reason) => {
    const { details, ...message } = event.message;
    return { message: { ...message, content: [{ type: "text", text: reason }] } };
  };
  try {
    const answer = ask("tool_result_persist", event, context);
    if (answer.decision === "pass") return undefined;
    return answer.decision === "rewrite" ? { message: answer.value } : withheld(answer.reason);
  } catch (error) {
    return withheld(error.message);
  }
}

const WATCHED = ["after_tool_call", "session_start", "session_end", "subagent_spawned", "subagent_ended", "before_compaction"];

export default {
  id: "tollgate",
  name: "Tollgate",
  description: "Judges every tool call with the policy of Tollgate.",
  register(api) {
    // Last of all plugins: what is judged is what will run. Ours is given more time than it takes.
    const options = { priority: -1000000, timeoutMs: 40000 };
    api.on("before_tool_call", beforeToolCall, options);
    api.on("tool_result_persist", toolResultPersist, options);
    for (const hook of WATCHED) {
      api.on(hook, (event, context) => void ask(hook, event, context), options);
    }
  },
};
