import { createSignInToken } from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Person } from "./accounts.js";
import { type Answer, type CallOptions, readPayload, send } from "./call.js";

/** Headers of requests from a page of the installation's own origin. */
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

/** A browser that keeps the cookies of one server, and calls procedures as its pages do. */
export interface TestBrowser {
  /** The session's cookie as a `Cookie` header; empty if nobody is signed in. */
  cookie: string;
  /** The known-browser cookie; empty before the first sign-in. */
  known: string;
  /** Reads with GET: `browser.read("settings/v1/account.get")`. */
  read(path: string, input?: object, options?: CallOptions): Promise<Answer>;
  /** Writes with POST. */
  write(path: string, input?: object, options?: CallOptions): Promise<Answer>;
}

/** Opens a browser without cookies. */
export function testBrowser(server: { readonly url: string }): TestBrowser {
  const keepCookies = (answer: Answer): Answer => {
    for (const cookie of answer.headers["set-cookie"] ?? []) {
      const [pair = ""] = cookie.split(";");
      const value = /Max-Age=0/i.test(cookie) ? "" : pair;
      if (/^(__Host-)?minutes-browser=/.test(pair)) browser.known = value;
      else browser.cookie = value;
    }
    return answer;
  };
  const headers = (extra: CallOptions["headers"]) => ({
    ...SAME_ORIGIN,
    "user-agent": "Test browser",
    ...(browser.cookie || browser.known
      ? { cookie: [browser.cookie, browser.known].filter((pair) => pair !== "").join("; ") }
      : {}),
    ...extra,
  });
  const browser: TestBrowser = {
    cookie: "",
    known: "",
    read: async (path, input, options = {}) => {
      const query = input ? `?input=${encodeURIComponent(JSON.stringify({ json: input }))}` : "";
      return keepCookies(await send(server.url, `/${path}${query}`, { headers: headers(options.headers) }));
    },
    write: async (path, input = {}, options = {}) =>
      keepCookies(
        await send(server.url, `/${path}`, {
          method: "POST",
          body: JSON.stringify({ json: input }),
          headers: headers({ "content-type": "application/json", ...options.headers }),
        }),
      ),
  };
  return browser;
}

/** The password set by `givePassword`. */
export const PASSWORD = "correct horse battery";

type Installation = { readonly url: string; readonly db: Database };

/** Opens a browser in which the person has signed in with a one-time link. */
export async function openSignedInBrowser(
  server: Installation,
  who: Pick<Person, "userId">,
): Promise<TestBrowser> {
  const browser = testBrowser(server);
  const token = await createSignInToken(server.db, who.userId);
  readPayload(await browser.write("identity/v1/link.use", { token }));
  return browser;
}

/** Sets a person's password through their account page. */
export async function givePassword(server: Installation, who: Pick<Person, "userId">): Promise<TestBrowser> {
  const browser = await openSignedInBrowser(server, who);
  readPayload(await browser.write("settings/v1/account.setPassword", { current: null, password: PASSWORD }));
  return browser;
}
