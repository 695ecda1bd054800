import { createHash } from "node:crypto";
import { once } from "node:events";
import { realpath, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderError } from "./state.js";

/**
 * Keeps a second process of this machine out of a folder. The lock is a socket: unlike a file it ends with its process,
 * however that ends.
 * @returns unlocks the folder
 * @throws FolderError if another process syncs it
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const name = `minutes-${createHash("sha256")
    .update(await realpath(folder))
    .digest("hex")
    .slice(0, 20)}`;
  const path = process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
  const server = createServer((socket) => socket.destroy());
  server.unref();
  const listen = () => once(server.listen(path), "listening");
  try {
    await listen();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    if (!(await isLeftOver(path)))
      throw new FolderError(`Another process is syncing ${folder}. Wait until it has ended, or stop it.`);
    await rm(path, { force: true });
    await listen();
  }
  return () => void server.close();
}

/** Returns true if nobody listens: the process was killed. */
async function isLeftOver(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}
