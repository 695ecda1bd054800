import { createHmac } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMeClient } from "@minutes/client";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handleWebhook } from "../examples/fetch-webhook/handler.js";
import { sync } from "../examples/sync/src/sync.js";
import { run, runInEmptyFolder, toRepositoryPath } from "./support/run.js";

let server: TestServer;
let anna: Person;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  await server.given.richMeeting(anna, { title: "Review: a/b" });
  env = { MINUTES_URL: server.url, MINUTES_API_KEY: anna.key };
});
afterAll(() => server.close());

test("sync writes a file per meeting, fetches nothing twice, goes on after a stop, and follows deletions", () =>
  runInEmptyFolder(async (folder) => {
    const bert = await server.given.person();
    const whole = await server.given.richMeeting(bert, { title: "../Review: a/b" });
    let failing = true;
    const client = createMeClient({
      baseUrl: server.url,
      apiKey: bert.key,
      retries: 0,
      fetch: async (url, init) => {
        if (failing) throw new TypeError("the line was cut");
        return fetch(url, init);
      },
    });
    /** Runs until something is written or removed: another suite's transaction can hold the feed back. */
    const run = async () => {
      for (;;) {
        const count = await sync(client, folder);
        if (count.written + count.removed > 0) return count;
      }
    };
    await expect(sync(client, folder)).rejects.toThrow("can't be reached");
    failing = false;
    expect(await run()).toEqual({ written: 1, removed: 0 });
    expect(await sync(client, folder)).toEqual({ written: 0, removed: 0 });
    failing = true;
    await server.given.meeting(bert, { title: "Second" });
    await expect(sync(client, folder)).rejects.toThrow("can't be reached");
    failing = false;
    expect(await run()).toEqual({ written: 1, removed: 0 });

    const names = await readdir(folder);
    const review = names.find((name) => name.startsWith("2025-03-14 .. Review a b ("));
    const text = await readFile(join(folder, review ?? ""), "utf8");
    expect(text).toMatch(/^# \.\.\/Review: a\/b\n/);
    expect(text).toContain("- [x] Write to the board (Guest)");
    expect(text).toContain("**Guest**");

    await writeFile(join(folder, "notes.md"), "mine");
    await client.meetings.delete.mutate({ meetingId: whole.meetingId });
    expect(await run()).toEqual({ written: 0, removed: 1 });
    const left = await readdir(folder);
    expect([left.length, left.includes("notes.md")]).toEqual([3, true]);
    // After a restore the cursor is refused: everything is written again, and other files stay.
    await writeFile(join(folder, "2020-01-01 Gone (mtg_gone).md"), "old");
    for (const statement of ["select record_start()", "update sync_starts set source = 'elsewhere'"])
      await server.db.execute(statement);
    await server.db.execute("select record_start()");
    expect(await run()).toEqual({ written: 1, removed: 0 });
    expect((await readdir(folder)).sort()).toEqual(left.sort());
  }));

test("sync runs as a script", () =>
  runInEmptyFolder(async (folder) => {
    const main = toRepositoryPath("examples/sync/src/main.ts");
    const output = await run("node", [toRepositoryPath("node_modules/tsx/dist/cli.mjs"), main], {
      cwd: folder,
      env: { ...env, FOLDER: join(folder, "meetings") },
    });
    expect(output).toMatch(/^1 written, 0 removed/);
  }));

test("the webhook handler processes a signed delivery once, again after a fault of its own, and no other", async () => {
  const body = JSON.stringify({
    metadata: { id: "42", event: "meeting.completed", created: 1 },
    data: { id: "mtg_1" },
  });
  const seconds = Math.floor(Date.now() / 1000);
  const signed = createHmac("sha256", "ss_secret").update(`${seconds}.${body}`).digest("hex");
  const processed: string[] = [];
  let failing = true;
  const deliver = async (hex: string) => {
    const headers = { "x-service-signature": `t=${seconds},v0=${hex}` };
    const request = new Request("https://receiver.test/", { method: "POST", body, headers });
    const answer = await handleWebhook(request, {
      secret: "ss_secret",
      isProcessed: async (id) => processed.includes(id),
      process: async ({ metadata }) => {
        if (failing) throw new Error("the database is away");
        processed.push(metadata.id);
      },
    });
    return answer.status;
  };
  await expect(deliver(signed)).rejects.toThrow("the database is away");
  failing = false;
  expect([await deliver(signed), await deliver(signed)]).toEqual([204, 204]);
  expect(await deliver("0".repeat(64))).toBe(400);
  expect(processed).toEqual(["42"]);
});
