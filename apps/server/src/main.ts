import { EXIT } from "./commands/cli/exit.js";
import { runCommand } from "./commands/program.js";
import { start } from "./start.js";

// A reader that closes the pipe early, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
});

process.exitCode = await runCommand(process.argv.slice(2), start);
