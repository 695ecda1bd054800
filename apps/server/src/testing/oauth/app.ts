import { createHash, randomBytes } from "node:crypto";
import type { OAuthBrowser } from "./browser.js";
import { ADDRESS, type SecureService } from "./service.js";

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

  /** Returns an app that describes itself at an address. */
  static published(service: SecureService, address: string): RawApp {
    return new RawApp(service, address);
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

/** Starts an authorization with PKCE. */
export function prepare(app: RawApp, parameters: Record<string, string | undefined> = {}) {
  const { verifier, challenge } = createPkce();
  return { verifier, url: app.authorizationUrl({ code_challenge: challenge, ...parameters }) };
}
