import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { OIDC_CLIENT, readPayload, startOidcProvider, testBrowser } from "@minutes/testing";
import { startTestServer, type TestServer } from "./index.js";

export const PUBLIC_URL = "http://localhost:3000";
export const CALLBACK = `${PUBLIC_URL}/identity/v1/oidc/callback`;

/** The user who signs in at the provider, and the provider's claims. */
export interface Account {
  readonly sub: string;
  email: string;
  email_verified: boolean;
  readonly name: string;
}

/** A browser's cookies at the provider and the installation, by origin. */
export class Jar {
  readonly cookies = new Map<string, Map<string, string>>();
  header = (origin: string): string =>
    [...(this.cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  keep(origin: string, headers: Headers): void {
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    for (const cookie of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) own.delete(name);
      else own.set(name, value);
    }
  }
}

export interface Visit {
  readonly jar: Jar;
  /** Every visited URL; the last one is not fetched. */
  readonly path: readonly string[];
}

/** Follows redirects like a browser, up to a page of the installation or `until`. */
export async function visit(
  at: TestServer,
  start: string,
  { jar = new Jar(), until = /^never/ }: { jar?: Jar; until?: RegExp } = {},
): Promise<Visit> {
  const path = [`${PUBLIC_URL}${start}`];
  for (let hop = 0; hop < 12; hop++) {
    const target = new URL(path.at(-1) ?? "");
    const here = target.origin === PUBLIC_URL;
    if (hop > 0 && (until.test(target.href) || (here && !target.pathname.startsWith("/identity/")))) break;
    const url = here ? at.url + target.pathname + target.search : target.href;
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: jar.header(target.origin), ...(here ? { host: "evil.example" } : {}) },
    });
    jar.keep(target.origin, response.headers);
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${response.status} ${url}: ${await response.text()}`);
    path.push(new URL(location, target).href);
  }
  return { jar, path };
}

/** Returns the path of the last visited URL. */
export const getLastPath = ({ path }: Visit) => path.at(-1)?.replace(PUBLIC_URL, "");

/** A provider, and an installation whose users sign in with it. */
export interface OidcScene {
  readonly issuer: string;
  readonly server: TestServer;
  /** Settings of the installation. */
  readonly settings: Readonly<Record<string, string>>;
  /** Signs in at the provider, and returns. */
  signIn(at?: TestServer, query?: string, jar?: Jar): Promise<Visit>;
  /** Returns the user who is signed in after a visit. */
  whoIs(visit: Visit): Promise<{ userId: string; workspaceId: string } | null>;
  close(): Promise<void>;
}

/** Starts a provider and an installation. @param getAccount returns who signs in at the provider */
export async function startOidcScene(getAccount: () => Account): Promise<OidcScene> {
  const provider = await startOidcProvider(getAccount, () => [CALLBACK]);
  const settings = toSettings(provider.issuer);
  const server = await startTestServer({ publicUrl: PUBLIC_URL, signIn: settings });
  return {
    ...{ server, settings, issuer: provider.issuer },
    signIn: (at = server, query = "", jar = new Jar()) =>
      visit(at, `/identity/v1/oidc/start${query}`, { jar }),
    async whoIs({ jar }) {
      const browser = testBrowser(server);
      browser.cookie = jar.header(PUBLIC_URL);
      const answer = await browser.read("settings/v1/account.get");
      return answer.status === 200 ? readPayload(answer) : null;
    },
    async close() {
      await server.close();
      await provider.close();
    },
  };
}

/** Returns the settings for a provider. */
export const toSettings = (issuer: string) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: OIDC_CLIENT.client_id,
  OIDC_CLIENT_SECRET: OIDC_CLIENT.client_secret,
});

/** Starts a server in a provider's place. `answer` replaces its answers. */
export async function startFalseProvider(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(next: RequestListener): void {
      server.removeAllListeners("request");
      server.on("request", next);
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
