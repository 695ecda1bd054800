import {
  listProcedures,
  listSyncProcedures,
  type Procedure,
  ROUTE_SETS,
  type RouteSet,
} from "../procedures.js";
import { getSchemas, type JsonSchema, type Schemas } from "../schemas.js";
import { PARAGRAPH, toFields, toType, wrap, writeDocComment } from "./types.js";

const HEADER = `// Generated from the service's routers.
import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from "@trpc/server";

/** Settings that all routers share; what happens on the server stays there. */
interface RouterTypes {
  ctx: object;
  meta: object;
  errorShape: TRPCDefaultErrorShape;
  transformer: true;
}
`;

type RouterNames = Readonly<Record<RouteSet, readonly [name: string, doc: string]>>;

const ROUTER_NAMES: RouterNames = {
  me: ["MeRouter", "The routes of a personal key, `/v1/me/*`."],
  workspace: ["WorkspaceRouter", "The routes of a workspace key, `/v1/workspace/*`."],
};

const SYNC_ROUTER_NAMES: RouterNames = {
  me: ["MySyncRouter", "The change feed of a personal key, `/sync/v1/me/*`."],
  workspace: ["WorkspaceSyncRouter", "The change feed of a workspace key, `/sync/v1/workspace/*`."],
};

/** Writes a procedure's doc comment. */
const writeProcedureDoc = (procedure: Procedure): string[] => [
  `${procedure.summary}.`,
  PARAGRAPH,
  ...wrap(procedure.description),
];

function writeInputType(schema: JsonSchema, named: Schemas): string {
  const type = toType(schema);
  const required = named[type]?.required ?? [];
  return required.length > 0 ? type : `${type} | undefined`;
}

function writeProcedureType(procedure: Procedure, named: Schemas): string {
  const { input, output } = getSchemas(procedure, named);
  const kind = procedure.write ? "TRPCMutationProcedure" : "TRPCQueryProcedure";
  return `${kind}<{ input: ${writeInputType(input, named)}; output: ${toType(output)}; meta: object }>`;
}

/** Returns `meetings` of `meetings.list`. */
const getGroup = ({ name }: Procedure): string => name.slice(0, name.indexOf("."));

function writeRouterType(
  routes: RouteSet,
  names: RouterNames,
  all: readonly Procedure[],
  named: Schemas,
): string {
  const [name, doc] = names[routes];
  const ours = all.filter((procedure) => procedure.routes === routes);
  const groups = [...new Set(ours.map((procedure) => getGroup(procedure)))];
  const fields = groups.map((group) => {
    const members = ours.filter((procedure) => getGroup(procedure) === group);
    const lines = members.map((procedure) => {
      const field = procedure.name.slice(group.length + 1);
      const doc = writeDocComment(writeProcedureDoc(procedure), "    ");
      return `${doc}    ${field}: ${writeProcedureType(procedure, named)};\n`;
    });
    return `  ${group}: {\n${lines.join("")}  };\n`;
  });
  return `${writeDocComment([doc])}export type ${name} = TRPCBuiltRouter<RouterTypes, {\n${fields.join("")}}>;\n`;
}

/** Writes a schema as an exported type. `usedBy` lists procedures to mention if the schema has no description. */
export function writeNamedType(name: string, schema: JsonSchema, usedBy: readonly string[] = []): string {
  const fields = toFields(schema);
  const doc = writeDocComment(wrap(schema.description ?? `Parameters of ${usedBy.join(", ")}.`));
  return fields === ""
    ? `${doc}export type ${name} = Record<string, never>;\n`
    : `${doc}export interface ${name} {\n${fields}}\n`;
}

/** Writes the source of the client's router types: every procedure and field with its documentation. */
export function writeRouterTypes(): string {
  const named: Schemas = {};
  const [all, feed] = [listProcedures(), listSyncProcedures()];
  const inputs = [...all, ...feed].map((procedure) => ({
    use: `\`${procedure.path}\``,
    name: toType(getSchemas(procedure, named).input),
  }));
  const listUsers = (name: string) => inputs.filter((input) => input.name === name).map(({ use }) => use);
  const types = Object.entries(named).map(([name, schema]) => writeNamedType(name, schema, listUsers(name)));
  const routers = ROUTE_SETS.flatMap((routes) => [
    writeRouterType(routes, ROUTER_NAMES, all, named),
    writeRouterType(routes, SYNC_ROUTER_NAMES, feed, named),
  ]);
  return [HEADER, ...types, ...routers].join("\n");
}
