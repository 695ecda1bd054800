// Runs `pnpm start`: installs what the server needs, then runs it in this process, so that signals reach it.
import { install } from "./install.js";

try {
  install({ production: true });
} catch {
  console.error("The packages could not be installed; the lines above say why.");
  process.exit(1);
}
process.argv.splice(2, 0, "start");
await import("../apps/server/bin/minutes.js");
