// Runs `minutes` commands one after another in one process: a process of its own takes each of them a second of a core.
// A request's form has a command's folder, environment and arguments. The answer is what it printed, with 500 if it failed.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const [, , program, socket] = process.argv;
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0); // each run of the program adds one
/** Time that a command has, in ms. One that waits for something would stop all others. */
const PATIENCE = 240_000;
let last = Promise.resolve();
let runs = 0;

/** Runs a command. @param {URLSearchParams} form */
async function runCommand(form) {
  const printed = { stdout: "", stderr: "" };
  const originals = {};
  for (const name of ["stdout", "stderr"]) {
    originals[name] = process[name].write;
    process[name].write = (chunk, ...more) => {
      printed[name] += chunk;
      more.find((one) => typeof one === "function")?.();
      return true;
    };
  }
  try {
    process.chdir(form.get("folder"));
    process.env = Object.fromEntries(form.getAll("variable").map((pair) => pair.split(/=(.*)/s, 2)));
    process.argv = [process.execPath, program, ...form.getAll("argument")];
    process.exitCode = 0;
    const ran = import(`${pathToFileURL(program)}?${++runs}`); // the query lets it run again
    const late = setTimeout(() => {
      throw new Error(
        `minutes ${form.getAll("argument").join(" ")} doesn't end: ${printed.stdout}${printed.stderr}`,
      );
    }, PATIENCE);
    await ran.finally(() => clearTimeout(late));
    return { failed: process.exitCode !== 0, ...printed };
  } finally {
    process.exitCode = 0;
    for (const name of ["stdout", "stderr"]) process[name].write = originals[name];
  }
}

createServer(async (request, response) => {
  const form = new URLSearchParams(await text(request));
  last = last
    .then(() => runCommand(form))
    .then(
      ({ failed, stdout, stderr }) =>
        response.writeHead(failed ? 500 : 200).end(failed ? stdout + stderr : stdout),
      (error) => response.writeHead(500).end(String(error)),
    );
}).listen(socket, () => console.log("ready"));
