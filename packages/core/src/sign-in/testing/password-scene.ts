import { schema } from "@minutes/db";
import { startTestServer, type TestServer, type TestServerOptions } from "@minutes/server/testing";
import { givePassword, type Person, testBrowser } from "@minutes/testing";
import { afterAll, beforeAll, beforeEach } from "vitest";

/** A server with a person who has `PASSWORD`. */
interface PasswordScene {
  readonly server: TestServer;
  readonly anna: Person;
}

/**
 * Starts a server before a file's tests, and closes it after them. Forgets all attempts before each test. `begin` gets what
 * the tests use.
 */
export function usePasswordScene(begin: (scene: PasswordScene) => void, options?: TestServerOptions): void {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer(options);
    const anna = await server.given.person();
    await givePassword(server, anna);
    begin({ server, anna });
  });
  beforeEach(() => server?.db.delete(schema.signInAttempts));
  afterAll(() => server?.close());
}

/** Signs in with a password in a new browser. */
export const signIn = (at: { readonly url: string }, email: string, password: string) =>
  testBrowser(at).write("identity/v1/password.signIn", { email, password });
