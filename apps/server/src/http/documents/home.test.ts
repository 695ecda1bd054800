import { send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/index.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** The header sent by browsers. */
const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("/", () => {
  test("200: a browser gets a page with the product's name, the reference and a first call", async () => {
    const page = await send(server.url, "/", { headers: { accept, host: "minutes.example:8080" } });
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.text).toContain("<h1>Minutes</h1>");
    expect(page.text).toContain('href="/docs"');
    expect(page.text).toContain("http://minutes.example:8080/v1/me/meetings.list");
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'/);
  });

  test("200: the page never contains a hostile Host header", async () => {
    for (const host of ["<script>alert(1)</script>", "x;rm -rf /", "a'b", 'a"b', "`id`", "$(id)"]) {
      const page = await send(server.url, "/", { headers: { accept, host } });
      expect([page.status, page.text.includes(host)]).toEqual([200, false]);
    }
  });

  test("200: curl gets text with a first call", async () => {
    for (const headers of [{}, { accept: "*/*" }] as const) {
      const { status, headers: answered, text } = await send(server.url, "/", { headers });
      expect([status, answered["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      expect(text).toContain(`curl -s -H 'x-api-key: jk_…' ${server.url}/v1/me/meetings.list`);
    }
  });

  test("404: a program that wants JSON gets JSON", async () => {
    const answer = await send(server.url, "/", { headers: { accept: "application/json" } });
    expect([answer.status, answer.body]).toEqual([404, { error: "Not found" }]);
  });
});

test.each(["/V1/me/tags.list", "/v1/Me/tags.list", "/Ingest/v1/vocabulary.get", "/MCP", "/Docs", "/HEALTH"])(
  "404: %s, since paths are case-sensitive",
  async (path) => {
    const answer = await send(server.url, path);
    expect([answer.status, answer.body]).toEqual([404, { error: "Not found" }]);
  },
);
