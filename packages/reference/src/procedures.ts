import {
  INGEST_RESOURCE_TEXTS,
  PEOPLE_PROCEDURES,
  type ProcedurePath,
  type ProcedureReference,
  type ProcedureReferences,
  REFERENCE,
  RESOURCE_PROCEDURES,
  RESOURCES,
  type Resource,
  type ResourceRoutes,
  SETTINGS_RESOURCE_TEXTS,
  SYNC_PROCEDURES,
} from "@minutes/contract";
import {
  ingestResourceRouter,
  ingestRouter,
  meRouter,
  myRestRouter,
  settingsRestRouter,
  syncRouter,
  workspaceRestRouter,
  workspaceRouter,
} from "@minutes/core";
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import { z } from "zod";

/** The two route sets, by the first path segment after the version. */
export const ROUTERS = { me: meRouter, workspace: workspaceRouter } as const;
export type RouteSet = keyof typeof ROUTERS;
export const ROUTE_SETS = Object.keys(ROUTERS) as RouteSet[];

/** The routers of the resources, by who calls them and where. */
const RESOURCE_ROUTERS = [
  ["me", "/rest/v1/me", myRestRouter],
  ["workspace", "/rest/v1/workspace", workspaceRestRouter],
  ["me", "/rest/v1/me", syncRouter],
  ["workspace", "/rest/v1/workspace", syncRouter],
  ["ingest", "/rest/v1", ingestResourceRouter],
  ["settings", "/rest/v1", settingsRestRouter],
] as const;

/** The path of a procedure of `/v1`, of a resource or of the change feed. */
type AnyPath = ProcedurePath | keyof typeof RESOURCE_PROCEDURES | keyof typeof SYNC_PROCEDURES;

/** A procedure as declared by its router, with its documentation. */
export interface Procedure<Routes extends ResourceRoutes = RouteSet> extends ProcedureReference {
  readonly routes: Routes;
  /** `meetings.list` */
  readonly name: string;
  /** `me/meetings.list` */
  readonly path: AnyPath;
  /** A write uses POST and takes its input in the body. */
  readonly write: boolean;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

const requireSchema = (value: unknown, what: string): z.ZodType => {
  if (!(value instanceof z.ZodType)) throw new Error(`${what} is not declared by a schema.`);
  return value;
};

function toProcedure<Routes extends ResourceRoutes>(
  routes: Routes,
  name: string,
  procedure: AnyTRPCProcedure,
  references: ProcedureReferences,
): Procedure<Routes> {
  const path = `${routes}/${name}` as AnyPath;
  const reference = references[path];
  if (!reference) throw new Error(`${path} has no documentation.`);
  // This is where tRPC stores the output schema for its own tools; a test fails if that place moves.
  const { inputs, output } = procedure._def as unknown as { inputs: unknown[]; output?: unknown };
  if (inputs.length !== 1) throw new Error(`${path} has ${inputs.length} inputs instead of one.`);
  return {
    ...reference,
    routes,
    name,
    path,
    write: procedure._def.type === "mutation",
    input: requireSchema(inputs[0], `The input of ${path}`),
    output: RESOURCES[name]?.streams ? z.unknown() : requireSchema(output, `The output of ${path}`),
  };
}

const toEntries = (routers: Readonly<Record<RouteSet, AnyTRPCRouter>>): RoutersOf<RouteSet> =>
  ROUTE_SETS.map((routes) => [routes, routers[routes]]);

/**
 * Lists every served procedure of `/v1`, in the routers' order.
 * @throws Error if REFERENCE and the routers list different procedures
 */
export const listProcedures = (): readonly Procedure[] => listServed(toEntries(ROUTERS), REFERENCE);

/** Lists every procedure of the change feed, `/sync/v1`. @throws Error as `listProcedures` */
export const listSyncProcedures = (): readonly Procedure[] =>
  listServed(
    ROUTE_SETS.map((routes) => [routes, syncRouter]),
    SYNC_PROCEDURES,
  );

/** Lists the procedures of recorders, apart from streams. @throws Error as `listProcedures` */
export const listIngestProcedures = () =>
  listServed([["ingest", ingestRouter]], INGEST_RESOURCE_TEXTS).filter(
    ({ name }) => !RESOURCES[name]?.streams,
  );

/** Lists the procedures for keys and webhooks. @throws Error as `listProcedures` */
export const listManagementProcedures = () =>
  listServed([["settings", settingsRestRouter]], SETTINGS_RESOURCE_TEXTS);

/** A procedure with a resource. */
export interface ResourceProcedure extends Procedure<ResourceRoutes> {
  readonly resource: Resource;
  /** The whole path, such as `/rest/v1/me/meetings/{meetingId}`. */
  readonly at: string;
}

/** Lists the procedures with a resource under `/rest/v1`. @throws Error as `listProcedures` */
export function listResources(): readonly ResourceProcedure[] {
  const all = listServed(
    RESOURCE_ROUTERS.map(([routes, , router]) => [routes, router] as const),
    RESOURCE_PROCEDURES,
  );
  const mounts = new Map<ResourceRoutes, string>(RESOURCE_ROUTERS.map(([routes, mount]) => [routes, mount]));
  return all.flatMap((procedure) => {
    const resource = RESOURCES[procedure.name];
    return resource ? { ...procedure, resource, at: `${mounts.get(procedure.routes)}${resource.path}` } : [];
  });
}

/** Lists the procedures for people and corrections, with a personal key; those of a workspace key are the same. */
export const listPeopleProcedures = () =>
  listResources().filter(({ routes, path }) => routes === "me" && path in PEOPLE_PROCEDURES);

type RoutersOf<Routes extends ResourceRoutes> = readonly (readonly [routes: Routes, router: AnyTRPCRouter])[];

function listServed<Routes extends ResourceRoutes>(
  routers: RoutersOf<Routes>,
  references: ProcedureReferences,
): readonly Procedure<Routes>[] {
  const all = routers.flatMap(([routes, router]) =>
    Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>).map(([name, procedure]) =>
      toProcedure(routes, name, procedure, references),
    ),
  );
  const served = new Set<string>(all.map(({ path }) => path));
  const stray = Object.keys(references).find((path) => !served.has(path));
  if (stray) throw new Error(`${stray} is documented, but no router serves it.`);
  return all;
}
