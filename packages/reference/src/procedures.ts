import { type CallerKind, forCaller, type Operation, type Refusal, type RestRoute } from "@minutes/contract";
import { OPERATIONS, PEOPLE_OPERATIONS } from "@minutes/contract/operations";
import { z } from "zod";

/** Who calls: the first segment of a procedure's path, and of its mount for users and workspace keys. */
export type Routes = "me" | "workspace" | "ingest" | "settings";

/** The two route sets of `/v1`. */
export type RouteSet = Extract<Routes, "me" | "workspace">;
export const ROUTE_SETS: readonly RouteSet[] = ["me", "workspace"];

/** An operation as one kind of caller calls it. */
export interface Procedure<Of extends Routes = RouteSet> {
  readonly routes: Of;
  /** `meetings.list` */
  readonly name: string;
  /** `me/meetings.list` */
  readonly path: string;
  /** A write uses POST and takes its input in the body. */
  readonly write: boolean;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly summary: string;
  readonly description: string;
  readonly example: Readonly<Record<string, unknown>>;
  /** Errors specific to this operation, without those common to all. */
  readonly refusals: readonly Refusal[];
  /** True if docs/specification.md does not have it. */
  readonly isAddition: boolean;
}

/** A procedure that is served over REST. */
export interface ResourceProcedure extends Procedure<Routes> {
  readonly rest: RestRoute;
  /** The whole path, such as `/rest/v1/me/meetings/{meetingId}`. */
  readonly at: string;
}

const CALLERS: Readonly<Record<Routes, CallerKind>> = {
  me: "user",
  workspace: "workspace",
  ingest: "recorder",
  settings: "user",
};

const isFor = ({ callers, session }: Operation, routes: Routes): boolean =>
  callers.includes(CALLERS[routes]) && (routes === "settings") === (session ?? false);

const SPECIFIED = new Set(OPERATIONS.filter(({ v1 }) => v1).map(({ name }) => name));

function toProcedure<Of extends Routes>(routes: Of, operation: Operation): Procedure<Of> {
  const { name, type, input, output, rest, summary, description, example, refuses } = operation;
  const caller = CALLERS[routes];
  return {
    routes,
    name,
    path: `${routes}/${name}`,
    write: type === "mutation",
    input,
    output: rest?.streams ? z.unknown() : output,
    summary: forCaller(summary, caller),
    description: forCaller(description, caller),
    example,
    refusals: forCaller(refuses, caller),
    isAddition: !SPECIFIED.has(name),
  };
}

const listFor = <Of extends Routes>(
  sets: readonly Of[],
  operations: readonly Operation[],
): readonly Procedure<Of>[] =>
  sets.flatMap((routes) =>
    operations
      .filter((operation) => isFor(operation, routes))
      .map((operation) => toProcedure(routes, operation)),
  );

/** Lists the procedures of `/v1`. */
export const listProcedures = () =>
  listFor(
    ROUTE_SETS,
    OPERATIONS.filter(({ v1 }) => v1),
  );

/** Lists the procedures of the change feed, `/sync/v1`. */
export const listSyncProcedures = () =>
  listFor(
    ROUTE_SETS,
    OPERATIONS.filter(({ name }) => name === "changes.list"),
  );

/** Lists the procedures of recorders, `/ingest/v1`, by default without streams. */
export const listIngestProcedures = ({ streams = false } = {}) =>
  listFor(
    ["ingest"],
    withoutRestForms(OPERATIONS).filter(({ rest }) => streams || !rest?.streams),
  );

/** Lists the procedures for a user's keys, webhooks and retention rules. */
export const listManagementProcedures = () => listFor(["settings"], OPERATIONS);

/** Lists the procedures for people, speakers and the content of meetings, with a personal key; those of a workspace key are the same. */
export const listPeopleProcedures = () => listFor(["me"], PEOPLE_OPERATIONS);

/** Leaves out forms of an operation that only REST has. */
const withoutRestForms = (operations: readonly Operation[]): readonly Operation[] =>
  operations.filter(
    (operation) => !(operation.rest && operations.some(({ name, rest }) => name === operation.name && !rest)),
  );

/** Lists the procedures that are served under `/rest/v1`. */
export const listResources = (): readonly ResourceProcedure[] =>
  (["me", "workspace", "ingest", "settings"] as const).flatMap((routes) =>
    OPERATIONS.flatMap((operation) => {
      const { rest } = operation;
      if (!rest || !isFor(operation, routes)) return [];
      const mount = routes === "me" || routes === "workspace" ? `/rest/v1/${routes}` : "/rest/v1";
      return {
        ...toProcedure(routes, operation),
        rest,
        at: `${mount}${rest.at.slice(rest.at.indexOf("/"))}`,
      };
    }),
  );
