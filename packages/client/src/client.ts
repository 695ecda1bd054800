import { createTRPCClient, type TRPCClient, type TRPCProcedureOptions } from "@trpc/client";
import { type Asking, createAsking } from "./ask.js";
import { realClock } from "./clock.js";
import { createLink, link, type RouteSet } from "./link.js";
import type { CREATES, ROUTES } from "./operations.generated.js";
import type { ClientOptions, SettingsOptions } from "./options.js";
import { aimAtResource } from "./resources.js";
import type { IngestRouter, ManagementRouter, MeRouter, PeopleRouter, WorkspaceRouter } from "./routers.js";
import { type ChangeFeed, createChangeFeed } from "./sync.js";

/** Parameters of a task update. */
interface TaskFields {
  /** A task's `id`, from `tasks.list`. */
  readonly taskId: string;
  /** True completes the task; false reopens it. */
  readonly completed: boolean;
  /** The new text, 1 to 10,000 characters after trimming. */
  readonly text: string;
}
type Optional<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** A task and at least one change. */
export type TaskChange = Pick<TaskFields, "taskId"> &
  (
    | (Pick<TaskFields, "completed"> & Optional<Pick<TaskFields, "text">>)
    | (Pick<TaskFields, "text"> & Optional<Pick<TaskFields, "completed">>)
  );

/** The task procedures. Unlike the router's type, an update must change something. */
type Tasks<Client extends TRPCClient<MeRouter> | TRPCClient<WorkspaceRouter>> = Keyed<
  Omit<Client["tasks"], "update">,
  never
> & {
  /** Completes, reopens or rewords a task. With a personal key, only one that the caller owns. */
  update: {
    /** Changes what is given: `completed`, `text` or both. */
    mutate(change: TaskChange, options?: CallOptions): ReturnType<Client["tasks"]["update"]["mutate"]>;
  };
};

/** A client for the routes of a personal key. */
export type MeClient = Keyed<Omit<TRPCClient<MeRouter>, "tasks">, never> & {
  tasks: Tasks<TRPCClient<MeRouter>>;
} & ChangeFeed &
  Asking;
/** A client for the routes of a workspace key. */
export type WorkspaceClient = Keyed<Omit<TRPCClient<WorkspaceRouter>, "tasks">, never> & {
  tasks: Tasks<TRPCClient<WorkspaceRouter>>;
} & ChangeFeed;

/**
 * Creates a client for the routes of a personal key, `/v1/me/*`: own and shared meetings.
 *
 * @example
 * const client = createMeClient({ baseUrl: "https://minutes.example.com", apiKey });
 * const { meetings } = await client.meetings.list.query({ limit: 20 });
 */
export const createMeClient = (options: ClientOptions): MeClient =>
  withMethods(createTRPCClient<MeRouter>({ links: [link("me", options)] }), {
    ...createChangeFeed("me", options),
    ...createAsking(options),
  });

/**
 * Creates a client for the routes of a workspace key, `/v1/workspace/*`: all meetings of the workspace.
 *
 * @example
 * const client = createWorkspaceClient({ baseUrl: "https://minutes.example.com", apiKey });
 * await client.tasks.update.mutate({ taskId, completed: true });
 */
export const createWorkspaceClient = (options: ClientOptions): WorkspaceClient =>
  withMethods(
    createTRPCClient<WorkspaceRouter>({ links: [link("workspace", options)] }),
    createChangeFeed("workspace", options),
  );

/** Options of a call. */
export type CallOptions = Optional<Omit<TRPCProcedureOptions, "context">>;
/** Options of a call that the service runs once per idempotency key. */
export type CreateOptions = CallOptions & {
  readonly context?:
    | {
        /** 1 to 255 printable ASCII characters without spaces; by default a new key for each call. */
        readonly idempotencyKey?: string | undefined;
      }
    | undefined;
};

