import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/index.js";

describe("the console's page", () => {
  let directory: string;
  let server: TestServer;
  const open = (path: string, accept = "text/html") => fetch(`${server.url}${path}`, { headers: { accept } });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "minutes-console-"));
    await writeFile(
      join(directory, "index.html"),
      '<meta name="style-nonce" content="__CSP_NONCE__"><div id="root"></div>',
    );
    server = await startTestServer({ consoleDirectory: directory });
  });
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true, force: true });
  });

  test("200: a browser gets it with a policy that allows no inline script and no frame", async () => {
    const answer = await open("/meetings");
    expect(answer.status).toBe(200);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(await answer.text()).toContain(`content="${nonce}"`);
  });

  test("200: / is the console", async () => {
    expect(await (await open("/")).text()).toContain('<div id="root">');
  });

  test("200: every page waits while the console is being built, then opens it", async () => {
    const building = await mkdtemp(join(tmpdir(), "minutes-console-"));
    const early = await startTestServer({ database: server.database, consoleDirectory: building });
    try {
      for (const path of ["/", "/sign-in", "/meetings/mtg_1"]) {
        const answer = await fetch(`${early.url}${path}`, { headers: { accept: "text/html" } });
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
        const html = await answer.text();
        expect(html).toContain("Preparing the console…");
        const [, nonce] = /<script nonce="([^"]+)">/.exec(html) ?? [];
        expect(answer.headers.get("content-security-policy")).toContain(`script-src 'nonce-${nonce}'`);
      }
      expect((await fetch(`${early.url}/meetings`, { headers: { accept: "*/*" } })).status).toBe(404);
      await writeFile(join(building, "index.html"), '<div id="root"></div>');
      const ready = await fetch(`${early.url}/sign-in`, { headers: { accept: "text/html" } });
      expect(await ready.text()).toContain('<div id="root">');
    } finally {
      await early.close();
      await rm(building, { recursive: true, force: true });
    }
  });

  test.each(["/v2/me/meetings.list", "/unknown"])("404: OPTIONS %s", async (path) => {
    const answer = await send(server.url, path, { method: "OPTIONS", headers: { accept: "text/html" } });
    expect([answer.status, answer.body]).toEqual([404, { error: "Not found" }]);
  });

  test("404: a program gets the API's error, also below /assets", async () => {
    const answer = await open("/meetings", "*/*");
    expect([answer.status, await answer.json()]).toEqual([404, { error: "Not found" }]);
    expect((await open("/assets/../index.html", "*/*")).status).toBe(404);
  });
});
