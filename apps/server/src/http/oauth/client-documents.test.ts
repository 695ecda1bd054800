import https from "node:https";
import type { AddressInfo } from "node:net";
import { createClientDocuments, createTargetPolicy } from "@minutes/core";
import { createTestCa, type Person } from "@minutes/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPkce, RawApp, REDIRECT } from "../../testing/oauth/app.js";
import { OAuthBrowser } from "../../testing/oauth/browser.js";
import { type SecureService, startSecureService } from "../../testing/oauth/service.js";

/** The site of an app, with a document that describes it; answers that it gives in place of the document. */
const SITE = "app.example.net";
let answer: { status: number; headers?: Record<string, string>; body?: string } | null = null;
let fetched: string[] = [];

let service: SecureService;
let anna: Person;
let browser: OAuthBrowser;
let port: number;
let close: () => Promise<void>;
beforeAll(async () => {
  const ca = await createTestCa();
  const site = https.createServer(await ca.issue({ names: [`DNS:${SITE}`] }), (request, response) => {
    fetched.push(request.url ?? "");
    const document = {
      client_id: `https://${SITE}:${port}${request.url}`,
      ...{ client_name: "Published app", redirect_uris: [REDIRECT], grant_types: ["authorization_code"] },
    };
    const { status, headers, body } = answer ?? { status: 200, body: JSON.stringify(document) };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  ({ port } = site.address() as AddressInfo);
  const names: Readonly<Record<string, string>> = {
    [SITE]: "127.0.0.1",
    "inner.example.net": "10.0.0.5",
  };
  const targetPolicy = createTargetPolicy({
    allowedNetworks: ["127.0.0.1/32"],
    resolve: async (name) => [{ address: names[name] ?? "192.168.0.1", family: 4 }],
  });
  const clientDocuments = createClientDocuments({ targetPolicy, extraCa: ca.ca });
  // Reads the certificates of authorities, for which the library's 2.5 seconds per document can be too short.
  await clientDocuments(`https://${SITE}:${port}/first.json`, AbortSignal.timeout(120_000));
  service = await startSecureService({ clientDocuments });
  const { given } = service.servers[0];
  anna = await given.member(await given.company());
  close = async () => {
    await service.close();
    site.closeAllConnections();
    site.close();
    await ca.remove();
  };
});
afterAll(() => close());
let addresses = 0;
beforeEach(async () => {
  answer = null;
  fetched = [];
  // Each test has its own address, because the fetches of an address are limited.
  browser = await OAuthBrowser.open(service, anna, `192.0.2.${++addresses}`);
});

let apps = 0;
/** Returns an app whose document was never fetched. */
const publish = (host = SITE) => RawApp.published(service, `https://${host}:${port}/app-${apps++}.json`);

/** Opens the consent page of an app. */
async function openConsent(app: RawApp) {
  const { challenge } = createPkce();
  const page = await browser.send(app.authorizationUrl({ code_challenge: challenge }));
  return { status: page.status, text: await page.text() };
}

test("200: an app that describes itself at its own address connects without a registration", async () => {
  const app = publish();
  const { status, text } = await openConsent(app);
  expect(status).toBe(200);
  expect(text).toContain("Published app");
  expect(text).toContain(`is published at <strong>${SITE}:${port}</strong>`);
  expect(await app.connect(browser)).toMatchObject({
    access: expect.stringMatching(/^mat_/),
    scope: "meetings:read",
  });
  // Once for each of the two processes, and not again for the code.
  expect(fetched.length).toBeLessThanOrEqual(2);
});

test("the metadata says that such apps are known", async () => {
  const metadata = await service.fetch(`${service.url}/.well-known/oauth-authorization-server`);
  expect(await metadata.json()).toMatchObject({ client_id_metadata_document_supported: true });
});

describe("400: a document is refused, and the person is sent nowhere", () => {
  const valid = { client_name: "App", redirect_uris: [REDIRECT] };
  test.each([
    ["that is not there", { status: 404 }],
    ["that redirects", { status: 302, headers: { location: "/elsewhere.json" } }],
    ["that is no JSON", { status: 200, body: "<html>" }],
    [
      "of another address",
      { status: 200, body: JSON.stringify({ ...valid, client_id: "https://other.example.net/" }) },
    ],
    [
      "nested deeply",
      { status: 200, body: `{"client_name":"App","redirect_uris":${"[".repeat(2_000)}${"]".repeat(2_000)}}` },
    ],
    ["longer than 5 KB", { status: 200, body: JSON.stringify({ ...valid, padding: "x".repeat(6_000) }) }],
  ])("%s", async (_, given) => {
    answer = given;
    const { status, text } = await openConsent(publish());
    expect(status).toBe(400);
    expect(text).toContain("Could not connect the app");
    expect(new Set(fetched).size).toBe(1);
  });

  test("at a private address, by name or literally, without a connection", async () => {
    for (const host of ["inner.example.net", "10.0.0.5", "169.254.169.254", "[::1]", "[::ffff:10.0.0.5]"]) {
      const { status, text } = await openConsent(publish(host));
      expect([host, status]).toEqual([host, 400]);
      expect(text).not.toContain("blocked");
    }
  });

  test("whose redirects are not those of the request", async () => {
    const app = publish();
    const { challenge } = createPkce();
    const url = app.authorizationUrl({
      code_challenge: challenge,
      redirect_uri: "https://evil.example.com/callback",
    });
    const page = await browser.send(url);
    expect(page.status).toBe(400);
  });
});

test("by default, a document is read only from public addresses, whatever networks webhooks may use", async () => {
  const read = createClientDocuments();
  await expect(read("https://127.0.0.1/document.json", AbortSignal.timeout(5_000))).rejects.toThrow(
    "blocked",
  );
});

test("400: an address causes at most ten fetches a minute, and apps that are known still connect", async () => {
  const known = publish();
  await openConsent(known);
  const flooding = await OAuthBrowser.open(service, anna, "192.0.2.200");
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) {
    const { challenge } = createPkce();
    statuses.push((await flooding.send(publish().authorizationUrl({ code_challenge: challenge }))).status);
  }
  expect(statuses).toEqual([...Array(10).fill(200), 400, 400]);
  const { challenge } = createPkce();
  const page = await flooding.send(known.authorizationUrl({ code_challenge: challenge }));
  expect(page.status).toBe(200);
});
