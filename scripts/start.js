// Runs `pnpm start`: installs what the server needs, then runs it in this process, so that signals reach it. What the
// console needs is installed and built beside it; until it is there, the server's own page answers at `/`.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { install } from "./install.js";

try {
  install("server");
} catch {
  console.error("The packages could not be installed; the lines above say why.");
  process.exit(1);
}
if (process.env.CONSOLE !== "off") {
  const build = fileURLToPath(new URL("build-console.js", import.meta.url));
  const building = spawn(process.execPath, [build], { stdio: ["ignore", "pipe", "pipe"] });
  // The server comes first where both want the processor.
  if (building.pid) setPriority(building.pid, constants.priority.PRIORITY_LOW);
  let output = "";
  for (const stream of [building.stdout, building.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  building.on("exit", (code) => {
    if (code) console.error(`The console could not be built:\n${output}`);
  });
}
process.argv.splice(2, 0, "start");
await import("../apps/server/bin/minutes.js");
