import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { toRepositoryPath } from "./run.js";

/**
 * Starts `minutes start` in an empty directory for one test, without the sample. @returns the server's URL
 * @throws Error if it ends before it listens
 */
export async function startServer(settings: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-acceptance-"));
  const { PATH, HOME } = process.env;
  const server = spawn(
    process.execPath,
    ["--liftoff-only", toRepositoryPath("apps/server/bin/minutes.js"), "start", "--json"],
    {
      env: { PATH, HOME, DATA_DIR: directory, PORT: "0", EMBEDDINGS: "off", DEMO: "off", ...settings },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  for await (const line of createInterface({ input: server.stdout }))
    if (line.startsWith('{"url"')) return (JSON.parse(line) as { url: string }).url;
  throw new Error("The server ended before it listened.");
}
