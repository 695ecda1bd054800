import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
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
    const pages = [
      {
        path: "/meetings/$meetingId",
        ...{ frame: "shell", title: "", about: "" },
        scripts: ["/assets/Meeting-1.js"],
        reads: ["/console/v1/meetings.get?input=$meetingId"],
      },
      { path: "/tasks", frame: "shell", title: "Tasks", about: "What is to do.", scripts: [], reads: [] },
      { path: "/sign-in", frame: "entry", title: "", about: "", scripts: ["/assets/SignIn-1.js"], reads: [] },
    ];
    await writeFile(
      join(directory, "index.html"),
      `<html data-frame="__FRAME__" data-scheme="__SCHEME__"><meta name="style-nonce" content="__CSP_NONCE__"><div class="frame-title">__TITLE__</div><div class="frame-about">__ABOUT__</div><!--pages ${JSON.stringify(pages)} --><div id="root"></div>`,
    );
    await writeFile(join(directory, "worker.js"), "");
    await writeFile(join(directory, "icon.svg"), "<svg/>");
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

  test("200: its worker can load and call only this site", async () => {
    const answer = await open("/worker.js", "*/*");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/javascript"]);
    expect(answer.headers.get("content-security-policy")).toBe(
      "default-src 'none'; connect-src 'self'; script-src 'self'",
    );
  });

  test("a newer build is served without a restart; a file that is gone ends its request, and never the server", async () => {
    expect((await open("/icon.svg", "*/*")).status).toBe(200);
    await rm(join(directory, "icon.svg"));
    await expect(open("/icon.svg", "*/*").then((response) => response.text())).rejects.toThrow();
    await writeFile(join(directory, "worker.js"), "later");
    const [page, later] = [join(directory, "index.html"), new Date(Date.now() + 10_000)];
    await utimes(page, later, later);
    expect((await open("/icon.svg", "*/*")).status).toBe(404);
    expect(await (await open("/worker.js", "*/*")).text()).toBe("later");
  });

  test("200: / is the console", async () => {
    expect(await (await open("/")).text()).toContain('<div id="root">');
  });

  test.each([
    ["/meetings/mtg_1", "shell", ["/assets/Meeting-1.js", "/console/v1/meetings.get?input=mtg_1"]],
    ["/meetings/mtg_1?at=2", "shell", ["/assets/Meeting-1.js"]],
    ["/meetings/%22%3E%3Cscript%3E", "shell", []],
    ["/sign-in", "entry", ["/assets/SignIn-1.js"]],
    ["/members", "shell", []],
  ])("200: %s has the frame %s and links to what only this page loads", async (path, frame, linked) => {
    const html = await (await open(path)).text();
    expect(html).toContain(`data-frame="${frame}"`);
    expect([...html.matchAll(/<link rel="\w*preload"[^>]* href="([^"]+)"/g)].map(([, url]) => url)).toEqual(
      linked,
    );
    expect(html).not.toContain("<!--");
  });

  test.each([
    ["/tasks", "Tasks", "What is to do."],
    ["/meetings/mtg_1", "", ""],
    ["/unknown", "", ""],
  ])("200: %s shows its title and introduction before any script runs: %j", async (path, title, about) => {
    const html = await (await open(path)).text();
    expect(html).toContain(`<div class="frame-title">${title}</div><div class="frame-about">${about}</div>`);
  });

  test.each([
    ["theme=x; scheme=dark", "dark"],
    ["scheme=light", "light"],
    ["scheme=auto", "auto"],
    ['scheme="><script>', "auto"],
    ["", "auto"],
  ])("200: with the cookie %s it is %s", async (cookie, scheme) => {
    const answer = await fetch(`${server.url}/meetings`, { headers: { accept: "text/html", cookie } });
    expect(await answer.text()).toContain(`data-scheme="${scheme}"`);
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
        expect(html).toContain("Only <code>pnpm start</code> builds the console");
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
