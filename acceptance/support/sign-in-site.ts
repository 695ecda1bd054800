import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSmtpMailer } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { OIDC_CLIENT, type OidcProvider, openInbox, startOidcProvider } from "@minutes/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openBrowser } from "./chromium.js";
import { buildConsole, CONSOLE_DIRECTORY } from "./console.js";

/** A server with every sign-in method and its dependencies, and a browser. */
export interface SignInSite {
  readonly server: TestServer;
  /** Public URL of the server: `http://localhost:<port>`, which supports passkeys. */
  readonly url: string;
  /** Another site, on another port of the same host. */
  readonly evil: string;
  readonly provider: OidcProvider;
  /** Errors reported by browsers, including policy violations. */
  readonly faults: readonly string[];
  /** Opens a page in a browser without cookies. */
  openPage(): Promise<Page>;
  /** Waits until the mail server has a message for an address, and returns the link in it. */
  readLink(to: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens the site. `getAccount` returns the account that signs in at the company's provider. */
export async function openSignInSite(
  getAccount: Parameters<typeof startOidcProvider>[0],
): Promise<SignInSite> {
  await buildConsole();
  const inbox = await openInbox();
  let url = "";
  const provider = await startOidcProvider(getAccount, () => [`${url}/identity/v1/oidc/callback`]);
  const server = await startTestServer({
    signIn: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: OIDC_CLIENT.client_id,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.client_secret,
    },
    consoleDirectory: CONSOLE_DIRECTORY,
    mailer: createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" }),
    publicUrl: (port) => `http://localhost:${port}`,
  });
  url = `http://localhost:${server.port}`;
  const evil = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<p>Evil"),
  );
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const { browser: first, close } = await openBrowser();
  const faults: string[] = [];
  return {
    server,
    url,
    evil: `http://localhost:${(evil.address() as AddressInfo).port}`,
    provider,
    faults,
    openPage: async () => {
      const context = await first.browser()?.newContext();
      if (!context) throw new Error("The browser is closed.");
      const page = await context.newPage();
      await page.emulateMedia({ reducedMotion: "reduce" });
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !/status of 4\d\d/.test(message.text()))
          faults.push(message.text());
      });
      return page;
    },
    readLink: async (to) => {
      const find = () => inbox.mails.findLast((mail) => mail.to.includes(to));
      await expect.poll(find).toBeDefined();
      return /http:\/\/localhost:\d+\/\S+/.exec(find()?.text ?? "")?.[0] ?? "";
    },
    close: async () => {
      await close();
      await server.close();
      await inbox.close();
      await provider.close();
      await new Promise((resolve) => evil.close(resolve));
    },
  };
}
