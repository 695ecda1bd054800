import type { Company, Meeting, Person } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepare, RawApp } from "../../testing/oauth/app.js";
import { ALLOW, OAuthBrowser } from "../../testing/oauth/browser.js";
import { callMcp, type SecureService, startSecureService } from "../../testing/oauth/service.js";

let service: SecureService;
let company: Company;
let anna: Person;
let meeting: Meeting;
let browser: OAuthBrowser;
beforeAll(async () => {
  service = await startSecureService();
  const { given } = service.servers[0];
  company = await given.company();
  anna = await given.member(company);
  meeting = await given.richMeeting(anna);
  browser = await OAuthBrowser.open(service, anna);
});
afterAll(() => service.close());

const callTool = (token: string, name: string, args: object = {}) =>
  callMcp(service, token, "tools/call", { name, arguments: args });

const listTools = async (token: string): Promise<string[]> => {
  const { result } = (await (await callMcp(service, token)).json()) as {
    result: { tools: { name: string }[] };
  };
  return result.tools.map(({ name }) => name);
};

const getStatus = async (token: string) => (await callMcp(service, token)).status;

describe("what clients find", () => {
  test("401: the challenge at /mcp leads to the metadata, at /mcp/key it does not", async () => {
    const challenge = (await callMcp(service, "")).headers.get("www-authenticate") ?? "";
    const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const resource = (await (await service.fetch(metadata)).json()) as {
      resource: string;
      authorization_servers: string[];
    };
    expect(resource).toMatchObject({ resource: `${service.url}/mcp`, authorization_servers: [service.url] });
    const server = await (
      await service.fetch(`${service.url}/.well-known/oauth-authorization-server`)
    ).json();
    expect(server).toMatchObject({
      issuer: service.url,
      authorization_endpoint: `${service.url}/oauth/authorize`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["none"],
      scopes_supported: [
        "meetings:read",
        "tasks:write",
        "meetings:write",
        "meetings:delete",
        "workspace:read",
      ],
    });
    const atKey = await callMcp(service, "", "tools/list", {}, "/mcp/key");
    expect([atKey.status, atKey.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="Minutes"']);
  });

  test("200: a key still works at both addresses", async () => {
    expect(await getStatus(anna.key)).toBe(200);
    expect((await callMcp(service, anna.key, "tools/list", {}, "/mcp/key")).status).toBe(200);
  });
});

describe("201: apps register as they do elsewhere", () => {
  test.each([
    [
      "Cursor",
      [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
      "cursor://anysphere.cursor-mcp/oauth/callback",
    ],
    [
      "VS Code, which takes another port if its own is in use",
      [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
      "http://127.0.0.1:59656/",
    ],
    ["Claude", ["https://claude.ai/api/mcp/auth_callback"], "https://claude.ai/api/mcp/auth_callback"],
  ])("%s", async (_, redirects, redirect) => {
    const app = await RawApp.register(service, {
      ...{ redirect_uris: redirects, token_endpoint_auth_method: "none", response_types: ["code"] },
      grant_types: ["authorization_code", "refresh_token"],
    });
    const { verifier, url } = prepare(app, { redirect_uri: redirect });
    const back = await browser.consent(url);
    expect(back.href.startsWith(redirect)).toBe(true);
    const code = back.searchParams.get("code") ?? "";
    expect(await app.exchange(code, verifier, { redirect_uri: redirect })).toMatchObject({ status: 200 });
  });
});

describe("what a token allows", () => {
  test("an app has the tools that its user allowed, and 403 insufficient_scope for others", async () => {
    const app = await RawApp.register(service);
    const { access, scope } = await app.connect(browser, "meetings:read tasks:write meetings:delete", {
      ...ALLOW,
      scope: ["meetings:read", "tasks:write"],
    });
    expect(scope).toBe("meetings:read tasks:write");
    const tools = await listTools(access);
    expect(tools).toContain("update_task");
    expect(tools).not.toContain("delete_meeting");
    const refused = await callTool(access, "delete_meeting", { meetingId: meeting.meetingId });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain(
      'error="insufficient_scope", scope="meetings:read tasks:write meetings:delete"',
    );
  });

  test("401: a token of an app is no key of the API", async () => {
    const { access } = await (await RawApp.register(service)).connect(browser);
    for (const path of [
      "/v1/me/meetings.list",
      "/rest/v1/me/meetings",
      "/sync/v1/me/changes.list",
      "/mcp/key",
    ])
      for (const headers of [{ "x-api-key": access }, { authorization: `Bearer ${access}` }])
        expect(
          (
            await service.fetch(service.url + path, {
              method: path === "/mcp/key" ? "POST" : "GET",
              headers: { "content-type": "application/json", ...headers },
            })
          ).status,
        ).toBe(401);
    expect((await service.servers[0].call(access, "ingest/meetings.import", {})).status).toBe(401);
  });

  test("an admin's app reads the whole workspace, until they are no admin any more", async () => {
    const { given, db } = service.servers[0];
    const admin = await given.member(company, { role: "admin" } as never);
    await db.execute(sql`update members set role = 'admin' where user_id = ${admin.userId}`);
    const app = await RawApp.register(service);
    const tokens = await app.connect(
      await OAuthBrowser.open(service, admin),
      "meetings:read tasks:write workspace:read",
      {
        ...{ answer: "allow", access: "workspace" },
      },
    );
    expect(tokens.scope).toBe("workspace:read");
    const read = () => callTool(tokens.access, "get_meeting", { meetingId: meeting.meetingId });
    expect(await (await read()).text()).toContain(meeting.meetingId);
    expect(await listTools(tokens.access)).not.toContain("update_task");
    await db.execute(sql`update members set role = 'member' where user_id = ${admin.userId}`);
    expect((await read()).status).toBe(403);
  });

  test("a member is not offered the workspace, and can't take it", async () => {
    const app = await RawApp.register(service);
    const { url } = prepare(app, { scope: "meetings:read workspace:read" });
    expect(await (await browser.send(url)).text()).not.toContain('value="workspace"');
    const back = await browser.consent(prepare(app, { scope: "meetings:read workspace:read" }).url, {
      answer: "allow",
      access: "workspace",
    });
    expect(back.searchParams.get("error")).toBe("access_denied");
  });

  test("429: an app's requests count against its user's quota", async () => {
    // Somebody whose window begins here: it must not end between the two calls.
    const ben = await service.servers[0].given.member(company);
    const app = await RawApp.register(service);
    const { access } = await app.connect(await OAuthBrowser.open(service, ben));
    const remaining = async (token: string) =>
      Number((await callMcp(service, token)).headers.get("x-ratelimit-remaining"));
    const before = await remaining(access);
    expect(await remaining(ben.key)).toBe(before - 1);
  });

  test("403: without the plan of API keys, tools are refused as with a key", async () => {
    const { given } = service.servers[0];
    const poor = await given.person({ plan: "free" });
    const { access } = await (await RawApp.register(service)).connect(await OAuthBrowser.open(service, poor));
    expect(await (await callTool(access, "list_meetings")).text()).toContain('"status":403');
  });
});

test("no code or token is stored in plain text", async () => {
  const app = await RawApp.register(service);
  const { verifier, url } = prepare(app);
  const code = (await browser.consent(url)).searchParams.get("code") ?? "";
  const { body } = await app.exchange(code, verifier);
  const rows = await service.servers[0].db.select({ row: sql<string>`t::text` }).from(sql`oauth_tokens t`);
  const stored = JSON.stringify(rows);
  for (const secret of [code, body.access_token ?? "", body.refresh_token ?? ""]) {
    expect(secret).toMatch(/^m[acrt]{2}_/);
    expect(stored).not.toContain(secret);
  }
});

test("429: registrations of an address are limited, and only the newest unused clients are kept", async () => {
  const { db } = service.servers[0];
  await db.execute(sql`delete from rate_windows`);
  await db.execute(sql`insert into oauth_clients (id, metadata, created_at, expires_at)
    select 'old' || n, '{}', now() - interval '1 hour', now() + interval '1 minute' from generate_series(1, 1000) n`);
  const statuses = [];
  for (let number = 0; number < 12; number++) statuses.push((await RawApp.tryRegister(service)).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  expect(statuses.slice(-2)).toEqual([429, 429]);
  const [count] = await db
    .select({ unused: sql<number>`count(*)::int` })
    .from(sql`oauth_clients where expires_at <= created_at + interval '1 day'`);
  expect(count?.unused).toBe(1000);
});
