import { type Person, payload, type TestBrowser, type TestServer, testBrowser } from "@minutes/testing";
import { createSignInToken } from "../links.js";

export const PASSWORD = "correct horse battery";

/** A browser in which the person has signed in with a one-time link. */
export async function signedIn(server: TestServer, who: Pick<Person, "userId">): Promise<TestBrowser> {
  const browser = testBrowser(server);
  payload(
    await browser.write("identity/v1/link.use", { token: await createSignInToken(server.db, who.userId) }),
  );
  return browser;
}

/** Gives a person a password, through their account page. */
export async function givePassword(server: TestServer, who: Pick<Person, "userId">): Promise<TestBrowser> {
  const browser = await signedIn(server, who);
  payload(await browser.write("settings/v1/account.setPassword", { current: null, password: PASSWORD }));
  return browser;
}
