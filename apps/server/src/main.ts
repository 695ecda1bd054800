import { EXIT } from "./cli/failure.js";
import { runCommand } from "./cli/program.js";

// A reader that closes the pipe early, such as `head`, is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
});

process.exitCode = await runCommand(process.argv.slice(2));
