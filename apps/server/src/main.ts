import { EXIT } from "./commands/cli/exit.js";
import { runCommand } from "./commands/program.js";
import type { Start } from "./commands/server.js";

// A reader that closes the pipe early, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
});

let isServer = false;

/** Loads the server only for the command that starts it. */
const start: Start = async (config, options) => {
  isServer = true;
  await (await import("./start.js")).start(config, options);
};

process.exitCode = await runCommand(process.argv.slice(2), start);
// A server ends itself. One whose start failed has listeners and loops that would keep it half started.
if (isServer) process.exit();
