import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestServer, testServer } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("the console's page", () => {
  let directory: string;
  let server: TestServer;
  const open = (path: string, accept = "text/html") => fetch(`${server.url}${path}`, { headers: { accept } });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "minutes-console-"));
    await writeFile(
      join(directory, "index.html"),
      '<meta name="style-nonce" content="__CSP_NONCE__"><!-- preloads -->',
    );
    const preloads = { "/meetings": ["/assets/list.js"], "/meetings/*": ["/assets/one.js"] };
    await writeFile(join(directory, "preloads.json"), JSON.stringify(preloads));
    server = await testServer({ consoleDirectory: directory });
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

  test("200: names the scripts of the page that is asked for, and no others", async () => {
    const findScripts = async (path: string) =>
      [...(await (await open(path)).text()).matchAll(/modulepreload" crossorigin href="([^"]+)"/g)].map(
        ([, script]) => script,
      );
    expect(await findScripts("/meetings?tag=a")).toEqual(["/assets/list.js"]);
    expect(await findScripts("/meetings/abc")).toEqual(["/assets/one.js"]);
    expect(await findScripts("/constructor")).toEqual([]);
  });

  test("404: a program gets the API's error, also below /assets", async () => {
    const answer = await open("/meetings", "*/*");
    expect([answer.status, await answer.json()]).toEqual([404, { error: "Not found" }]);
    expect((await open("/assets/../preloads.json", "*/*")).status).toBe(404);
  });
});
