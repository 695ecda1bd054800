import { openSignedInBrowser, type Person } from "@minutes/testing";
import { ADDRESS, type SecureService } from "./service.js";

/** Headers of a form on the service's own page. */
const FORM = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };

let requests = 1;

/** A person's browser, which keeps cookies by path and follows redirects within the service. */
export class OAuthBrowser {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  private constructor(
    private readonly service: SecureService,
    private readonly address: string | undefined,
  ) {}

  /**
   * Opens a browser.
   * @param who signed in with the console; nobody if absent
   * @param address its network address; by default another one for each request, because those of an address are limited
   */
  static async open(
    service: SecureService,
    who?: Pick<Person, "userId">,
    address?: string,
  ): Promise<OAuthBrowser> {
    const browser = new OAuthBrowser(service, address);
    if (who) await browser.signIn(who);
    return browser;
  }

  /** Signs a person in, in place of who was. */
  async signIn(who: Pick<Person, "userId">): Promise<void> {
    const { cookie } = await openSignedInBrowser(this.service.servers[0], who);
    const [name = "", value = ""] = cookie.split("=");
    this.#cookies.set(name, { value, path: "/" });
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
        [ADDRESS]: this.address ?? `2001:db8:b:${(requests++).toString(16)}::1`,
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
    const answered = await this.send(path, { account: readAccount(await page.text()), ...answer });
    const on = /url=([^"]+)"/.exec(await answered.text())?.[1]?.replaceAll("&amp;", "&");
    if (on === undefined) throw new Error(`The consent failed with ${answered.status}.`);
    return new URL((await this.send(on)).headers.get("location") ?? "");
  }
}

/** Reads the field of a consent page that names its reader. */
export const readAccount = (page: string): string => /name="account" value="([^"]+)"/.exec(page)?.[1] ?? "";

/** The answer of a person who allows everything about their own meetings. */
export const ALLOW = {
  ...{ answer: "allow", access: "personal" },
  scope: ["meetings:read", "tasks:write", "meetings:write", "meetings:delete"],
};
