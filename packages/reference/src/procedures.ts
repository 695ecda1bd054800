import {
  type ProcedurePath,
  type ProcedureReference,
  type ProcedureReferences,
  REFERENCE,
  RESOURCE_PROCEDURES,
  RESOURCES,
  type Resource,
  SYNC_PROCEDURES,
} from "@minutes/contract";
import {
  meRouter,
  myResourceRouter,
  mySyncRouter,
  workspaceResourceRouter,
  workspaceRouter,
  workspaceSyncRouter,
} from "@minutes/core";
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import { z } from "zod";

/** The two route sets, by the first path segment after the version. */
export const ROUTERS = { me: meRouter, workspace: workspaceRouter } as const;
export type RouteSet = keyof typeof ROUTERS;
export const ROUTE_SETS = Object.keys(ROUTERS) as RouteSet[];

/** The routers of the change feed, by the key's kind. */
const SYNC_ROUTERS = { me: mySyncRouter, workspace: workspaceSyncRouter } as const;

/** The routers of the resources, by the key's kind. */
const RESOURCE_ROUTERS = { me: myResourceRouter, workspace: workspaceResourceRouter } as const;

/** The path of a procedure of `/v1`, of a resource or of the change feed. */
type AnyPath = ProcedurePath | keyof typeof RESOURCE_PROCEDURES | keyof typeof SYNC_PROCEDURES;

/** A procedure as declared by its router, with its documentation. */
export interface Procedure extends ProcedureReference {
  readonly routes: RouteSet;
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

function toProcedure(
  routes: RouteSet,
  name: string,
  procedure: AnyTRPCProcedure,
  references: ProcedureReferences,
): Procedure {
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
    output: requireSchema(output, `The output of ${path}`),
  };
}

/**
 * Lists every served procedure of `/v1`, in the routers' order.
 * @throws Error if REFERENCE and the routers list different procedures
 */
export const listProcedures = (): readonly Procedure[] => listServed(ROUTERS, REFERENCE);

/** Lists every procedure of the change feed, `/sync/v1`. @throws Error as `listProcedures` */
export const listSyncProcedures = (): readonly Procedure[] => listServed(SYNC_ROUTERS, SYNC_PROCEDURES);

/** Lists the procedures with a resource under `/rest/v1`. @throws Error as `listProcedures` */
export const listResources = (): readonly (Procedure & { readonly resource: Resource })[] =>
  listServed(RESOURCE_ROUTERS, RESOURCE_PROCEDURES).flatMap((procedure) => {
    const resource = RESOURCES[procedure.name];
    return resource ? { ...procedure, resource } : [];
  });

function listServed(
  routers: Readonly<Record<RouteSet, AnyTRPCRouter>>,
  references: ProcedureReferences,
): readonly Procedure[] {
  const all = ROUTE_SETS.flatMap((routes) =>
    Object.entries(routers[routes]._def.procedures as Record<string, AnyTRPCProcedure>).map(
      ([name, procedure]) => toProcedure(routes, name, procedure, references),
    ),
  );
  const served = new Set<string>(all.map(({ path }) => path));
  const stray = Object.keys(references).find((path) => !served.has(path));
  if (stray) throw new Error(`${stray} is documented, but no router serves it.`);
  return all;
}
