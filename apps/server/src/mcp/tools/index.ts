import type { Caller } from "@minutes/core";
import {
  expandReferences,
  getSchemas,
  type JsonSchema,
  listResources,
  type Procedure,
  type Schemas,
} from "@minutes/reference";
import { CHANGE_TOOLS } from "./changes.js";
import { CORRECTION_TOOLS } from "./corrections.js";
import type { Arguments, ToolDefinition, ToolHelp } from "./definition.js";
import { MEETING_TOOLS } from "./meetings.js";
import { PEOPLE_TOOLS } from "./people.js";
import { SEARCH_TOOLS } from "./search.js";
import { TASK_TOOLS } from "./tasks.js";

/** A tool for assistants: a procedure of the API, with smaller pages. */
export interface Tool {
  readonly name: string;
  readonly procedure: Procedure;
  /** Whether the procedure belongs to `/v1` or to the change feed. */
  readonly routes: "api" | "feed";
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
  readonly call: (args: Arguments, help: ToolHelp) => Promise<unknown>;
}

const TOOLS: readonly ToolDefinition[] = [
  ...MEETING_TOOLS,
  ...SEARCH_TOOLS,
  ...TASK_TOOLS,
  ...CHANGE_TOOLS,
  ...CORRECTION_TOOLS,
  ...PEOPLE_TOOLS,
];

const DESTRUCTIVE: ReadonlySet<string> = new Set(["meetings.delete"]);
/** Procedures that change something, or refuse, when they are called again. */
const NOT_IDEMPOTENT: ReadonlySet<string> = new Set(["meetings.delete", "tasks.add"]);

/** The procedure of the change feed; all others belong to the API. */
const FEED = "changes.list";

function toTool(shape: ToolDefinition, procedure: Procedure): Tool {
  const named: Schemas = {};
  // Clients validate with this schema, and some don't support `default` next to `type: object`.
  const { input, output } = shape;
  const schemas = getSchemas(
    { ...procedure, input: input ?? procedure.input, output: output ?? procedure.output },
    named,
  );
  const { default: _, ...inputSchema } = expandReferences(schemas.input, named);
  return {
    ...{ name: shape.name, title: shape.title, description: shape.description, procedure },
    routes: procedure.name === FEED ? "feed" : "api",
    inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, ...shape.extra } },
    outputSchema: expandReferences(schemas.output, named),
    annotations: {
      title: shape.title,
      readOnlyHint: !procedure.write,
      destructiveHint: DESTRUCTIVE.has(procedure.name),
      idempotentHint: !NOT_IDEMPOTENT.has(procedure.name),
      openWorldHint: false,
    },
    call: shape.call ?? ((args, { run }) => run(args)),
  };
}

const ROUTES = { user: "me", workspace: "workspace" } as const;

const made = new Map<Caller["kind"], ReadonlyMap<string, Tool>>();

/** Lists a key kind's tools: those whose procedure is among the kind's routes. */
export function getTools(kind: Caller["kind"]): ReadonlyMap<string, Tool> {
  const known = made.get(kind);
  if (known) return known;
  const procedures = new Map(listResources().map((procedure) => [procedure.path, procedure as Procedure]));
  const tools = new Map(
    TOOLS.filter(({ personalOnly }) => !personalOnly || kind === "user").flatMap((shape) => {
      const procedure = procedures.get(`${ROUTES[kind]}/${shape.procedure}` as Procedure["path"]);
      return procedure ? [[shape.name, toTool(shape, procedure)] as const] : [];
    }),
  );
  made.set(kind, tools);
  return tools;
}
