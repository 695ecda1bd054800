// Ends this process when the npx, npm or pnpm that started it has ended: they don't forward signals.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Poll interval for parent processes, in ms. */
const INTERVAL = 500;
/** Shells, npx, npm and pnpm, by command line. */
const RUNNERS = /(^|\/)(npx|npm|pnpm)(\.c?js)?( |$)|^\S*sh -c /;

/**
 * Finds the package managers that run this process. Returns a function that watches them and sends this process SIGTERM
 * when one has ended. No-op for a process without any, such as under a supervisor.
 */
export function endWithParent() {
  const runners = findRunners();
  return () => {
    if (runners.length === 0) return;
    const timer = setInterval(() => {
      if (!runners.every(isRunning)) process.kill(process.pid, "SIGTERM");
    }, INTERVAL).unref();
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
      process.prependOnceListener(signal, () => {
        clearInterval(timer); // a second signal would end the server immediately
        // Until the server listens for signals, they end the process.
        if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
      });
  };
}

/** Returns the ids of parent processes that are package managers or their shells. */
function findRunners() {
  const runners = [];
  for (let pid = process.ppid; pid > 1; ) {
    const { parent, command } = describeProcess(pid);
    if (!RUNNERS.test(command)) break;
    runners.push(pid);
    pid = parent;
  }
  return runners;
}

function describeProcess(pid) {
  try {
    const text = execFileSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], { encoding: "utf8" });
    const [, parent = 0, command = ""] = /^\s*(\d+)\s+(.*)/.exec(text) ?? [];
    return { parent: Number(parent), command };
  } catch {
    return readProcess(pid); // images without ps
  }
}

function readProcess(pid) {
  try {
    const parent = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") };
  } catch {
    return { parent: 0, command: "" };
  }
}

/** Returns false if a process has ended, even if its parent has not collected its exit code. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true; // not Linux
  }
}
