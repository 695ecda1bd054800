import { Worker } from "node:worker_threads";
import type { Logger } from "pino";

/** Time in ms to write the log line. A stopped reader of stdout doesn't delay the end. */
const WRITE_TIMEOUT = 500;

/** A thread, because a statement of the embedded engine that never returns also stops the main thread's timers. */
const KILLER = `const { write } = require("node:fs");
const { workerData: { milliseconds, isLogged } } = require("node:worker_threads");
const kill = () => process.kill(process.pid, "SIGKILL");
setTimeout(() => {
  if (!isLogged) return kill();
  const reason = "stopping took too long: killed. Does the database hang?";
  write(1, JSON.stringify({ level: 60, time: Date.now(), msg: reason }) + "\\n", kill);
  setTimeout(kill, ${WRITE_TIMEOUT});
}, milliseconds);`;

/** Kills this process unless it ends within a time in ms, even if its main thread is blocked. Logs the reason first. */
export function killAfter(log: Logger, milliseconds: number): void {
  const workerData = { milliseconds, isLogged: log.isLevelEnabled("fatal") };
  const worker = new Worker(KILLER, { eval: true, workerData });
  worker.unref();
  worker.on("error", (error) => log.error({ fault: error.name }, "nothing limits the time of stopping"));
}
