import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("the console's page", () => {
  let directory: string;
  let server: TestServer;
  const open = (path: string, accept = "text/html") => fetch(`${server.url}${path}`, { headers: { accept } });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "minutes-console-"));
    await writeFile(
      join(directory, "index.html"),
      '<meta name="style-nonce" content="__CSP_NONCE__"><!-- preloads --><div id="root"><!-- frame --></div>',
    );
    const read = "/console/v1/meetings.get?input=%7Bid%7D";
    await writeFile(
      join(directory, "pages.json"),
      JSON.stringify({
        "/meetings": {
          scripts: ["/assets/list.js"],
          reads: ["/settings/v1/account.get"],
          frame: "<h1>All</h1>",
        },
        "/meetings/*": { scripts: ["/assets/one.js"], reads: [read], frame: "<h1>One</h1>" },
      }),
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

  test("200: names the scripts and first reads of the page that is asked for, and shows its frame", async () => {
    const describePage = async (path: string) => {
      const html = await (await open(path)).text();
      return {
        links: [...html.matchAll(/<link rel="(\w+)"[^>]* href="([^"]+)"/g)].map(([, kind, href]) => [
          kind,
          href,
        ]),
        frame: /<div id="root">(.*)<\/div>/.exec(html)?.[1],
      };
    };
    expect(await describePage("/meetings")).toEqual({
      links: [
        ["modulepreload", "/assets/list.js"],
        ["preload", "/settings/v1/account.get"],
      ],
      frame: "<h1>All</h1>",
    });
    // Filters change what a page reads.
    expect((await describePage("/meetings?tag=a")).links).toEqual([["modulepreload", "/assets/list.js"]]);
    expect((await describePage("/meetings/mtg_1")).links).toEqual([
      ["modulepreload", "/assets/one.js"],
      ["preload", "/console/v1/meetings.get?input=mtg_1"],
    ]);
    expect(await describePage("/meetings/%22onload=x")).toEqual({
      links: [["modulepreload", "/assets/one.js"]],
      frame: "<h1>One</h1>",
    });
    expect((await describePage("/constructor")).links).toEqual([]);
  });

  test("404: a program gets the API's error, also below /assets", async () => {
    const answer = await open("/meetings", "*/*");
    expect([answer.status, await answer.json()]).toEqual([404, { error: "Not found" }]);
    expect((await open("/assets/../preloads.json", "*/*")).status).toBe(404);
  });
});
