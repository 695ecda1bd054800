import type { MountedProcedure } from "./procedures.js";

/** The used part of a zod schema. */
interface Schema {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly minLength?: number | null;
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly in?: Schema;
    readonly element?: Schema;
    readonly entries?: Readonly<Record<string, unknown>>;
    readonly values?: readonly unknown[];
  };
  safeParse(value: unknown): { readonly success: boolean };
}

/** Another tenant's ids and names by field; several if a field takes several kinds. */
export type Foreign = Readonly<Record<string, readonly unknown[]>>;

/** Values of fields that identify nothing. */
const PLAIN: Readonly<Record<string, unknown>> = {
  startTime: "2026-01-01T10:00:00Z",
  endTime: "2026-01-01T11:00:00Z",
  from: "2020-01-01T00:00:00Z",
  to: "2999-01-01T00:00:00Z",
  modifiedAt: "2026-01-01T10:00:00Z",
  url: "https://127.0.0.1:9/",
  current: null,
  term: "Turbine",
  transcript: [{ speakerId: "s1", speakerName: "Somebody", text: "Something was said here." }],
  text: "Somebody: Something was said here.",
  // A file that names no speaker: an imported meeting is delivered to the whole workspace.
  bytes: "YQ==",
  completed: true,
  turn: 0,
  days: 1,
  turns: [0],
  speakerLabel: "s1",
  intoLabel: "s2",
};

/** Optional fields without which a call does nothing. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "files.import": ["bytes"],
  "files.preview": ["bytes"],
  "meetings.update": ["title"],
  "meetings.updateTurn": ["spokenText"],
  "meetings.updateTags": ["add"],
  "speakers.assign": ["name"],
  "speakers.split": ["name"],
  "meetings.updateTask": ["text"],
  "tasks.update": ["completed"],
  "webhooks.update": ["name"],
};

/** Names of fields that look like identifiers. */
const NAMES_SOMETHING = /(Id|Ids|[eE]mail|[tT]oken|[cC]ursor|[aA]ctor|[oO]bject|[pP]erson|^tag|[qQ]uery)$/;

const unwrap = (schema: Schema): Schema => {
  const inner = schema.def.innerType ?? schema.def.in;
  return inner ? unwrap(inner) : schema;
};
const isOptional = (schema: Schema) => schema.safeParse(undefined).success;

function buildValue(name: string, wrapped: Schema, foreign: Foreign): unknown {
  if (name in PLAIN) return PLAIN[name];
  const schema = unwrap(wrapped);
  const { type, entries, values, element } = schema.def;
  if (type === "object") {
    const fields = Object.entries(schema.shape ?? {}).filter(([, field]) => !isOptional(field));
    return Object.fromEntries(fields.map(([key, field]) => [key, buildValue(key, field, foreign)]));
  }
  if (type === "enum") return Object.values(entries ?? {})[0];
  if (type === "literal") return values?.[0];
  if (type === "boolean") return true;
  if (type === "number") return 1;
  if (type === "array") return element ? [buildValue("", element, foreign)] : [];
  if (type === "string") return "x".repeat(Math.max(12, schema.minLength ?? 0));
  if (type === "unknown") return {};
  throw new Error(`Say in PLAIN what ${name} can be: its type is ${type}.`);
}

/**
 * Lists inputs that ask a procedure for another tenant's objects: all required fields, plus one optional identifying
 * field at a time.
 * @throws Error for an identifying field without a known value, and for an input that the schema refuses
 */
export function listInputs({ name, mount, input }: MountedProcedure, foreign: Foreign): object[] {
  const schema = unwrap(input as unknown as Schema);
  const fields = Object.entries(schema.shape ?? {});
  for (const [field] of fields)
    if (NAMES_SOMETHING.test(field) && !(field in foreign))
      throw new Error(`${mount}/${name}: say what of somebody else's ${field} can name.`);
  const listValues = ([field, of]: [string, Schema]) => foreign[field] ?? [buildValue(field, of, foreign)];
  const required = fields.filter(([field, of]) => !isOptional(of) || NEEDED[name]?.includes(field));
  let inputs: Record<string, unknown>[] = [{}];
  for (const field of required)
    inputs = inputs.flatMap((rest) => listValues(field).map((value) => ({ ...rest, [field[0]]: value })));
  const optional = fields.filter((field) => !required.includes(field) && field[0] in foreign);
  const wider = optional.flatMap((field) =>
    inputs.flatMap((rest) => listValues(field).map((value) => ({ ...rest, [field[0]]: value }))),
  );
  const valid = [...inputs, ...wider].filter(
    (value) => (input as unknown as Schema).safeParse(value).success,
  );
  if (valid.length === 0)
    throw new Error(`${mount}/${name}: no input is valid, such as ${JSON.stringify(inputs[0])}.`);
  return valid;
}
