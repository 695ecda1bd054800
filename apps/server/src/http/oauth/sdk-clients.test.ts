import type { Meeting, Person } from "@minutes/testing";
import {
  Client as ClientOf2,
  StreamableHTTPClientTransport as TransportOf2,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REDIRECT } from "../../testing/oauth/app.js";
import { OAuthBrowser } from "../../testing/oauth/browser.js";
import { callMcp, type SecureService, startSecureService } from "../../testing/oauth/service.js";

let service: SecureService;
let anna: Person;
let meeting: Meeting;
let browser: OAuthBrowser;
beforeAll(async () => {
  service = await startSecureService();
  const { given } = service.servers[0];
  anna = await given.member(await given.company());
  meeting = await given.richMeeting(anna);
  browser = await OAuthBrowser.open(service, anna);
});
afterAll(() => service.close());

const getStatus = async (token: string) => (await callMcp(service, token)).status;

/** The state that an assistant keeps, as the SDK asks for it. */
function createAuthProvider() {
  const kept: { client?: object; tokens?: object; verifier?: string; url?: URL; discovery?: object } = {};
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: "Test assistant",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "client_secret_post",
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: object) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => void Object.assign(kept, { tokens }),
    codeVerifier: () => kept.verifier ?? "",
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: object) => void Object.assign(kept, { discovery }),
    redirectToAuthorization: (url: URL) => void Object.assign(kept, { url }),
  };
  return { kept, provider: provider as unknown as OAuthClientProvider };
}

/** The clients of both lines of the SDK. */
const CLIENTS = {
  "SDK 1.x": {
    create: () => new Client({ name: "test", version: "1" }),
    connectTo: (url: URL, options: StreamableHTTPClientTransportOptions) =>
      new StreamableHTTPClientTransport(url, options),
    finish: (transport: StreamableHTTPClientTransport, back: URL) =>
      transport.finishAuth(back.searchParams.get("code") ?? ""),
  },
  "SDK 2.x": {
    create: () => new ClientOf2({ name: "test", version: "1" }) as unknown as Client,
    connectTo: (url: URL, options: StreamableHTTPClientTransportOptions) =>
      new TransportOf2(url, options as never) as unknown as StreamableHTTPClientTransport,
    // Checks the issuer, too.
    finish: (transport: StreamableHTTPClientTransport, back: URL) =>
      (transport as unknown as TransportOf2).finishAuth(back.searchParams),
  },
};

test.each(Object.entries(CLIENTS))(
  "200: a client of %s is led to sign in, calls a tool, refreshes and is disconnected",
  async (_, { create, connectTo, finish }) => {
    const { kept, provider } = createAuthProvider();
    const createTransport = () =>
      connectTo(new URL("/mcp", service.url), { authProvider: provider, fetch: service.fetch });
    const first = createTransport();
    await expect(create().connect(first as never)).rejects.toThrow("Unauthorized");
    const back = await browser.consent(kept.url?.href ?? "");
    expect(back.searchParams.get("iss")).toBe(service.url);
    await finish(first, back);
    const client = create();
    await client.connect(createTransport() as never);
    const { structuredContent } = await client.callTool({
      name: "get_meeting",
      arguments: { meetingId: meeting.meetingId },
    });
    expect(structuredContent).toMatchObject({ id: meeting.meetingId });

    const before = kept.tokens as { access_token: string };
    await service.servers[0].db.execute(
      sql`update oauth_tokens set expires_at = now() - interval '1 second' where kind = 'AccessToken'`,
    );
    await client.callTool({ name: "list_meetings", arguments: {} });
    expect(kept.tokens).not.toMatchObject({ access_token: before.access_token });

    const { data: session } = { data: await service.servers[0].given.session(anna) };
    const listed = await service.servers[1].call(session, "settings/account.listApps");
    const { apps } = (listed.body as { result: { data: { json: { apps: Record<string, unknown>[] } } } })
      .result.data.json;
    expect(apps).toMatchObject([
      { name: "Test assistant", host: "app.example.net", lastUsedAt: expect.any(String) },
    ]);
    await service.servers[0].call(session, "settings/account.deleteApp", { appId: apps[0]?.id });
    const { access_token: after } = kept.tokens as { access_token: string };
    expect([await getStatus(after), await getStatus(after)]).toEqual([401, 401]);
    await client.close();
  },
);
