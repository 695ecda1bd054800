import { type RestRoute, splitRoute, takesBody } from "@minutes/contract";
import { REST_ROUTES } from "@minutes/contract/operations";
import { HOSTILE_VALUES } from "@minutes/server/testing";
import { type Answer, findPayload, type Procedure, send } from "@minutes/testing";
import { anyCharacter } from "@minutes/testing/any-character";
import fc from "fast-check";

/** The values needed to call a procedure in both formats. */
export interface RestScene {
  readonly url: string;
  /** A key accepted by the procedure. */
  readonly key: string;
  /** Existing ids that no input here changes permanently. */
  readonly ids: readonly string[];
}

/** The fields of an input: texts of query parameters, or JSON of a body's fields. */
type Fields = readonly (readonly [field: string, text: string])[];

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
function toJsonValue(field: string, text: string): string {
  if (field === "limit" && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  if (field === "completed" && (text === "true" || text === "false")) return text;
  return JSON.stringify(text);
}

const getHeaders = ({ key }: RestScene) => ({ "x-api-key": key, "content-type": "application/json" });

/** Calls a procedure of `/v1`. @param json the text of its input */
export const callEnvelope = (
  scene: RestScene,
  { path, isWrite }: Procedure,
  json: string,
): Promise<Answer> =>
  isWrite
    ? send(scene.url, path, { method: "POST", headers: getHeaders(scene), body: `{"json":${json}}` })
    : send(scene.url, `${path}?input=${encodeURIComponent(`{"json":${json}}`)}`, {
        headers: getHeaders(scene),
      });

const getResource = ({ path }: Procedure): RestRoute => {
  const resource = REST_ROUTES[path.split("/").at(-1) ?? ""];
  if (!resource) throw new Error(`${path} has no resource.`);
  return resource;
};

/** Returns the fields of an input that are in the resource's path. */
export const listPathFields = (procedure: Procedure): string[] =>
  [...splitRoute(getResource(procedure)).path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Returns the JSON input of `/v1` that means the same as these fields. Blank known parameters are absent. */
export function toJson(procedure: Procedure, fields: Fields): string {
  const isBody = takesBody(getResource(procedure));
  const inPath = listPathFields(procedure);
  const pairs = fields
    .filter(([field, text]) => isBody || text !== "" || !procedure.fields.includes(field))
    .map(([field, text]) => {
      const value = isBody && !inPath.includes(field) ? text : toJsonValue(field, text);
      return `${JSON.stringify(field)}:${value}`;
    });
  return `{${pairs.join(",")}}`;
}

/** Calls the procedure's resource. */
export function callResource(scene: RestScene, procedure: Procedure, fields: Fields): Promise<Answer> {
  const resource = getResource(procedure);
  const { method, path } = splitRoute(resource);
  const values = new Map(fields);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
  const rest = fields
    .filter(([field]) => !path.includes(`{${field}}`))
    .map(([field, text]) => [field === "query" ? "q" : field, text] as const);
  const url = `/rest${procedure.path.replace(/\/[^/]+$/, "")}${filled}`;
  if (takesBody(resource)) {
    const body = `{${rest.map(([field, text]) => `${JSON.stringify(field)}:${text}`).join(",")}}`;
    return send(scene.url, url, { method, headers: getHeaders(scene), body });
  }
  const query = rest.map((pair) => pair.map(encodeURIComponent).join("="));
  return send(scene.url, query.length > 0 ? `${url}?${query.join("&")}` : url, {
    method,
    headers: getHeaders(scene),
  });
}

/** Fields that rows of `/v1` don't have. */
const ADDITIONS = ["due", "canComplete"];

/** Returns the result of an answer in either format: its status, and its payload or error, without additions. */
export const toOutcome = (answer: Answer) => [
  answer.status,
  // The one field that is called differently.
  JSON.parse(
    JSON.stringify(findPayload(answer) ?? answer.body).replace('"error":"q must', '"error":"query must'),
    (field, value: unknown) => (ADDITIONS.includes(field) ? undefined : value),
  ),
];

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
 * other half is hostile or random in some field. Fields in the path always have a text.
 */
function generateFields(procedure: Procedure, ids: readonly string[]): fc.Arbitrary<Fields> {
  const { fields } = procedure;
  const isBody = takesBody(getResource(procedure));
  const inPath = listPathFields(procedure);
  const others = fields.filter((field) => !inPath.includes(field));
  const foreign = fc.constantFrom("noSuchField", "__proto__", "constructor", "input", "batch", "limit");
  const known = others.length > 0 ? fc.constantFrom(...others, "limit") : fc.constant("limit");
  const some = fc.uniqueArray(fc.oneof({ weight: 8, arbitrary: known }, { weight: 1, arbitrary: foreign }), {
    maxLength: Math.min(others.length + 1, 4),
  });
  const good = (field: string) => generateGoodTexts(field, ids);
  const random = fc.string({ unit: anyCharacter, maxLength: 30 });
  const text = (field: string) =>
    fc.oneof(
      { weight: 3, arbitrary: good(field) },
      { weight: 1, arbitrary: fc.constantFrom(...getTexts(field)) },
      { weight: 1, arbitrary: random },
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
  const pathText = (field: string) =>
    // Part of a path is never empty, a slash or a dot segment.
    fc.oneof(
      good(field),
      random.filter((any) => any !== "" && !/[/.]/.test(any)),
    );
  const rest = fc.oneof(
    fc.subarray([...others], { minLength: Math.min(1, others.length) }).chain((names) => {
      const required: readonly string[] = others.filter((field) => field === "query");
      const whole = others.filter((field) => names.includes(field) || required.includes(field));
      return toPairs(whole, isBody ? goodValue : good);
    }),
    some.chain((names) => toPairs(names, isBody ? value : text)),
  );
  return fc.tuple(toPairs(inPath, pathText), rest).map(([first, second]) => [...first, ...second]);
}

/**
 * Calls a procedure of `/v1` and its resource with generated inputs.
 * @returns the inputs whose answers differ, and the number of inputs per status
 */
export async function compareForms(scene: RestScene, procedure: Procedure, count: number, seed: number) {
  const inputs = fc.sample(generateFields(procedure, scene.ids), { numRuns: count, seed });
  const different: unknown[] = [];
  const statuses: Record<number, number> = {};
  for (let at = 0; at < inputs.length; at += 10) {
    await Promise.all(
      inputs.slice(at, at + 10).map(async (fields) => {
        const json = toJson(procedure, fields);
        const expected = toOutcome(await callEnvelope(scene, procedure, json));
        const plain = toOutcome(await callResource(scene, procedure, fields));
        const [status] = expected as [number];
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (JSON.stringify(plain) !== JSON.stringify(expected)) different.push({ json, plain, expected });
      }),
    );
  }
  return { different, statuses };
}
