import { MESSAGES } from "@minutes/contract";
import {
  authenticate,
  authenticateIngest,
  authenticateSession,
  ChangeSignal,
  type Context,
  consoleRouter,
  createDeadline,
  createTargetPolicy,
  ingestRouter,
  JsonLines,
  KeyUses,
  KeyVerifier,
  meRouter,
  myRestRouter,
  NO_SUMMARIES,
  RequestStatistics,
  requireApiAccess,
  requireValidKey,
  requireWriteAccess,
  runProcedure,
  type Services,
  syncRouter,
  toErrorResponse,
  workspaceRestRouter,
  workspaceRouter,
} from "@minutes/core";
import type { Connection, Database, Deadline } from "@minutes/db";
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import type { Person } from "./accounts.js";
import { type Answer, readPayload } from "./call.js";
import { createTestDatabase, engine, type TestDatabase } from "./database.js";
import { type Given, givenOn } from "./given.js";
import type { Payload, PublicRoute } from "./procedures.js";

/** The operations of all domains on a database of their own, called in this process. What HTTP adds is tested in `apps/server`. */
export interface TestApi {
  readonly database: TestDatabase;
  readonly connection: Connection;
  readonly db: Database;
  readonly given: Given;
  /**
   * Calls an operation as the holder of a key, or of a session's token for `console/…`. Returns refusals as status and
   * message, and throws faults.
   * @param route such as `me/meetings.list`, `sync/workspace/changes.list`, `ingest/meetings.import`, `console/meetings.update` or,
   * for what only REST serves, `rest/me/people.list`
   */
  call(key: string | null, route: string, input?: object): Promise<ApiAnswer>;
  /** Returns the payload of a call that must succeed. */
  data<Route extends PublicRoute>(key: string, route: Route, input?: object): Promise<Payload<Route>>;
  /** Calls an operation of the console as a signed-in person. */
  ask(who: Pick<Person, "userId">, operation: string, input?: object): Promise<ConsoleAnswer>;
  /** Returns the payload of such a call, which must succeed. */
  askFor<Result>(who: Pick<Person, "userId">, operation: string, input?: object): Promise<Result>;
  close(): Promise<void>;
}

type ApiAnswer = Pick<Answer, "status" | "body">;
interface ConsoleAnswer {
  readonly status: number;
  readonly body: { error?: string; result?: { data: { json: unknown } } };
}

export interface TestApiOptions {
  /** Another suite's database. */
  readonly database?: TestDatabase;
  readonly services?: Partial<Services>;
}

/** Opens the API on a new database. */
export async function openTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase());
  const connection = await database.connect();
  const { db } = connection;
  const given = givenOn(database.db);
  const changes = new ChangeSignal(connection, () => {});
  const enter = createEntrances(db, changes, options);

  const call: TestApi["call"] = async (key, route, input) => {
    const at = route.lastIndexOf("/");
    const entrance = enter[route.slice(0, at)];
    const path = route.slice(at + 1);
    const procedures = entrance?.router._def.procedures as Record<string, AnyTRPCProcedure> | undefined;
    const procedure = procedures?.[path];
    if (!entrance || !procedure) throw new Error(`No operation is called ${route}.`);
    const { type } = procedure._def;
    try {
      const ctx = await entrance.admit(key ?? undefined, type === "mutation");
      const sent = input === undefined ? undefined : JSON.parse(JSON.stringify(input));
      const payload = await runProcedure(entrance.router, { path, type, input: sent }, ctx);
      return { status: 200, body: payload instanceof JsonLines ? await readLines(payload) : toBody(payload) };
    } catch (error) {
      const { status, message } = toErrorResponse(error);
      // Over HTTP a fault is 500 and nothing more; here the test shows its cause.
      if (status === 500) throw error;
      return { status, body: { error: message } };
    }
  };
  const ask: TestApi["ask"] = async (who, operation, input = {}) =>
    (await call(await given.session(who), `console/${operation}`, input)) as ConsoleAnswer;
  return {
    database,
    connection,
    db: database.db,
    given,
    call,
    data: async (key, route, input) => readPayload(await call(key, route, input)),
    ask,
    askFor: async (who, operation, input) => readPayload(await ask(who, operation, input)),
    close: async () => {
      await changes.stop();
      if (engine === "postgres") await connection.close();
      if (!options.database) await database.close();
    },
  };
}

const toBody = (payload: unknown): unknown =>
  JSON.parse(JSON.stringify({ result: { data: { json: payload } } }));

/** Runs a batch. @returns the body of its only item, or a list of them */
async function readLines({ items }: JsonLines): Promise<unknown> {
  const bodies: unknown[] = [];
  for (const item of items) bodies.push(toBody(await item(createDeadline(ITEM_TIMEOUT))));
  return bodies.length === 1 ? bodies[0] : bodies;
}

/** A router, and how a credential becomes the caller of its operations. */
interface Entrance {
  readonly router: AnyTRPCRouter;
  /** @throws ApiError 401, 403 */
  admit(credential: string | undefined, writes: boolean): Promise<object>;
}

/** Timeout of a batch's item in ms. */
const ITEM_TIMEOUT = 60_000;
/** Quotas are tested over HTTP. */
const UNLIMITED = 1_000_000_000;

function createEntrances(
  db: Database,
  changes: ChangeSignal,
  options: TestApiOptions,
): Readonly<Record<string, Entrance>> {
  const webhooks = { keyring: null, targetPolicy: createTargetPolicy() };
  const services: Services = {
    ...{ webhooks, requests: new RequestStatistics(db), publicUrl: () => "http://localhost" },
    ...{ mailer: null, signIn: [], oidc: null, sampleEmail: () => null, command: "" },
    ...{ summaries: NO_SUMMARIES, recordingDays: 30, uploadedAudio: { refusal: MESSAGES.noTranscriber } },
    keptAudio: null,
    ...options.services,
  };
  const keys = { verifier: new KeyVerifier(db), uses: new KeyUses(db) };
  const admitKey =
    (kind: "user" | "workspace"): Entrance["admit"] =>
    async (key, writes): Promise<Context> => {
      const verified = await authenticate(keys, key, UNLIMITED);
      const caller = requireApiAccess(verified, kind);
      if (writes)
        requireWriteAccess({ headers: {}, mayWrite: verified.access === "full", authorize: () => ({}) });
      const waiting = {
        changes,
        requireKey: () => requireValidKey(db, key),
        onGone: () => () => {},
        withinDeadline: <Result>(work: (deadline: Deadline) => Promise<Result>) =>
          work(createDeadline(60_000)),
      };
      return { db, caller, services, waiting };
    };
  const [asUser, asWorkspace] = [admitKey("user"), admitKey("workspace")];
  return {
    me: { router: meRouter, admit: asUser },
    workspace: { router: workspaceRouter, admit: asWorkspace },
    "rest/me": { router: myRestRouter, admit: asUser },
    "rest/workspace": { router: workspaceRestRouter, admit: asWorkspace },
    "sync/me": { router: syncRouter, admit: asUser },
    "sync/workspace": { router: syncRouter, admit: asWorkspace },
    ingest: {
      router: ingestRouter,
      admit: async (key): Promise<Context> => {
        const { caller } = await authenticateIngest(db, key, UNLIMITED);
        return { db, caller, services };
      },
    },
    console: {
      router: consoleRouter,
      admit: async (token): Promise<Context> => {
        const { user } = await authenticateSession(db, token, "console", UNLIMITED);
        return { db, caller: user, services };
      },
    },
  };
}
