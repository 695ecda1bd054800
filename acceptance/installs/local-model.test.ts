import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run, runInEmptyFolder, toRepositoryPath } from "../support/run.js";
import { writeTinyModel } from "../support/tiny-model.js";

const MINUTES = toRepositoryPath("apps/server/bin/minutes.js");
const OWNER = "anna@example.com";
/** Interval between searches in ms: a key has 100 calls a minute. */
const POLL = { interval: 1_000 };

/** Runs `minutes start` until it listens or ends. */
async function start(env: Record<string, string>): Promise<{ url: string | null; output: () => string }> {
  let output = "";
  const server: ChildProcess = spawn("node", [MINUTES, "start"], {
    env: { ...process.env, DEMO: "off", PORT: "0", ...env },
  });
  const ended = once(server, "close");
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  const url = await new Promise<string | null>((resolve) => {
    for (const stream of [server.stdout, server.stderr])
      stream?.on("data", (text) => {
        output += text;
        const found = /listening on (http:\S+)\s/.exec(output)?.[1];
        if (found) resolve(found);
      });
    ended.then(() => resolve(null));
  });
  return { url, output: () => output };
}

/** Returns the command suggested at startup when the model's runtime is missing. */
const installation = (output: string) =>
  /npm (install --ignore-scripts --prefix '([^']+)' (\S+))/.exec(output);

test("a local model: the start says what to install, and with that search finds what was said in other words", () =>
  runInEmptyFolder(async (folder) => {
    const model = join(folder, "tiny");
    await writeTinyModel(model, {
      invoice: [1, 0, 0],
      expense: [1, 0.1, 0],
      wombat: [0, 1, 0],
      fence: [0, 1, 0.1],
      // Brings one of the server's questions close to its answer (an invoice). A model that tells none of them apart is given
      // no weight.
      customers: [1, 0.1, 0],
    });
    const settings = { DATA_DIR: join(folder, "data"), EMBEDDINGS: "local", EMBEDDINGS_MODEL: model };

    const without = await start(settings);
    expect(without.url).toBeNull();
    const [, , prefix, name = ""] = installation(without.output()) ?? [];
    expect(prefix).toBe(folder);
    await run("npm", [
      ...["install", "--ignore-scripts", "--prefix", folder, name],
      ...["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"],
    ]);
    const empty = await start({ ...settings, EMBEDDINGS_MODEL: join(folder, "node_modules") });
    expect(empty.url).toBeNull();
    expect(empty.output()).toContain("EMBEDDINGS_MODEL is not the directory of an ONNX model");

    const { url, output } = await start(settings);
    expect(url, output()).not.toBeNull();
    const minutes = (...args: string[]) => run("node", [MINUTES, ...args, "--json"], { env: settings });
    await minutes("workspaces", "create", "Acme", "--plan", "team");
    await minutes("users", "create", OWNER, "--workspace", "Acme");
    const meeting = (externalId: string, text: string) => ({
      ...{ externalId, ownerEmail: OWNER, title: "Weekly", startTime: new Date().toISOString() },
      transcript: [{ speakerId: "s1", speakerName: "Anna", text }],
    });
    const file = join(folder, "meetings.json");
    await writeFile(
      file,
      JSON.stringify([meeting("a", "The invoice of the caterer."), meeting("b", "A wombat at the fence.")]),
    );
    await minutes("import", file);
    const { key } = JSON.parse(await minutes("keys", "create", OWNER));
    const first = async () => {
      const input = encodeURIComponent('{"json":{"query":"expense"}}');
      const response = await fetch(`${url}/v1/me/meetings.search?input=${input}`, {
        headers: { "x-api-key": key },
      });
      return ((await response.json()) as { result: { data: { json: { results: { text: string }[] } } } })
        .result.data.json.results[0]?.text;
    };
    await expect.poll(first, POLL).toBe("Anna: The invoice of the caterer.");
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({
      status: "ready",
      search: { mode: "similarity", name: "tiny" },
    });
  }));