/** A client whose call options can be undefined. Only writes in `Once` take an idempotency key: others would run twice. */
type Keyed<Client, Once extends string, Prefix extends string = ""> = {
  [Name in keyof Client]: Client[Name] extends { mutate: infer Mutate extends (input: never) => unknown }
    ? {
        mutate(
          input: Parameters<Mutate>[0],
          options?: `${Prefix}${Name & string}` extends Once ? CreateOptions : CallOptions,
        ): ReturnType<Mutate>;
      }
    : Client[Name] extends { query: infer Query extends (input: never) => unknown }
      ? { query(input: Parameters<Query>[0], options?: CallOptions): ReturnType<Query> }
      : Name extends string
        ? Keyed<Client[Name], Once, `${Prefix}${Name}.`>
        : Client[Name];
};

type Creates = (typeof CREATES)[number];
/** Writes over REST that are a `POST`. */
type Posts = {
  [Path in keyof typeof ROUTES]: (typeof ROUTES)[Path] extends `POST ${string}` ? Path : never;
}[keyof typeof ROUTES];

/** A client for recorders. Without `meetings.importMany`, whose answer is a stream of lines. */
export type IngestClient = Keyed<
  Omit<TRPCClient<IngestRouter>, "meetings"> & {
    meetings: Pick<TRPCClient<IngestRouter>["meetings"], "import">;
  },
  Creates
>;
/** A client for the keys and webhooks of a signed-in user. */
export type SettingsClient = Keyed<TRPCClient<ManagementRouter>, Creates>;
/** A client for people, speakers, transcripts, corrections and versions of meetings. */
export type PeopleClient = Keyed<TRPCClient<PeopleRouter>, Posts>;

/**
 * Creates a client for recorders and importers, `/ingest/v1/*`. Its writes have an idempotency key and are retried.
 *
 * @example
 * const recorder = createIngestClient({ baseUrl: "https://minutes.example.com", apiKey: "ik_…" });
 * const { meetingId } = await recorder.meetings.import.mutate(meeting);
 */
export const createIngestClient = (options: ClientOptions): IngestClient =>
  createTRPCClient<IngestRouter>({ links: [createLink(realClock, "ingest/v1", options)] });

/**
 * Creates a client for what a signed-in user manages, `/settings/v1/*`. Creates of keys and webhooks have an idempotency
 * key and are retried. A secret is returned once: if that answer was lost, the retry's is empty, and `message` says so.
 *
 * @example
 * const settings = createSettingsClient({ baseUrl: "https://minutes.example.com", token: "mst_…" });
 * const { id, key } = await settings.keys.create.mutate({ kind: "personal", name: "My script" });
 */
export const createSettingsClient = (options: SettingsOptions): SettingsClient =>
  createTRPCClient<ManagementRouter>({ links: [createLink(realClock, "settings/v1", options)] });

/**
 * Creates a client for people, speakers, transcripts, corrections and versions, over `/rest/v1/me` or `/rest/v1/workspace`. Merges,
 * splits, restores and new tasks have an idempotency key and are retried.
 *
 * @example
 * const client = createPeopleClient("me", { baseUrl: "https://minutes.example.com", apiKey });
 * const { version, speakers } = await client.speakers.list.query({ meetingId });
 * await client.speakers.assign.mutate({ meetingId, speakerLabel: "s1", baseVersion: version, name: "Ada Lovelace" });
 */
export const createPeopleClient = (routes: RouteSet, options: ClientOptions): PeopleClient =>
  createTRPCClient<PeopleRouter>({
    links: [createLink(realClock, `rest/v1/${routes}`, options, aimAtResource)],
  });

/** Adds methods to a tRPC client, whose proxy would turn their names into paths. */
const withMethods = <Client extends object, Methods extends object>(
  client: Client,
  methods: Methods,
): Client & Methods =>
  new Proxy(client, {
    get: (target, name, receiver) =>
      Object.hasOwn(methods, name) ? methods[name as keyof Methods] : Reflect.get(target, name, receiver),
  }) as Client & Methods;
