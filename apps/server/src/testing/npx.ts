import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { emptyDataDir } from "@minutes/testing";
import { onTestFinished } from "vitest";

/** Runs `npx -y pnpm@10 start`; killed at the end of the test. @returns the server's URL and npx */
export async function startWithNpx() {
  const { PATH, HOME } = process.env;
  const npx = spawn("npx", ["--prefer-offline", "-y", "pnpm@10", "start"], {
    cwd: fileURLToPath(new URL("../../../..", import.meta.url)),
    env: {
      ...{ PATH, HOME, DATA_DIR: await emptyDataDir(), DEMO: "off", PORT: "0" },
      ...{ CONSOLE: "off", EMBEDDINGS: "off" },
    } as NodeJS.ProcessEnv,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    try {
      process.kill(-(npx.pid ?? 0), "SIGKILL"); // its process group
    } catch {
      // The group is empty.
    }
  });
  let url = "";
  for await (const line of createInterface({ input: npx.stdout }))
    if (line.includes('"listening"')) {
      ({ url } = JSON.parse(line));
      break;
    }
  return { url, npx };
}

/** Finds pnpm below npx, past a shell. */
export async function findPnpm(parent: number): Promise<number> {
  const path = `/proc/${parent}/task/${parent}/children`;
  for (const child of (await readFile(path, "utf8")).trim().split(" ").map(Number)) {
    const command = await readFile(`/proc/${child}/cmdline`, "utf8");
    if (/^\S*node\0\S*pnpm/.test(command)) return child;
    const below = await findPnpm(child);
    if (below > 0) return below;
  }
  return 0;
}

/** Returns true if a server answers at this URL. */
export const isServing = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );
