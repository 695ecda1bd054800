import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, lutimes, mkdir, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDir } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { toRepositoryPath } from "./support/run.js";

/** A process that installs nothing, and then works until `go` exists. It prints "working" and "done". */
const PROCESS = `
import { existsSync } from "node:fs";
import { install } from "./scripts/install.js";
await install("server", async () => {
  console.log("working");
  while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
  console.log("done");
});`;

/** Creates a checkout in which everything that a server needs is installed. */
async function createCheckout() {
  const folder = await temporaryDir();
  for (const name of ["scripts", "node_modules"]) await mkdir(join(folder, name));
  await copyFile(toRepositoryPath("scripts/install.js"), join(folder, "scripts/install.js"));
  for (const [name, text] of Object.entries({
    "package.json": '{ "type": "module" }',
    "pnpm-lock.yaml": "lockfileVersion: '9.0'",
    "node_modules/.installed-lockfile": createHash("sha256").update("lockfileVersion: '9.0'").digest("hex"),
    "work.js": PROCESS,
  }))
    await writeFile(join(folder, name), text);
  return { folder, lock: join(folder, "node_modules/.installing") };
}

/**
 * Starts the process, which first does what a shell is told, and collects what it prints on both streams.
 * @returns `closed` when it has ended and all it printed is read
 */
function start(folder: string, before = "") {
  const child = spawn("sh", ["-c", `${before}exec "$0" work.js`, process.execPath], { cwd: folder });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  return { child, closed: once(child, "close"), read: () => text };
}

test("packages are installed in one process at a time; the next one waits, and says for which", async () => {
  const { folder, lock } = await createCheckout();
  const first = start(folder);
  await expect.poll(first.read).toBe("working\n");
  const second = start(folder);
  const waiting = `Another command (process ${first.child.pid}) is installing packages: waiting for it.\n`;
  await expect.poll(second.read).toBe(waiting);
  await writeFile(join(folder, "go"), "");
  await Promise.all([first.closed, second.closed]);
  expect(first.read()).toBe("working\ndone\n");
  expect(second.read()).toBe(`${waiting}working\ndone\n`);
  expect(existsSync(lock)).toBe(false);
});

test("a lock that a killed process left behind keeps nobody waiting", async () => {
  const { folder, lock } = await createCheckout();
  const killed = start(folder);
  await expect.poll(killed.read).toBe("working\n");
  killed.child.kill("SIGKILL");
  await killed.closed;
  expect(await readlink(lock)).toBe(String(killed.child.pid));
  await writeFile(join(folder, "go"), "");
  const next = start(folder);
  await next.closed;
  expect(next.read()).toBe("working\ndone\n");
});

test("nor does a lock with the process's own ID, as in a container that starts again", async () => {
  const { folder } = await createCheckout();
  await writeFile(join(folder, "go"), "");
  const { closed, read } = start(folder, "ln -s $$ node_modules/.installing; ");
  await closed;
  expect(read()).toBe("working\ndone\n");
});

test("nor does a lock from before the machine's last start, though a process has its ID again", async () => {
  const { folder, lock } = await createCheckout();
  await symlink(String(process.pid), lock);
  await lutimes(lock, 0, 0);
  await writeFile(join(folder, "go"), "");
  const { closed, read } = start(folder);
  await closed;
  expect(read()).toBe("working\ndone\n");
});
