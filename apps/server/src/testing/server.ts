import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import {
  ChangeSignal,
  type ClientDocuments,
  type Mailer,
  type SummaryQueue,
  setPasswordCost,
  type WebhookServices,
} from "@minutes/core";
import type { KeptAudioStore } from "@minutes/core/kept-audio";
import type { Connection, Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import type { Payload, PublicRoute } from "@minutes/testing";
import {
  type Answer,
  type CallOptions,
  call,
  createTestDatabase,
  engine,
  type Given,
  givenOn,
  readPayload,
  type TestDatabase,
} from "@minutes/testing";
import pino from "pino";
import { type Config, createApp, createHttpServer, createWatch, parseConfig } from "../index.js";
import type { AudioUploads } from "../operations/audio/audio-uploads.js";
import { UPLOAD_LIMITS } from "../operations/import/parse-in-thread.js";

/** 2^4 blocks: a hash takes no time. */
const CHEAP = 4;

/** Default calls per minute of an installation. */
export const DEFAULT_RATE_LIMIT = parseConfig({}).RATE_LIMIT_PER_MINUTE;

export interface TestServerOptions {
  /** Calls per minute and scope; practically unlimited by default. */
  readonly rateLimit?: number;
  /** For `setPasswordCost`, of all servers of the process until the next one starts; next to nothing by default. */
  readonly passwordCost?: number | null;
  readonly corsOrigins?: readonly string[];
  /**
   * Deadline of a call in ms, after which it is answered with 503; long by default, because test machines can be busy.
   */
  readonly deadline?: number;
  /** Another suite's database, for a second instance of the same installation. */
  readonly database?: TestDatabase;
  /** A connection created by the test: to a proxy, to nowhere, or one that counts. The test closes it. */
  readonly connection?: Connection;
  readonly accepting?: () => boolean;
  /** Number of proxies in front of the server. */
  readonly trustProxy?: number;
  /** An origin, or a function that derives one from the port; `http://localhost` by default. */
  readonly publicUrl?: string | ((port: number) => string);
  /** Sign-in methods and their settings; all methods and no provider by default. */
  readonly signIn?: Partial<
    Pick<Config, "SIGN_IN" | "OIDC_ISSUER" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET" | "OIDC_WORKSPACE">
  >;
  /** The model that writes answers, and its limits; none by default. */
  readonly model?: Partial<
    Pick<
      Config,
      "SUMMARISER_URL" | "SUMMARISER_MODEL" | "SUMMARISER_KEY" | "ANSWERS_PER_DAY" | "ANSWER_TOKENS_PER_DAY"
    >
  >;
  /** Ingest calls per minute and workspace; practically unlimited by default. */
  readonly ingestLimit?: number;
  readonly summaries?: SummaryQueue;
  /** What parsing an uploaded file may use; by default more time than usual, because test machines can be busy. */
  readonly uploadLimits?: Parameters<typeof createApp>[0]["uploadLimits"];
  readonly webhooks?: WebhookServices;
  /** Reads the documents in which apps describe themselves; from public addresses by default. */
  readonly clientDocuments?: ClientDocuments;
  readonly mailer?: Mailer;
  /** Receives audio; refused by default. */
  readonly audio?: AudioUploads;
  /** Kept audio; none by default. */
  readonly keptAudio?: Omit<KeptAudioStore, "db">;
  /** Directory of the console's build; if absent, the console is not served. */
  readonly consoleDirectory?: string;
  /** The command shown on the sign-in page. */
  readonly command?: string;
  /** Semantic search; words only by default. */
  readonly similarity?: SimilaritySearch;
  /** Logs each answered request. */
  readonly accessLog?: boolean;
  /** Observers of the process; none by default. */
  readonly watch?: Partial<Config>;
}

/** The whole service on its own port. */
export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly database: TestDatabase;
  readonly connection: Connection;
  /** The observers of the service; null unless requested. */
  readonly watch: Awaited<ReturnType<typeof createWatch>> | null;
  /** Wakes calls that wait for changes. */
  readonly changes: ChangeSignal;
  /** For factories and direct queries. */
  readonly db: Database;
  readonly given: Given;
  /** Every logged line, at level `debug`. */
  readonly log: readonly string[];
  /** Calls a procedure, `server.call(key, "me/meetings.list", { limit: 5 })`. */
  call(key: string | null, route: string, input?: object, options?: CallOptions): Promise<Answer>;
  /** Returns the payload of a call that must succeed. */
  data<Route extends PublicRoute>(key: string, route: Route, input?: object): Promise<Payload<Route>>;
  close(): Promise<void>;
}

