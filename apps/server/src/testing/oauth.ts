import { createHash, randomBytes } from "node:crypto";
import { request as forward } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { createTestCa, openSignedInBrowser, type Person } from "@minutes/testing";
import { Agent, fetch as undiciFetch } from "undici";
import { startTestServer, type TestServer } from "./server.js";

/** The name by which people reach the service, which is not that of its own address. */
const HOST = "minutes.example.com";

/** Header of a request that stands for one from another network address. */
const ADDRESS = "x-test-address";

/** Two processes of the service behind a proxy with TLS, which sends them requests in turn. */
export interface SecureService {
  /** The public address, `https://minutes.example.com:<port>`. */
  readonly url: string;
  readonly servers: readonly [TestServer, TestServer];
  /** Sends a request to the public address. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/** Starts the service with sign-in for assistants. */
export async function startSecureService(): Promise<SecureService> {
  const ca = await createTestCa();
  let requests = 0;
  const ports: number[] = [];
  const proxy = https.createServer(await ca.issue({ names: [`DNS:${HOST}`] }), (request, response) => {
    const { method, url: path, headers, socket } = request;
    const onwards = forward(
      {
        ...{ host: "127.0.0.1", port: ports[requests++ % 2], method, path },
        headers: { ...headers, "x-forwarded-for": headers[ADDRESS] ?? socket.remoteAddress },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onwards.on("error", () => response.destroy());
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `https://${HOST}:${(proxy.address() as AddressInfo).port}`;
  const first = await startTestServer({ publicUrl: url, trustProxy: 1 });
  const second = await startTestServer({ publicUrl: url, trustProxy: 1, database: first.database });
  ports.push(first.port, second.port);
  const dispatcher = new Agent({
    connect: {
      ca: ca.ca,
      lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    },
  });
  return {
    url,
    servers: [first, second],
    fetch: (async (target: string, init: object) => {
      const answer = await undiciFetch(target, { ...init, dispatcher });
      const { status, headers } = answer;
      const body = status === 204 ? null : await answer.arrayBuffer();
      // The SDK knows only the global class.
      const known = new Response(body, { status, headers: [...headers] });
      return Object.defineProperty(known, "url", { value: answer.url });
    }) as typeof fetch,
    close: async () => {
      await dispatcher.close();
      proxy.closeAllConnections();
      proxy.close();
      await second.close();
      await first.close();
      await ca.remove();
    },
  };
}

/** Headers of a form on the service's own page. */
const FORM = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };

/** A person's browser, which keeps cookies by path and follows redirects within the service. */
export class OAuthBrowser {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  private constructor(private readonly service: SecureService) {}

  /** Opens a browser. @param who signed in with the console; nobody if absent */
  static async open(service: SecureService, who?: Pick<Person, "userId">): Promise<OAuthBrowser> {
    const browser = new OAuthBrowser(service);
    if (!who) return browser;
    const { cookie } = await openSignedInBrowser(service.servers[0], who);
    const [name = "", value = ""] = cookie.split("=");
    browser.#cookies.set(name, { value, path: "/" });
    return browser;
  }

  /** Sends a request, and follows redirects within the service. @returns the last answer */
  async send(target: string, form?: Record<string, string | string[]>, headers = {}): Promise<Response> {
    const url = new URL(target, this.service.url);
    const cookies = [...this.#cookies].filter(([, { path }]) => url.pathname.startsWith(path));
    const fields = Object.entries(form ?? {}).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    const answer = await this.service.fetch(url.href, {
      redirect: "manual",
      headers: {
        accept: "text/html",
        cookie: cookies.map(([name, { value }]) => `${name}=${value}`).join("; "),
        ...(form ? FORM : {}),
        ...headers,
      },
      ...(form ? { method: "POST", body: new URLSearchParams(fields).toString() } : {}),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, { value, path: /; ?path=([^;]+)/i.exec(cookie)?.[1] ?? "/" });
    }
    const to = answer.headers.get("location");
    if (to === null || new URL(to, url).origin !== this.service.url) return answer;
    return this.send(new URL(to, url).href);
  }

  /** Opens the consent page for an authorization request, and answers it. @returns where the browser is sent to */
  async consent(authorizationUrl: string, answer: Record<string, string | string[]> = ALLOW): Promise<URL> {
    const page = await this.send(authorizationUrl);
    const path = new URL(page.url).pathname;
    const answered = await this.send(path, answer);
    const on = /url=([^"]+)"/.exec(await answered.text())?.[1]?.replaceAll("&amp;", "&");
    if (on === undefined) throw new Error(`The consent failed with ${answered.status}.`);
    return new URL((await this.send(on)).headers.get("location") ?? "");
  }
}

/** The answer of a person who allows everything about their own meetings. */
export const ALLOW = {
  ...{ answer: "allow", access: "personal" },
  scope: ["meetings:read", "tasks:write", "meetings:write", "meetings:delete"],
};

/** Where a test's app is sent back to. */
export const REDIRECT = "https://app.example.net/callback";

let registered = 1;

/** Creates a PKCE verifier and its challenge. */
export function createPkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** An app that speaks OAuth without a library, so that it can break its rules. */
export class RawApp {
  private constructor(
    private readonly service: SecureService,
    readonly clientId: string,
  ) {}

  /** Registers an app. */
  static async register(service: SecureService, metadata: object = {}): Promise<RawApp> {
    // Each from its own address, which may register only a few.
    const address = `2001:db8:${(registered++).toString(16)}::1`;
    const answer = await RawApp.tryRegister(service, metadata, address);
    if (answer.status !== 201) throw new Error(`The registration failed: ${await answer.text()}`);
    const { client_id: clientId } = (await answer.json()) as { client_id: string };
    return new RawApp(service, clientId);
  }

  static tryRegister(
    service: SecureService,
    metadata: object = {},
    address = "192.0.2.1",
  ): Promise<Response> {
    return service.fetch(`${service.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json", [ADDRESS]: address },
      body: JSON.stringify({ client_name: "Raw app", redirect_uris: [REDIRECT], ...metadata }),
    });
  }

  /** Returns the address of an authorization request. Undefined parameters are left out. */
  authorizationUrl(parameters: Record<string, string | undefined> = {}): string {
    const all = {
      ...{ response_type: "code", client_id: this.clientId, redirect_uri: REDIRECT, state: "state" },
      ...{ code_challenge_method: "S256", resource: `${this.service.url}/mcp`, scope: "meetings:read" },
      ...parameters,
    };
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return `${this.service.url}/oauth/authorize?${new URLSearchParams(given)}`;
  }

  /** Calls the token endpoint. */
  async token(parameters: Record<string, string>): Promise<{ status: number; body: Record<string, string> }> {
    const answer = await this.service.fetch(`${this.service.url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: this.clientId, ...parameters }).toString(),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  }

  exchange(code: string, verifier: string, more: Record<string, string> = {}) {
    return this.token({
      ...{ grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: REDIRECT },
      ...more,
    });
  }

  refresh(token = "") {
    return this.token({ grant_type: "refresh_token", refresh_token: token });
  }

  /** Connects to a person. @returns the tokens */
  async connect(browser: OAuthBrowser, scope = "meetings:read", answer?: Record<string, string | string[]>) {
    const { verifier, challenge } = createPkce();
    const back = await browser.consent(this.authorizationUrl({ scope, code_challenge: challenge }), answer);
    const { status, body } = await this.exchange(back.searchParams.get("code") ?? "", verifier);
    if (status !== 200) throw new Error(`The exchange failed with ${status}.`);
    return { access: body.access_token ?? "", refresh: body.refresh_token ?? "", scope: body.scope };
  }
}
