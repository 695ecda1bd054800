import { REST_ROUTES } from "@minutes/contract/operations";
import type { Database } from "@minutes/db";
import { createConsoleCalls, type Random, send, toResourceRequest } from "@minutes/testing";
import type { TestServer } from "../server.js";
import { type Caller, type Expected, isUser, ok } from "./answers.js";
import type { User, World } from "./world.js";

/** The part of a server that the model uses. */
export type ModelServer = Pick<TestServer, "call" | "connection" | "data" | "db" | "given" | "url">;

/** The context of a step. `expect` fails the test with the history and both answers. */
export interface Step {
  /** The running server: another one after a kill. */
  readonly server: ModelServer;
  readonly db: Database;
  readonly world: World;
  readonly random: Random;
  /**
   * Makes a call, during which the server may be killed. @returns the answer; null if it was killed before it answered, and
   * another one runs
   */
  readonly risk: (call: () => Promise<Expected>) => Promise<Expected | null>;
  /** Returns the ID of one of the model's people; undefined if no answer has contained it. */
  readonly idOf: (person: string) => string | undefined;
  readonly expect: (what: string, answered: Expected, expected: Expected) => void;
}

export const done = ok({ success: true });

export const callSettings = async (
  step: Step,
  user: User,
  route: string,
  input?: object,
): Promise<Expected> =>
  step.server.call(await step.server.given.session({ userId: user.id }), `settings/${route}`, input);

const READS = ["meetings.listVersions", "meetings.getVersion", "speakers.list"];

/** Calls a procedure beyond `/v1`: in the console as a user, or over REST with a workspace key. */
export async function callBeyond(
  { server }: Step,
  caller: Caller,
  procedure: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Expected> {
  if (isUser(caller))
    return createConsoleCalls(() => server, READS).ask({ userId: caller.user.id }, procedure, input);
  const resource = REST_ROUTES[procedure];
  if (!resource) throw new Error(`${procedure} is no resource.`);
  const { path, ...request } = toResourceRequest(resource, input);
  const { status, body } = await send(server.url, `/rest/v1/workspace${path}`, {
    ...request,
    headers: { "x-api-key": caller.workspace.key ?? "", "content-type": "application/json" },
  });
  return status === 200 ? ok(body) : { status, body };
}
