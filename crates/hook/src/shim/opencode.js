// The MCP servers there are: their tools are called `server_tool`, and other tools may be called like that, too.
let servers = [];

// OpenCode takes an error for a refusal and shows its text to the model.
function ask(hook, input, output, cwd) {
  const answer = judge("opencode", { hook, input, output, cwd, servers });
  if (answer.decision === "pass" || answer.decision === "rewrite") return answer;
  throw new Error(answer.reason);
}

// OpenCode holds on to the object it gave us, so that very object has to change.
function replace(target, value) {
  if (!isObject(target)) throw broken("OpenCode gave nothing that can be changed");
  for (const key of Object.keys(target)) {
    if (!Object.hasOwn(value, key)) delete target[key];
  }
  for (const [key, member] of Object.entries(value)) {
    Object.defineProperty(target, key, { value: member, writable: true, enumerable: true, configurable: true });
  }
}

// Built-in tools answer with a text, tools of MCP servers with a list of parts.
function append(output, notes) {
  if (notes.length === 0) return;
  const text = notes.join("\n");
  if (Array.isArray(output.content)) output.content.push({ type: "text", text });
  else output.output = `${output.output ?? ""}\n\n${text}`;
}

// A refused prompt shows as an unexplained error, so the reason goes to the screen and to the log.
function tell(client, message) {
  client?.tui?.showToast({ body: { title: "Tollgate", message, variant: "error" } })?.catch(() => {});
  client?.app?.log({ body: { service: "tollgate", level: "error", message } })?.catch(() => {});
}

export const Tollgate = async ({ client, directory }) => ({
  config: async (config) => {
    servers = Object.keys(config?.mcp ?? {});
  },
  "tool.execute.before": async (input, output) => {
    const answer = ask("tool.execute.before", input, output, directory);
    if (answer.decision === "rewrite") replace(output.args, answer.value);
  },
  "tool.execute.after": async (input, output) => {
    const answer = ask("tool.execute.after", input, output, directory);
    if (answer.decision === "rewrite") replace(output, answer.value);
    append(output, answer.notes);
  },
  "chat.message": async (input, output) => {
    try {
      ask("chat.message", input, output, directory);
    } catch (error) {
      tell(client, error.message);
      throw error;
    }
  },
});
