import type { Company, Person } from "@minutes/testing";
import { afterAll, beforeAll } from "vitest";
import { startTestServer, type TestServer } from "./server.js";

/** A server with a company and two of its members. */
interface Colleagues {
  readonly server: TestServer;
  readonly company: Company;
  readonly anna: Person;
  readonly boris: Person;
}

/** Starts a server before a file's tests, and closes it after them. `begin` gets what the tests use. */
export function useColleagues(begin: (colleagues: Colleagues) => void): void {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer();
    const company = await server.given.company();
    begin({
      ...{ server, company },
      anna: await server.given.member(company),
      boris: await server.given.member(company),
    });
  });
  afterAll(() => server?.close());
}
