// node ask_cc_safety_net.mjs FOLDER_WITH_NODE_MODULES ROUNDS < commands.json
// Prints nanoseconds for each decision, the best round.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, rounds] = [process.argv[2], Number(process.argv[3])];
const api = pathToFileURL(join(folder, "node_modules", "cc-safety-net", "dist", "api.js"));
const { checkCommand } = await import(api.href);
const commands = JSON.parse(readFileSync(0, "utf8"));
let best = Infinity;
for (let round = 0; round < rounds; round++) {
  const start = process.hrtime.bigint();
  for (const command of commands) checkCommand({ command, cwd: process.cwd() });
  best = Math.min(best, Number(process.hrtime.bigint() - start) / commands.length);
}
console.log(Math.round(best));
