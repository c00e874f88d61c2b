// Made by `tollgate init`, removed by `tollgate uninstall`. Changes are lost when it is made again.
import { spawnSync } from "node:child_process";

const PROGRAM = "@PROGRAM@";
const PATIENCE_MS = "@PATIENCE@";

// Whatever goes wrong must not look like consent. It becomes an error, and an error refuses.
function broken(what) {
  const mend = "`tollgate doctor` says what is wrong and how to mend it";
  return new Error(`Tollgate could not judge this, so it is refused: ${what}; ${mend}`);
}

// Asks Tollgate about one event. Gives {decision, reason, value, notes}, or throws.
// It waits: some hooks must answer at once, and a decision takes a few milliseconds.
function judge(agent, event) {
  const run = spawnSync(PROGRAM, ["hook", agent], {
    input: JSON.stringify(event),
    encoding: "utf8",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024 * 1024,
    windowsHide: true,
  });
  if (run.error) throw broken(`${PROGRAM} cannot be asked (${run.error.message})`);
  if (run.status !== 0) {
    const ending = run.signal ? `by ${run.signal}` : `with status ${run.status}`;
    const said = run.stderr.trim();
    throw broken(`${PROGRAM} ended ${ending}${said && `: ${said}`}`);
  }
  // Silence is consent, but only of a program that ended well.
  if (run.stdout === "") return { decision: "pass", notes: [] };
  let answer;
  try {
    answer = JSON.parse(run.stdout);
  } catch {
    throw broken(`${PROGRAM} printed something that is no answer`);
  }
  if (!isAnswer(answer)) throw broken(`${PROGRAM} printed an answer that this plugin does not know`);
  return { notes: [], ...answer };
}

function isAnswer(answer) {
  const { decision, reason, notes = [] } = Object(answer);
  const told = typeof reason === "string" && reason.trim() !== "";
  return (
    Array.isArray(notes) &&
    notes.every((note) => typeof note === "string") &&
    (decision === "pass" ||
      (decision === "rewrite" && isObject(answer.value)) ||
      ((decision === "ask" || decision === "deny") && told))
  );
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
