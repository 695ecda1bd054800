import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestServer } from "@minutes/server/testing";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NPM_FLAGS, startServer } from "../support/consumer.js";
import { run } from "../support/run.js";

/** Stock clients from npm. Only this test needs them, so they are not in the workspace. */
const TRPC = {
  10: ["@trpc/client@10.45.2", "@trpc/server@10.45.2"],
  11: ["@trpc/client@11", "@trpc/server@11"],
};

let folder: string;
let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "minutes-clients-"));
  ({ server, env } = await startServer());
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Pages through the meetings, then reads one that does not exist, first as installed, then with the documents' `fetch`. */
const PROGRAM = `
const { BASE_URL: base, ME_KEY: key } = process.env;
const read = (fetch) => create({ url: base + "/v1/me", headers: { "x-api-key": key }, ...(fetch && { fetch }) });
const titles = [];
for (let cursor; cursor !== null; ) {
  const page = await read().meetings.list.query({ limit: 1, cursor });
  titles.push(...page.meetings.map(({ title }) => title));
  cursor = page.nextCursor;
}
const restore = async (url, init) => {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const { error: message } = await response.json();
  const data = { httpStatus: response.status };
  return Response.json({ error: { json: { message, code: -32603, data } } }, { status: response.status });
};
const refuse = (client) =>
  client.meetings.get.query({ meetingId: "none" }).catch(({ message, data }) => [message, data?.httpStatus ?? null]);
console.log(JSON.stringify({ titles, stock: await refuse(read()), restored: await refuse(read(restore)) }));
`;

/** Creates a client. In version 10 the transformer is the client's, in version 11 the link's. */
const CREATE = {
  10: `import { createTRPCProxyClient, httpLink } from "@trpc/client";
import superjson from "superjson";
const create = (options) => createTRPCProxyClient({ transformer: superjson, links: [httpLink(options)] });`,
  11: `import { createTRPCClient, httpLink } from "@trpc/client";
import superjson from "superjson";
const create = (options) => createTRPCClient({ links: [httpLink({ ...options, transformer: superjson })] });`,
};

test.each([10, 11] as const)(
  "stock @trpc/client %i pages and throws; with the documents' fetch it has the message",
  async (version) => {
    const cwd = await mkdtemp(join(folder, "trpc-"));
    await writeFile(join(cwd, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
    await run("npm", ["install", ...NPM_FLAGS, ...TRPC[version], "superjson@2.2.6"], { cwd });
    await writeFile(join(cwd, "program.mjs"), CREATE[version] + PROGRAM);
    expect(JSON.parse(await run("node", ["program.mjs"], { cwd, env }))).toEqual({
      titles: ["Newest", "Middle", "Oldest"],
      stock: ["Unable to transform response from server", null],
      restored: ["Meeting not found", 404],
    });
  },
);

describe("without a client", () => {
  test("curl follows the Link header to the last page", needs("bash", "curl"), async () => {
    const pager = `
      next="/rest/v1/me/meetings?limit=1"
      while [ -n "$next" ]; do
        curl -sS -f -D head -H "x-api-key: $ME_KEY" "$BASE_URL$next" | grep -o '"title":"[^"]*"' | head -1
        next=$(sed -n 's/^[Ll]ink: <\\([^>]*\\)>; rel="next".*/\\1/p' head)
      done`;
    expect(
      (await run("bash", ["-euo", "pipefail", "-c", pager], { cwd: folder, env })).match(/\w+(?="$)/gm),
    ).toEqual(["Newest", "Middle", "Oldest"]);
  });

  test(
    "Python's httpx pages with a cursor and reads the message of an error",
    needs("python3-httpx"),
    async () => {
      const script = `
import json, os, httpx
with httpx.Client(base_url=os.environ["BASE_URL"], headers={"x-api-key": os.environ["ME_KEY"]}) as client:
    read = lambda **fields: client.get("/v1/me/meetings.list", params={"input": json.dumps({"json": fields})})
    titles, cursor = [], None
    while True:
        page = read(limit=1, **({"cursor": cursor} if cursor else {})).json()["result"]["data"]["json"]
        titles += [meeting["title"] for meeting in page["meetings"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    refused = client.get("/v1/me/meetings.list", params={"limit": 1})
    print(json.dumps([titles, refused.status_code, refused.json()["error"]]))
`;
      expect(JSON.parse(await run("/usr/bin/python3", ["-c", script], { cwd: folder, env }))).toEqual([
        ["Newest", "Middle", "Oldest"],
        400,
        "The only query parameter is input; put parameters into its JSON.",
      ]);
    },
  );
});
