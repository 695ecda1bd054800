import { runCommand } from "./folder/command.js";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  signal: stop.signal,
  print: (line) => console.log(line),
  warn: (line) => console.error(line),
});
