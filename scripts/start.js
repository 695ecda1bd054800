// Runs `pnpm start`: installs the server's dependencies and runs it in this process, so that it receives signals, and
// ends it with the npx or pnpm that started it. Meanwhile the console's dependencies are installed and the console is
// built; until then, its pages say that it is being prepared.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { endWithParent } from "./end-with-parent.js";
import { install } from "./install.js";

const watchParent = endWithParent();

try {
  await install("server");
} catch {
  console.error("The packages could not be installed; see the lines above.");
  process.exit(1);
}
if (process.env.CONSOLE !== "off") {
  const build = fileURLToPath(new URL("build-console.js", import.meta.url));
  const building = spawn(process.execPath, [build], { stdio: ["ignore", "pipe", "pipe"] });
  // The server takes precedence when both need the CPU.
  if (building.pid) setPriority(building.pid, constants.priority.PRIORITY_LOW);
  process.on("exit", () => building.kill());
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
watchParent();
process.argv.splice(2, 0, "start");
await import("../apps/server/bin/minutes.js");
