import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Company, Person } from "@minutes/testing";
import { afterAll, beforeAll } from "vitest";

/** A server with a company and two of its members. */
interface SettingsScene {
  readonly server: TestServer;
  readonly company: Company;
  readonly anna: Person;
  readonly boris: Person;
}

/** Starts a server before a file's tests, and closes it after them. `begin` gets what the tests use. */
export function useSettingsScene(begin: (scene: SettingsScene) => void): void {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer();
    const company = await server.given.company();
    const anna = await server.given.member(company);
    const boris = await server.given.member(company);
    begin({ server, company, anna, boris });
  });
  afterAll(() => server?.close());
}
