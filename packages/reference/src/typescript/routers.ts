import { AnswerLine, Ask, WEBHOOK_PAYLOADS } from "@minutes/contract";
import {
  listIngestProcedures,
  listManagementProcedures,
  listPeopleProcedures,
  listProcedures,
  listSyncProcedures,
  type Procedure,
  ROUTE_SETS,
  type Routes,
} from "../procedures.js";
import { getSchemas, type JsonSchema, pickReferenced, type Schemas, toJsonSchema } from "../schemas.js";
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

type AnyProcedure = Procedure<Routes>;
type RouterName = readonly [name: string, doc: string];

const ROUTER_NAMES = {
  me: ["MeRouter", "The routes of a personal key, `/v1/me/*`."],
  workspace: ["WorkspaceRouter", "The routes of a workspace key, `/v1/workspace/*`."],
} as const;

const SYNC_ROUTER: RouterName = [
  "SyncRouter",
  "The change feed, `/sync/v1/me/*` and `/sync/v1/workspace/*`.",
];

const INGEST_ROUTER: RouterName = ["IngestRouter", "The routes of recorders, `/ingest/v1/*`."];
const MANAGEMENT_ROUTER: RouterName = [
  "ManagementRouter",
  "What a signed-in user manages, `/settings/v1/*`.",
];

const PEOPLE_ROUTER: RouterName = [
  "PeopleRouter",
  "People, speakers, transcripts, corrections and versions, over `/rest/v1/me/*` and `/rest/v1/workspace/*`.",
];

/** Writes a procedure's doc comment. */
const writeProcedureDoc = (procedure: AnyProcedure): string[] => [
  `${procedure.summary}.`,
  PARAGRAPH,
  ...wrap(procedure.description),
];

function writeInputType(schema: JsonSchema, named: Schemas): string {
  const type = toType(schema, "readonly ");
  const required = (named[type] ?? schema).required ?? [];
  return required.length > 0 ? type : `${type} | undefined`;
}

function writeProcedureType(procedure: AnyProcedure, named: Schemas): string {
  const { input, output } = getSchemas(procedure, named);
  const kind = procedure.write ? "TRPCMutationProcedure" : "TRPCQueryProcedure";
  return `${kind}<{ input: ${writeInputType(input, named)}; output: ${toType(output)}; meta: object }>`;
}

/** Returns `meetings` of `meetings.list`. */
const getGroup = ({ name }: AnyProcedure): string => name.slice(0, name.indexOf("."));

function writeRouterType([name, doc]: RouterName, ours: readonly AnyProcedure[], named: Schemas): string {
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
function writeNamedType(
  name: string,
  schema: JsonSchema,
  usedBy: readonly string[] = [],
  arrays: "readonly " | "" = "",
): string {
  const fields = toFields(schema, arrays);
  const doc = writeDocComment(wrap(schema.description ?? `Parameters of ${usedBy.join(", ")}.`));
  return fields === ""
    ? `${doc}export type ${name} = Record<string, never>;\n`
    : `${doc}export interface ${name} {\n${fields}}\n`;
}

/** Writes the source of the client's router types: every procedure and field with its documentation. */
export function writeRouterTypes(): string {
  const named: Schemas = {};
  const [all, feed] = [listProcedures(), listSyncProcedures()];
  const [ingest, management, people] = [
    listIngestProcedures(),
    listManagementProcedures(),
    listPeopleProcedures(),
  ];
  const schemas = [...all, ...feed, ...ingest, ...management, ...people].map((procedure) => ({
    use: `\`${procedure.path}\``,
    ...getSchemas(procedure, named),
  }));
  const inputs = schemas.map(({ use, input }) => ({ use, name: toType(input) }));
  toJsonSchema(Ask, "input", named);
  const end = toJsonSchema(AnswerLine, "output", named);
  const line = toType(end);
  const answered = pickReferenced([end, ...schemas.map(({ output }) => output)], named);
  const listUsers = (name: string) => inputs.filter((input) => input.name === name).map(({ use }) => use);
  const types = Object.entries(named).map(([name, schema]) =>
    writeNamedType(name, schema, listUsers(name), name in answered ? "" : "readonly "),
  );
  const routers = ROUTE_SETS.map((routes) => {
    const ours = all.filter((procedure) => procedure.routes === routes);
    return writeRouterType(ROUTER_NAMES[routes], ours, named);
  });
  const [first] = ROUTE_SETS;
  const others = [
    // Both kinds of keys have the same feed.
    writeRouterType(
      SYNC_ROUTER,
      feed.filter(({ routes }) => routes === first),
      named,
    ),
    writeRouterType(INGEST_ROUTER, ingest, named),
    writeRouterType(MANAGEMENT_ROUTER, management, named),
    writeRouterType(PEOPLE_ROUTER, people, named),
  ];
  const doc = writeDocComment(["A line of the answer to a question."]);
  return [HEADER, ...types, `${doc}export type AnswerLine = ${line};\n`, ...routers, ...others].join("\n");
}

const EVENTS_HEADER = "// Generated from the schemas of the service's events.\n";

/** Writes the source of the documented types of all webhook events. */
export function writeEventTypes(): string {
  const named: Schemas = {};
  for (const payload of Object.values(WEBHOOK_PAYLOADS)) toJsonSchema(payload, "output", named);
  return [EVENTS_HEADER, ...Object.entries(named).map(([name, schema]) => writeNamedType(name, schema))].join(
    "\n",
  );
}
