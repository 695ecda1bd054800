import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DataDirLockedError, lockDataDir, requestLockHolder, UnusableDirectoryError } from "@minutes/db";
import { needs } from "@minutes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "minutes-lock-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const root = fileURLToPath(new URL("../../..", import.meta.url));
const holder = `import { lockDataDir } from "@minutes/db";
  lockDataDir(process.argv[1]).then(() => { console.log("held"); setInterval(() => {}, 1e6); }, (error) => { console.log(error.name); process.exit(1); });`;
/** Starts another process that tries to lock the directory. Its first output is "held" or the error's name. */
function contender() {
  const child = spawn("node", ["--import", "tsx", "--input-type=module", "-e", holder, dataDir], {
    cwd: join(root, "packages/testing"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = new Promise<string>((resolve) =>
    child.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString().trim())),
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return { child, said, ended };
}

// Only the embedded engine has this lock.
describe("the lock of a data directory", needs("embedded"), () => {
  test("refuses a second process, until it is released", async () => {
    const first = await lockDataDir(dataDir);
    await expect(lockDataDir(dataDir)).rejects.toBeInstanceOf(DataDirLockedError);
    await first.release();
    await (await lockDataDir(dataDir)).release();
  });

  test("says that a directory can't be written to", async () => {
    await symlink("/proc", join(dataDir, "run")); // refuses sockets also to root
    await expect(lockDataDir(dataDir)).rejects.toThrow(
      new UnusableDirectoryError(
        `${dataDir} can't be used as DATA_DIR: this user can't write there. Correct that, or choose another DATA_DIR.`,
      ),
    );
  });

  test("says whether a server or a command holds it", async () => {
    const holder = await lockDataDir(dataDir);
    await expect(lockDataDir(dataDir)).rejects.toThrow(/in use by a running Minutes command/);
    holder.serve((_request, response) => response.end());
    await expect(lockDataDir(dataDir)).rejects.toThrow(/in use by another running Minutes server/);
    await holder.release();
  });

  test("is taken by exactly one of ten concurrent processes", async () => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockDataDir(dataDir)));
    const won = results.filter((result) => result.status === "fulfilled");
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
  });

  test("is taken over from a killed process, but not from a stopped one", async () => {
    const { child, said, ended } = contender();
    expect(await said).toBe("held");
    child.kill("SIGSTOP");
    await expect(lockDataDir(dataDir)).rejects.toBeInstanceOf(DataDirLockedError);
    child.kill("SIGKILL");
    await ended;
    const next = await lockDataDir(dataDir);
    const other = contender();
    expect(await other.said).toBe("DataDirLockedError");
    await other.ended;
    await next.release();
    expect(await readdir(join(dataDir, "run"))).toEqual([]);
  });

  test("forwards requests to the process that holds it; only the owner can open its socket", async () => {
    expect(await requestLockHolder(dataDir, { path: "/x", method: "POST" }, "hello")).toBeNull();
    const lock = await lockDataDir(dataDir);
    lock.serve((request, response) => {
      request.on("data", (body) => response.end(`${request.url} ${body}`));
    });
    const response = await requestLockHolder(dataDir, { path: "/x", method: "POST" }, "hello");
    const chunks: Buffer[] = [];
    for await (const chunk of response ?? []) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe("/x hello");
    const long = { path: `/${"x".repeat(100_000)}`, method: "POST" };
    expect((await requestLockHolder(dataDir, long, "hello"))?.resume().statusCode).toBe(200);
    const [socket = ""] = await readdir(join(dataDir, "run"));
    expect((await stat(join(dataDir, "run", socket))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, "run"))).mode & 0o077).toBe(0);
    await lock.release();
  });

  test("works in a directory with a long path", async () => {
    const long = join(dataDir, "x".repeat(120));
    const lock = await lockDataDir(long);
    await expect(lockDataDir(long)).rejects.toBeInstanceOf(DataDirLockedError);
    await lock.release();
  });
});
