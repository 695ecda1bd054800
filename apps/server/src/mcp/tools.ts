import { LIMITS, ListChanges, SearchMeetingsInDetail, toUnknownFieldSentence } from "@minutes/contract";
import { ApiError, type Caller } from "@minutes/core";
import {
  expandReferences,
  getSchemas,
  type JsonSchema,
  listProcedures,
  listSyncProcedures,
  type Procedure,
  type Schemas,
} from "@minutes/reference";
import type { z } from "zod";
import { getTranscriptPage, removeTranscript } from "./transcript.js";

type Arguments = Record<string, unknown>;

/** A tool for assistants: a procedure of the API, with smaller pages. */
export interface Tool {
  readonly name: string;
  readonly procedure: Procedure;
  /** Whether the procedure belongs to `/v1` or to the change feed. */
  readonly routes: "api" | "feed";
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
  /** Calls the procedure. Parameters that it doesn't have belong to the tool. */
  readonly call: (args: Arguments, run: (input: Arguments) => Promise<unknown>) => Promise<unknown>;
}

interface ToolDefinition {
  readonly name: string;
  /** Without the route set. */
  readonly procedure: string;
  /** The input, if assistants have more parameters than the API. */
  readonly input?: z.ZodType;
  /** Added to the API reference's description. */
  readonly note?: string;
  /** Parameters in addition to, or instead of, the input's. */
  readonly extra?: Readonly<Record<string, JsonSchema>>;
  readonly call?: Tool["call"];
}

const PAGE: JsonSchema = {
  type: "integer",
  minimum: 1,
  default: 1,
  description: "Page of the transcript, from 1.",
};

/** Default number of search results: 40 would fill a conversation. */
const RESULTS = 10;
const LIMIT: JsonSchema = {
  type: "integer",
  minimum: 1,
  maximum: LIMITS.searchResults,
  default: RESULTS,
  description: "Number of results to return.",
};

/** Default number of changes per page. */
const CHANGES = 20;

const TOOLS: readonly ToolDefinition[] = [
  { name: "list_meetings", procedure: "meetings.list", note: "Fetch a meeting's content with get_meeting." },
  {
    name: "get_meeting",
    procedure: "meetings.get",
    note: "The transcript is not included: read it with get_transcript, page by page up to `transcriptPages`.",
    call: async (args, run) => removeTranscript(await run(args)),
  },
  {
    name: "get_transcript",
    procedure: "meetings.get",
    note: "Returns only the transcript, one page at a time.",
    extra: { page: PAGE },
    call: async ({ page, ...args }, run) => getTranscriptPage(page, () => run(args)),
  },
  {
    name: "search_meetings",
    procedure: "meetings.search",
    input: SearchMeetingsInDetail,
    note:
      "Each result includes its speakers and, if known, the seconds from the start; one without speakers is from a title, summary or task. Read `match` before `related`. If nothing is found, " +
      "`allTime` has the number of matches outside the dates.",
    extra: { limit: LIMIT },
    call: ({ limit = RESULTS, ...args }, run) => run({ limit, ...args }),
  },
  { name: "list_tasks", procedure: "tasks.list" },
  { name: "update_task", procedure: "tasks.update" },
  { name: "list_tags", procedure: "tags.list" },
  {
    name: "list_changes",
    procedure: "changes.list",
    input: ListChanges.unwrap().omit({ wait: true, include: true }),
    note:
      "Returns what changed since the last look: save nextCursor for the next one, and continue immediately while hasMore is true. " +
      "Fetch a meeting's content with get_meeting.",
    call: ({ wait, include, limit = CHANGES, ...args }, run) => {
      const other = Object.entries({ wait, include }).find(([, value]) => value !== undefined);
      if (other) throw new ApiError("BAD_REQUEST", toUnknownFieldSentence(other[0]));
      return run({ limit, ...args });
    },
  },
  {
    name: "delete_meeting",
    procedure: "meetings.delete",
    note: "Ask the user for confirmation first, and name the meeting by title and date.",
  },
];

const withParameters = (schema: JsonSchema, extra: ToolDefinition["extra"]): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, ...extra },
});

function toTool(shape: ToolDefinition, procedure: Procedure, routes: Tool["routes"]): Tool {
  const named: Schemas = {};
  // Clients validate with this schema, and some don't support `default` next to `type: object`.
  const schemas = getSchemas({ ...procedure, input: shape.input ?? procedure.input }, named);
  const { default: _, ...input } = expandReferences(schemas.input, named);
  return {
    name: shape.name,
    procedure,
    routes,
    description: [procedure.description, shape.note].filter(Boolean).join(" "),
    inputSchema: withParameters(input, shape.extra),
    annotations: {
      title: shape.name === "get_transcript" ? "Get a meeting's transcript" : procedure.summary,
      readOnlyHint: !procedure.write,
      destructiveHint: procedure.name === "meetings.delete",
      idempotentHint: procedure.name !== "meetings.delete",
      openWorldHint: false,
    },
    call: shape.call ?? ((args, run) => run(args)),
  };
}

const ROUTES = { personal: "me", workspace: "workspace" } as const;

const made = new Map<Caller["kind"], ReadonlyMap<string, Tool>>();

/** Lists a key kind's tools: those whose procedure is among the kind's routes. */
export function getTools(kind: Caller["kind"]): ReadonlyMap<string, Tool> {
  const known = made.get(kind);
  if (known) return known;
  const find = (procedures: readonly Procedure[], name: string) =>
    procedures.find(({ path }) => path === `${ROUTES[kind]}/${name}`);
  const [api, feed] = [listProcedures(), listSyncProcedures()];
  const tools = new Map(
    TOOLS.flatMap((shape) => {
      const served = find(api, shape.procedure);
      const procedure = served ?? find(feed, shape.procedure);
      return procedure ? [[shape.name, toTool(shape, procedure, served ? "api" : "feed")] as const] : [];
    }),
  );
  made.set(kind, tools);
  return tools;
}
