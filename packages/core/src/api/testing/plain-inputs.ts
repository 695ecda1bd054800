import { HOSTILE_VALUES } from "@minutes/server/testing";
import { type Answer, findPayload, type Procedure, send } from "@minutes/testing";
import fc from "fast-check";

/** The values needed to call a procedure in both formats. */
export interface PlainScene {
  readonly url: string;
  /** A key accepted by the procedure. */
  readonly key: string;
  /** Existing ids that no input here changes permanently. */
  readonly ids: readonly string[];
}

/** A request in both formats: plain parameters or a plain body, and the input of `/v1`. */
interface BothForms {
  readonly query: string;
  readonly body?: string;
  readonly json: string;
}

/** Texts for numeric and boolean parameters. */
const SCALARS = [
  ...["5", "0", "101", "-1", "2.5", "1e2", "05", "0x5", " 5", "9".repeat(400), "true", "TRUE", "false", ""],
  ...["null", "[]", "NaN", "undefined"],
];
/** Texts for all other parameters. */
const STRINGS = [
  ...[
    "5",
    "true",
    "",
    "null",
    '{"a":1}',
    "2026-01-01",
    "2026-02-30",
    "2026-01-01T00:00:00Z",
    "x::y",
    "\u0000",
  ],
  ...["ä 🙂", "'; drop table tasks; --", "a&b=c", "%", "+", "x".repeat(1_500)],
];
const SCALAR_FIELDS = ["limit", "completed"];

export const getTexts = (field: string) => (SCALAR_FIELDS.includes(field) ? SCALARS : STRINGS);

/** Returns the JSON value that a parameter's text stands for. */
export function toJsonValue(field: string, text: string): string {
  if (field === "limit" && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  if (field === "completed" && (text === "true" || text === "false")) return text;
  return JSON.stringify(text);
}

const getHeaders = ({ key }: PlainScene) => ({ "x-api-key": key, "content-type": "application/json" });

/** Calls a procedure of `/v1`. @param json the text of its input */
export const callEnvelope = (
  scene: PlainScene,
  { path, isWrite }: Procedure,
  json: string,
): Promise<Answer> =>
  isWrite
    ? send(scene.url, path, { method: "POST", headers: getHeaders(scene), body: `{"json":${json}}` })
    : send(scene.url, `${path}?input=${encodeURIComponent(`{"json":${json}}`)}`, {
        headers: getHeaders(scene),
      });

/** Calls the same procedure in plain HTTP. @param body absent for a read */
export const callPlain = (scene: PlainScene, path: string, query: string, body?: string): Promise<Answer> =>
  send(scene.url, `/rest${path}${query}`, {
    headers: getHeaders(scene),
    ...(body === undefined ? {} : { method: "POST", body }),
  });

/** Returns the result of an answer in either format: its status, and its payload or error. */
export const toOutcome = (answer: Answer) => [answer.status, findPayload(answer) ?? answer.body];

/** Generates valid texts for a field. */
function generateGoodTexts(field: string, ids: readonly string[]): fc.Arbitrary<string> {
  if (field === "limit") return fc.integer({ min: 1, max: 100 }).map(String);
  if (field === "completed") return fc.boolean().map(String);
  if (field === "startDate") return fc.constantFrom("2020-01-01", "2024-02-29T10:00:00Z");
  if (field === "endDate") return fc.constantFrom("2099-12-31", "2098-01-01T00:00:00.000Z");
  if (field === "cursor") return fc.constant("2099-12-31T00:00:00.000Z::mtg_x");
  if (field.endsWith("Id")) return fc.constantFrom(...ids);
  if (field === "userEmail") return fc.constantFrom("nobody@example.com", "NOBODY@example.com");
  return fc.constantFrom("release", "Quarterly ü", "x");
}

/**
 * Generates inputs of a procedure from its fields and some unknown ones. Half of them are well-formed and complete; the
 * other half is hostile or random in some field.
 */
function generateForms({ fields, isWrite }: Procedure, ids: readonly string[]): fc.Arbitrary<BothForms> {
  const foreign = fc.constantFrom("noSuchField", "__proto__", "constructor", "input", "batch", "limit");
  const some = fc.uniqueArray(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...fields, "limit") },
      { weight: 1, arbitrary: foreign },
    ),
    { maxLength: Math.min(fields.length + 1, 4) },
  );
  const good = (field: string) => generateGoodTexts(field, ids);
  const text = (field: string) =>
    fc.oneof(
      { weight: 3, arbitrary: good(field) },
      { weight: 1, arbitrary: fc.constantFrom(...getTexts(field)) },
      {
        weight: 1,
        arbitrary: fc.string({ unit: "binary", maxLength: 30 }).filter((any) => any.isWellFormed()),
      },
    );
  const goodValue = (field: string) => good(field).map((value) => toJsonValue(field, value));
  const value = (field: string) =>
    fc.oneof(
      { weight: 3, arbitrary: goodValue(field) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.values(HOSTILE_VALUES)) },
      { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
    );
  const toPairs = (names: readonly string[], generate: (field: string) => fc.Arbitrary<string>) =>
    fc.tuple(...names.map((field) => fc.tuple(fc.constant(field), generate(field))));
  return fc
    .oneof(
      fc.subarray([...fields], { minLength: Math.min(1, fields.length) }).chain((names) => {
        const required = fields.filter((field) => field.endsWith("Id") || field === "query");
        const whole = fields.filter((field) => names.includes(field) || required.includes(field));
        return toPairs(whole, isWrite ? goodValue : good);
      }),
      some.chain((names) => toPairs(names, isWrite ? value : text)),
    )
    .map((pairs) => {
      const toObject = (toValue: (field: string, some: string) => string) =>
        `{${pairs.map(([field, some]) => `${JSON.stringify(field)}:${toValue(field, some)}`).join(",")}}`;
      if (isWrite) {
        const body = toObject((_, some) => some);
        return { query: "", body, json: body };
      }
      const query = pairs.map(([field, some]) => `${encodeURIComponent(field)}=${encodeURIComponent(some)}`);
      return { query: query.length > 0 ? `?${query.join("&")}` : "", json: toObject(toJsonValue) };
    });
}

/**
 * Calls a procedure with generated inputs in both formats.
 * @returns the inputs whose answers differ, and the number of inputs per status
 */
export async function compareForms(scene: PlainScene, procedure: Procedure, count: number, seed: number) {
  const forms = fc.sample(generateForms(procedure, scene.ids), { numRuns: count, seed });
  const different: unknown[] = [];
  const statuses: Record<number, number> = {};
  for (let at = 0; at < forms.length; at += 10) {
    await Promise.all(
      forms.slice(at, at + 10).map(async ({ query, body, json }) => {
        const expected = toOutcome(await callEnvelope(scene, procedure, json));
        const plain = toOutcome(await callPlain(scene, procedure.path, query, body));
        const [status] = expected as [number];
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (JSON.stringify(plain) !== JSON.stringify(expected)) different.push({ json, plain, expected });
      }),
    );
  }
  return { different, statuses };
}
