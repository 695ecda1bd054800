import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, constants, openSync, renameSync, rmSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The lock of an embedded data directory: an open Unix socket in `<dataDir>/run`, which the kernel closes with
 * the process, however it ends and whatever its process id is. The command line talks to the running process
 * through the same socket.
 *
 * Every process that wants the directory publishes a socket under a name of its own and then looks at the
 * others. Of two processes at least one sees the other; the smaller name wins, unless the other has the lock already.
 * A socket that refuses is left over from a process that was killed, and since names never return, removing it
 * can't hurt anybody.
 */
export interface DataDirLock {
  /** Answers requests of the command line from now on. */
  serve(handler: http.RequestListener): void;
  release(): Promise<void>;
}

/** Another live process holds the data directory. */
export class DataDirLockedError extends Error {
  override name = "DataDirLockedError";
  constructor(dataDir: string) {
    super(
      `${dataDir} is in use by another running Minutes server. Stop that one first, or choose another DATA_DIR. ` +
        "(`pnpm minutes` commands work while it runs.)",
    );
  }
}

/** Longest path that a Unix socket can have everywhere, in bytes. */
const SOCKET_PATH_MAX = 100;
const STATE_HEADER = "minutes-lock";

/** Opens a directory by a path short enough for the sockets in it; `close` when done with it. */
function openShortPath(directory: string): { path: string; close(): void } {
  if (Buffer.byteLength(directory) + 32 <= SOCKET_PATH_MAX) return { path: directory, close: () => {} };
  if (process.platform !== "linux")
    throw new Error(`The path of DATA_DIR is too long for a socket: ${directory}`);
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) };
}

type SocketState = "holding" | "candidate" | "gone";

const getSocketState = (socketPath: string): Promise<SocketState> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath, path: "/", method: "HEAD", timeout: 500, agent: false },
      (response) => {
        response.resume();
        resolve(response.headers[STATE_HEADER] === "candidate" ? "candidate" : "holding");
      },
    );
    // A process that is stopped or busy keeps its lock: connected is alive.
    request.on("timeout", () => resolve("holding"));
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve("gone");
      else if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve("gone");
      else reject(error);
    });
    request.end();
  });

const listSockets = async (directory: string) =>
  (await readdir(directory)).filter((name) => name.endsWith(".sock"));

/**
 * Takes the lock, or takes it over from a process that died.
 * @throws DataDirLockedError when a live process holds it.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const directory = join(dataDir, "run");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { path, close } = openShortPath(directory);
  const name = `${randomBytes(8).toString("hex")}.sock`;

  let state: SocketState = "candidate";
  let handler: http.RequestListener | undefined;
  const server = http.createServer((request, response) => {
    if (request.method === "HEAD") response.writeHead(200, { [STATE_HEADER]: state }).end();
    else if (handler) handler(request, response);
    else response.writeHead(503).end();
  });
  const release = async () => {
    rmSync(join(path, name), { force: true });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    close();
  };

  // Listening before it is visible: whoever sees it and is refused knows that its process is gone.
  const hidden = join(path, `${name}.new`);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(hidden, resolve));
  chmodSync(hidden, 0o600);
  renameSync(hidden, join(path, name));

  try {
    for (const other of await listSockets(path)) {
      if (other === name) continue;
      for (;;) {
        const theirs = await getSocketState(join(path, other));
        if (theirs === "gone") break;
        if (theirs === "holding" || other < name) throw new DataDirLockedError(dataDir);
        await sleep(20);
      }
      rmSync(join(path, other), { force: true });
    }
  } catch (error) {
    await release();
    throw error;
  }
  state = "holding";
  const serve = (listener: http.RequestListener) => {
    handler = listener;
  };
  return { serve, release };
}

/** Sends one request to the process that holds the directory; null when nobody does. */
export async function requestLockHolder(
  dataDir: string,
  options: http.RequestOptions,
  body: string,
): Promise<http.IncomingMessage | null> {
  const directory = join(dataDir, "run");
  const names = await listSockets(directory).catch(() => []);
  if (names.length === 0) return null;
  const { path, close } = openShortPath(directory);
  try {
    for (const name of names) {
      const socketPath = join(path, name);
      if ((await getSocketState(socketPath)) !== "holding") continue;
      return await new Promise((resolve, reject) => {
        const request = http.request({ ...options, socketPath, agent: false }, resolve);
        request.on("error", reject);
        request.end(body);
      });
    }
    return null;
  } finally {
    close();
  }
}
