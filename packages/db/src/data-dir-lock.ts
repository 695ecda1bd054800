import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, constants, openSync, renameSync, rmSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ExplainedError, explainUnusable } from "./faults.js";

/**
 * The lock of an embedded data directory: an open Unix socket in `<dataDir>/run`. The kernel closes it when the process
 * ends, in whatever way. The command line also uses the socket to call the running process.
 *
 * Each process publishes a socket under its own name and then checks the others. Of two processes, at least one sees
 * the other. The smaller name wins unless the other one already holds the lock. A socket that refuses connections was
 * left by a killed process. Names are never reused, so removing it is safe.
 */
export interface DataDirLock {
  /** Starts answering requests of the command line. */
  serve(handler: http.RequestListener): void;
  release(): Promise<void>;
}

/** Thrown when another live process holds the data directory. */
export class DataDirLockedError extends ExplainedError {
  override name = "DataDirLockedError";
  /** @param isServer true if the holder answers requests of the command line, so most commands work while it runs */
  constructor(dataDir: string, isServer = false) {
    super(
      isServer
        ? `${dataDir} is in use by another running Minutes server. Stop that server first, or choose another DATA_DIR. ` +
            "(Most `pnpm minutes` commands work while it runs.)"
        : `${dataDir} is in use by a running Minutes command, or by a server that is starting or does not answer. ` +
            "Wait until it has ended and try again, or choose another DATA_DIR.",
    );
  }
}

/** Maximum length of a socket path that works on every system, in bytes. */
const SOCKET_PATH_MAX = 100;
/** Maximum size of a request's first line and headers in bytes. */
const LONGEST_HEAD = 4 * 1024 * 1024;
const STATE_HEADER = "minutes-lock";
/** Header present while the holder serves requests of the command line. */
const SERVER_HEADER = "minutes-lock-server";

/** Opens a directory under a path short enough for sockets. Call `close` when done. */
function openShortPath(directory: string): { path: string; close(): void } {
  if (Buffer.byteLength(directory) + 32 <= SOCKET_PATH_MAX) return { path: directory, close: () => {} };
  if (process.platform !== "linux")
    throw new Error(`The path of DATA_DIR is too long for a socket: ${directory}`);
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) };
}

type SocketState = "serving" | "holding" | "candidate" | "gone";

const getSocketState = (socketPath: string): Promise<SocketState> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath, path: "/", method: "HEAD", timeout: 500, agent: false },
      (response) => {
        response.resume();
        if (response.headers[STATE_HEADER] === "candidate") resolve("candidate");
        else resolve(response.headers[SERVER_HEADER] === undefined ? "holding" : "serving");
      },
    );
    // A stopped or busy process keeps its lock: accepting the connection proves it is alive.
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
 * Takes the lock, or takes it over from a dead process.
 * @throws DataDirLockedError if a live process holds it, UnusableDirectoryError if this user can't write there
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const directory = join(dataDir, "run");
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(explainUnusable("DATA_DIR", dataDir));
  const { path, close } = openShortPath(directory);
  const name = `${randomBytes(8).toString("hex")}.sock`;

  let state: SocketState = "candidate";
  let handler: http.RequestListener | undefined;
  // A command's question is in its address, which a list of e-mail addresses makes long.
  const server = http.createServer({ maxHeaderSize: LONGEST_HEAD }, (request, response) => {
    const serving = handler ? { [SERVER_HEADER]: "yes" } : {};
    if (request.method === "HEAD") response.writeHead(200, { [STATE_HEADER]: state, ...serving }).end();
    else if (handler) handler(request, response);
    else response.writeHead(503).end();
  });
  const release = async () => {
    rmSync(join(path, name), { force: true });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    close();
  };

  // Listens before it becomes visible, so a socket that refuses connections always belongs to a dead process.
  const hidden = join(path, `${name}.new`);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(hidden, resolve)).catch(
    explainUnusable("DATA_DIR", dataDir),
  );
  chmodSync(hidden, 0o600);
  renameSync(hidden, join(path, name));

  try {
    for (const other of await listSockets(path)) {
      if (other === name) continue;
      for (;;) {
        const theirs = await getSocketState(join(path, other));
        if (theirs === "gone") break;
        if (theirs !== "candidate" || other < name)
          throw new DataDirLockedError(dataDir, theirs === "serving");
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

/** Sends one request to the process that holds the directory; null if there is none. */
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
      if (!["holding", "serving"].includes(await getSocketState(socketPath))) continue;
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
