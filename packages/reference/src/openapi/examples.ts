import { getReferenceName, type JsonSchema, type Schemas } from "../schemas.js";

/** Values of answers by field name. None of the IDs exists. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  ownerEmail: "anna@example.com",
  email: "anna@example.com",
  userId: "usr_example",
  meetingId: "mtg_example",
  recordingId: "mtg_example",
  transcriptionId: "trn_example",
  tagId: "tag_example",
  keyId: "key_example",
  webhookId: "whk_example",
  deliveryId: "1",
  sessionId: "ses_example",
  externalId: "calendar-event-1",
  title: "Weekly planning",
  name: "Example",
  term: "Minutes",
  url: "https://hooks.example.com/minutes",
  startTime: "2026-01-15T09:30:00.000Z",
  endTime: "2026-01-15T10:00:00.000Z",
  from: "2026-01-15T00:00:00.000Z",
  to: "2026-01-16T00:00:00.000Z",
  reason: "The recording stopped.",
  current: "the current password",
  password: "a password of 12 characters",
};

/** Values of answers' fields by name, apart from those above. */
const ANSWERED: Readonly<Record<string, unknown>> = {
  ...BY_NAME,
  id: "mtg_example",
  taskId: "tsk_example",
  deletedMeetingId: "mtg_example",
  meetingTitle: BY_NAME.title,
  message: "Meeting deleted",
  text: "Send the agenda",
  content: "Send the agenda",
  markdown: "## Decisions\n\n- Ship on Friday.",
  html: "<h2>Decisions</h2><ul><li>Ship on Friday.</li></ul>",
  short: "The team ships on Friday.",
  transcript: "**Anna**: Let's ship on Friday.",
  color: "#3366FF",
  key: "jk_example",
  secret: "ss_example",
  prefix: "jk_",
  lastFour: "W5ml",
  event: "meeting.completed",
  path: "/audio/v1/recordings/aud_example.user.usr_example.1768470000.signature",
  speakerName: "Anna",
  notStored: ["tags.color"],
};

/** Builds an example of a procedure's answer with every field; undefined if its schema says nothing. */
function toAnswerExample(schema: JsonSchema, named: Schemas, name?: string): unknown {
  const { type, properties, items, anyOf, ...resolved } = named[getReferenceName(schema) ?? ""] ?? schema;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum) return resolved.enum[0];
  const first = anyOf?.[0];
  if (first) return toAnswerExample(first, named, name);
  const [plain] = [type ?? []].flat();
  if (plain === "object")
    return Object.fromEntries(
      Object.entries(properties ?? {}).map(([field, inner]) => [field, toAnswerExample(inner, named, field)]),
    );
  if (plain === "array") return items ? [toAnswerExample(items, named, name)] : [];
  const value = name === undefined ? undefined : ANSWERED[name];
  if (plain === "string" && resolved.format === "date-time") return BY_NAME.startTime;
  if (plain === "string" && resolved.format === "date") return "2026-01-15";
  if (plain === "string")
    return typeof value === "string" ? value : name === "nextCursor" ? "opaque" : "example";
  if (plain === "boolean") return true;
  if (plain === "integer" || plain === "number") return resolved.minimum ?? 1;
  return undefined;
}

/** Builds the content of a successful answer. @param wrap puts the payload into an envelope */
export function toAnswerContent(
  payload: JsonSchema,
  named: Schemas,
  schema: JsonSchema,
  wrap: (value: unknown) => unknown = (value) => value,
) {
  const example = toAnswerExample(payload, named);
  return { "application/json": { schema, ...(example === undefined ? {} : { example: wrap(example) }) } };
}

/** Puts a payload into the envelope of `/v1`. */
export const wrapExample = (json: unknown) => ({ result: { data: { json } } });
