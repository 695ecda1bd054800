// Runs `pnpm start`: installs what the server needs, then runs it in this process, so that signals reach it. The
// console is built beside it where that is needed; until it is there, the server's own page answers at `/`.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { install } from "./install.js";

try {
  install({ production: true });
} catch {
  console.error("The packages could not be installed; the lines above say why.");
  process.exit(1);
}
if (process.env.CONSOLE !== "off") {
  const build = fileURLToPath(new URL("../apps/console/build.js", import.meta.url));
  const building = spawn(process.execPath, [build], { stdio: ["ignore", "ignore", "pipe"] });
  // The server comes first where both want the processor.
  if (building.pid) setPriority(building.pid, constants.priority.PRIORITY_LOW);
  let fault = "";
  building.stderr.on("data", (text) => {
    fault += text;
  });
  building.on("exit", (code) => {
    if (code) console.error(`The console could not be built:\n${fault}`);
  });
}
process.argv.splice(2, 0, "start");
await import("../apps/server/bin/minutes.js");