/** Margin in ms between a statement's timeout and its call's deadline, so that a 503 means that nothing was done. */
const STATEMENT_MARGIN = 100;

/** Starts the service as the server's own start does, with disposable surroundings. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createTestDatabase());
  const connection =
    options.connection ??
    (await database.connect(
      options.deadline === undefined ? {} : { statementTimeout: options.deadline - STATEMENT_MARGIN },
    ));
  setPasswordCost(options.passwordCost === undefined ? CHEAP : options.passwordCost);
  const log: string[] = [];
  let port = 0;
  const changes = new ChangeSignal(connection, () => {});
  const logger = pino({ level: "debug", base: null }, { write: (line: string) => void log.push(line) });
  const watch = options.watch
    ? await createWatch({ ...parseConfig({}), ...options.watch }, connection, logger, options.similarity)
    : null;
  const wrap = watch?.wrap ?? ((listener: RequestListener) => listener);
  const server = createHttpServer(
    wrap(
      createApp({
        connection,
        changes,
        config: {
          ...parseConfig({}),
          RATE_LIMIT_PER_MINUTE: options.rateLimit ?? 1_000_000_000,
          INGEST_LIMIT_PER_MINUTE: options.ingestLimit ?? 1_000_000_000,
          CORS_ORIGINS: [...(options.corsOrigins ?? [])],
          TRUST_PROXY: options.trustProxy,
          PUBLIC_URL: typeof options.publicUrl === "string" ? options.publicUrl : undefined,
          ...(options.accessLog ? { ACCESS_LOG: "on" } : {}),
          ...options.signIn,
          ...options.model,
        },
        ...(options.summaries ? { summaries: options.summaries } : {}),
        uploadLimits: options.uploadLimits ?? { ...UPLOAD_LIMITS, deadline: 300_000 },
        ...(options.webhooks ? { webhooks: options.webhooks } : {}),
        ...(options.clientDocuments ? { clientDocuments: options.clientDocuments } : {}),
        ...(options.mailer ? { mailer: options.mailer } : {}),
        ...(options.audio ? { audio: options.audio } : {}),
        keptAudio: options.keptAudio ? { ...options.keptAudio, db: connection.db } : null,
        ...(options.command ? { command: options.command } : {}),
        ...(options.consoleDirectory ? { consoleDirectory: options.consoleDirectory } : {}),
        publicUrl: () =>
          typeof options.publicUrl === "function"
            ? options.publicUrl(port)
            : (options.publicUrl ?? "http://localhost"),
        log: logger,
        deadline: options.deadline ?? 30_000,
        similarity: options.similarity,
        ...(options.accepting ? { accepting: options.accepting } : {}),
        onAnswer: watch?.onAnswer,
        traceAuthentication: watch?.traceAuthentication,
        metrics: watch?.metricsHandler,
      }),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
  const url = `http://127.0.0.1:${port}`;
  const callHere: TestServer["call"] = (key, route, input, extra) => call(url, key, route, input, extra);
  return {
    url,
    port,
    database,
    connection,
    changes,
    watch,
    db: database.db,
    given: givenOn(database.db),
    log,
    call: callHere,
    data: async (key, route, input) => readPayload(await callHere(key, route, input)),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await changes.stop();
      await watch?.stop();
      if (!options.connection && engine === "postgres") await connection.close();
      if (!options.database) await database.close();
    },
  };
}
