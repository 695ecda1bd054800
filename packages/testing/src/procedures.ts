import {
  accountRouter,
  consoleRouter,
  feedRouter,
  identityRouter,
  ingestRouter,
  type MeRouter,
  meRouter,
  type SyncRouter,
  syncRouter,
  type WorkspaceRouter,
  workspaceRouter,
} from "@minutes/core";
import type { AnyTRPCProcedure, AnyTRPCRouter, inferRouterOutputs } from "@trpc/server";

type Routers = Readonly<Record<string, AnyTRPCRouter>>;

/** The HTTP routers for credentials, by mount path. */
const ROUTERS: Routers = {
  "/v1/me": meRouter,
  "/v1/workspace": workspaceRouter,
  "/sync/v1/me": syncRouter,
  "/sync/v1/workspace": syncRouter,
  "/ingest/v1": ingestRouter,
  "/settings/v1": accountRouter,
};

/** A procedure as described by its router. */
export interface Procedure {
  /** The path of its URL, such as `/v1/me/meetings.list`. */
  readonly path: string;
  /** The route in tests, such as `me/meetings.list` or `settings/keys.list`. */
  readonly route: string;
  /** True if it is called with POST. */
  readonly isWrite: boolean;
  /** Names of its input's fields. */
  readonly fields: readonly string[];
}

interface SchemaLike {
  readonly shape?: object;
  readonly def?: { readonly innerType?: SchemaLike; readonly in?: SchemaLike };
}

/** Lists the fields of an input's schema, including optional and transformed schemas. */
const readFields = (schema: SchemaLike | undefined): string[] =>
  schema?.shape
    ? Object.keys(schema.shape)
    : schema
      ? readFields(schema.def?.innerType ?? schema.def?.in)
      : [];

/** The HTTP routers for browsers, which use cookies. */
const BROWSER_ROUTERS: Routers = {
  "/identity/v1": identityRouter,
  "/console/v1": consoleRouter,
  "/console/v1/feed": feedRouter,
};

const listProcedures = (routers: Routers): Procedure[] =>
  Object.entries(routers).flatMap(([mount, router]) =>
    Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>).map(([name, { _def }]) => ({
      path: `${mount}/${name}`,
      route: `${mount.replace(/^\/v1\/|^\/|\/v1(?=\/|$)/g, "")}/${name}`,
      isWrite: _def.type === "mutation",
      fields: readFields((_def as unknown as { inputs: SchemaLike[] }).inputs[0]),
    })),
  );

/** Every procedure with a credential in a header, read from the routers so that none is forgotten. */
export const PROCEDURES: readonly Procedure[] = listProcedures(ROUTERS);

/** Every procedure called by browsers. */
export const BROWSER_PROCEDURES: readonly Procedure[] = listProcedures(BROWSER_ROUTERS);

const publicProcedures = PROCEDURES.filter(({ path }) => /^\/(sync\/)?v1\//.test(path));

/** The routes of `/v1` and `/sync/v1`, such as `me/meetings.list` and `sync/me/changes.list`. */
export const PUBLIC_ROUTES = publicProcedures.map(({ route }) => route as PublicRoute);

/** Every input field of these procedures. */
export const PUBLIC_INPUT_FIELDS: readonly string[] = [
  ...new Set(publicProcedures.flatMap(({ fields }) => fields)),
];

const writes = new Set(PROCEDURES.filter((procedure) => procedure.isWrite).map(({ route }) => route));

/** Returns true if a route is called with POST. False for an unknown route. */
export const isWrite = (route: string): boolean => writes.has(route);

/** The routes of a router with the output of each. */
type Outputs<Prefix extends string, Router> = {
  [Domain in keyof Router & string]: {
    [Name in keyof Router[Domain] & string]: {
      route: `${Prefix}/${Domain}.${Name}`;
      output: Router[Domain][Name];
    };
  }[keyof Router[Domain] & string];
}[keyof Router & string];
type PublicOutputs =
  | Outputs<"sync/me", inferRouterOutputs<SyncRouter>>
  | Outputs<"sync/workspace", inferRouterOutputs<SyncRouter>>
  | Outputs<"me", inferRouterOutputs<MeRouter>>
  | Outputs<"workspace", inferRouterOutputs<WorkspaceRouter>>;

/** A route of `/v1` or `/sync/v1`, such as `me/meetings.list`. */
export type PublicRoute = PublicOutputs["route"];

/** The payload of such a route. */
export type Payload<Route extends PublicRoute> = Extract<PublicOutputs, { route: Route }>["output"];
