import { PUBLIC_INPUT_FIELDS } from "@minutes/testing";

/** An `input` or body that no procedure may accept. */
export interface HostileInput {
  readonly name: string;
  readonly text: string | Uint8Array;
}

/** JSON texts that are not valid for any field. */
export const HOSTILE_VALUES: Record<string, string> = {
  null: "null",
  "nested object": '{"a":{"b":{}}}',
  list: "[1,2,3]",
  "empty list": "[]",
  "list in lists": `${"[".repeat(500)}${"]".repeat(500)}`,
  "overflowing number": "1e400",
  "negative overflow": "-1e400",
  "unsafe integer": "9007199254740993",
  "tiny fraction": "1e-320",
  "negative zero fraction": "-0.5",
  "long number": "9".repeat(5_000),
  "NUL raw in a string": '"a\\u0000b"',
  "high surrogate, escaped": '"\\ud800"',
  "low surrogate, escaped": '"x\\udc00y"',
  "surrogates the wrong way round": '"\\udc00\\ud800"',
  "eleven thousand characters": JSON.stringify("x".repeat(11_000)),
  "empty text": '""',
  operator: '{"$gt":""}',
  prototype: '{"__proto__":{"isAdmin":true}}',
  constructor: '{"constructor":{"prototype":{"x":1}}}',
  toString: '{"toString":"x","valueOf":"y"}',
  "length of a list": '{"length":100000000}',
  "text in a list": '["a"]',
};

const wrapJson = (fields: string) => `{"json":${fields}}`;

/** Malformed envelopes. */
const ENVELOPES: Record<string, string | Uint8Array> = {
  space: " ",
  word: "undefined",
  NaN: "NaN",
  null: "null",
  true: "true",
  number: "5",
  string: '"x"',
  list: "[]",
  "list of an envelope": '[{"json":{}}]',
  object: "{}",
  "no wrapper": '{"limit":5}',
  "null json": wrapJson("null"),
  "number as json": wrapJson("5"),
  "text as json": wrapJson('"x"'),
  "list as json": wrapJson("[]"),
  "true as json": wrapJson("true"),
  "wrapper twice": wrapJson(wrapJson("{}")),
  "batch of one": '{"0":{"json":{}}}',
  "further field": '{"json":{},"x":1}',
  "own __proto__": '{"json":{},"__proto__":{}}',
  "__proto__ as json": '{"__proto__":{"json":{}}}',
  unclosed: '{"json":{',
  "trailing comma": '{"json":{},}',
  "trailing garbage": '{"json":{}}x',
  "two values": '{"json":{}}{"json":{}}',
  comment: '{"json":{}/**/}',
  "single quotes": "{'json':{}}",
  "byte order mark": '\ufeff{"json":{}}',
  "control character in a string": '{"json":{"tag":"\u0001"}}',
  "bad escape": '{"json":{"tag":"\\x"}}',
  "half an escape": '{"json":{"tag":"\\u12"}}',
  "deep lists": "[".repeat(5_000),
  "deep objects": '{"a":'.repeat(2_000),
  "deep json": wrapJson(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`),
  "deep lists in json": wrapJson(`{"limit":${"[".repeat(2_000)}${"]".repeat(2_000)}}`),
  "invalid UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  "UTF-8 cut short": Buffer.from('{"json":{"tag":"é'.slice(0)).subarray(0, -1),
  "overlong UTF-8": Buffer.concat([
    Buffer.from('{"json":{"tag":"'),
    Buffer.from([0xc0, 0x80]),
    Buffer.from('"}}'),
  ]),
  "surrogate in UTF-8": Buffer.concat([
    Buffer.from('{"json":{"tag":"'),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('"}}'),
  ]),
  "UTF-16": Buffer.from('{"json":{}}', "utf16le"),
  gzip: Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
  "many commas": wrapJson(`{${",".repeat(5_000)}}`),
  "many fields": wrapJson(`{${Array.from({ length: 400 }, (_, at) => `"f${at}":1`).join(",")}}`),
  "many spaces": `${" ".repeat(6_000)}x`,
  "long key": wrapJson(`{"${"k".repeat(6_000)}":1}`),
  "escaped key": wrapJson('{"\\u0000\\ud800":1}'),
};

/** Field names that no procedure has. */
const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toJSON",
  "then",
  "userId",
  "workspaceId",
  "id",
  "Limit",
  "limit ",
  "meeting_id",
  "offset",
  "where",
  "$where",
  "select",
  "",
  "0",
  "🦀",
  "a.b",
  "limit[]",
];

/** Writes an annotation that tells superjson what to restore. */
const annotate = (value: string, annotation: string, field = "tag") =>
  `{"json":{"${field}":${value}},"meta":{"values":{"${field}":${annotation}},"v":1}}`;
const META: Record<string, string> = {
  "typed array of a huge length": annotate('{"length":100000000}', '[["typed-array","Uint8Array"]]'),
  "typed array of a list": annotate("[1,2]", '[["typed-array","Float64Array"]]'),
  "set of sets": annotate("[[1],[1]]", '["set",{"0":["set"],"1":["set"]}]'),
  map: annotate("[[1,2]]", '["map"]'),
  bigint: annotate(`"${"9".repeat(5_000)}"`, '["bigint"]'),
  regexp: annotate('"/(a+)+$/"', '["regexp"]'),
  URL: annotate('"http://x"', '["URL"]'),
  Error: annotate('{"name":"E","message":"m"}', '["Error"]'),
  symbol: annotate('"x"', '[["symbol","x"]]'),
  class: annotate("{}", '[["class","X"]]'),
  custom: annotate('"x"', '[["custom","X"]]'),
  number: annotate('"NaN"', '["number"]'),
  "Date of a number": annotate("5", '["Date"]', "startDate"),
  "Date of a bad text": annotate('"never"', '["Date"]', "startDate"),
  "Date of null": annotate("null", '["Date"]', "startDate"),
  "undefined of a value": annotate("5", '["undefined"]', "limit"),
  "unknown mark": annotate('"x"', '["nothing"]'),
  "mark without a list": annotate('"x"', '"Date"'),
  "two marks": annotate('"x"', '["Date","Date"]'),
  "nested marks": annotate('{"a":null}', '{"a":["undefined"]}'),
  "tree of marks": annotate("[null]", '["set",{"0":["undefined"]}]'),
  "mark for an absent field": '{"json":{},"meta":{"values":{"limit":["undefined"]},"v":1}}',
  "mark for __proto__": '{"json":{},"meta":{"values":{"__proto__":["undefined"]},"v":1}}',
  "mark for a path": '{"json":{"a":{"b":null}},"meta":{"values":{"a.b":["undefined"]},"v":1}}',
  "path into the prototype": '{"json":{},"meta":{"values":{"constructor.prototype.x":["undefined"]},"v":1}}',
  "referential equalities": '{"json":{"a":[1],"b":[1]},"meta":{"referentialEqualities":{"a":["b"]},"v":1}}',
  "equalities beside values": '{"json":{},"meta":{"values":{},"referentialEqualities":{"a":["b"]},"v":1}}',
  "equalities with __proto__":
    '{"json":{"a":{}},"meta":{"values":{},"referentialEqualities":{"a":["__proto__.x"]}}}',
  "many equalities": `{"json":{"a":[]},"meta":{"values":{"a":["set"]},"referentialEqualities":{"a":[${Array.from({ length: 500 }, (_, at) => `"a.${at}"`).join(",")}]}}}`,
  "meta null": '{"json":{},"meta":null}',
  "meta list": '{"json":{},"meta":[]}',
  "meta text": '{"json":{},"meta":"x"}',
  "meta empty": '{"json":{},"meta":{}}',
  "values null": '{"json":{},"meta":{"values":null}}',
  "another version": '{"json":{},"meta":{"values":{},"v":2}}',
  "whole input a Date": '{"json":"2025-01-01T00:00:00.000Z","meta":{"values":["Date"],"v":1}}',
  "whole input undefined, of a value": '{"json":5,"meta":{"values":["undefined"],"v":1}}',
  "whole input a set": '{"json":[],"meta":{"values":["set"],"v":1}}',
  "whole input a map": '{"json":null,"meta":{"values":["map"],"v":1}}',
};

/** Texts that are invalid for a kind of field. */
const TEXTS: Record<string, string[]> = {
  cursor: [
    "' or 1=1 --",
    "::",
    "::::::::",
    "2025-01-01",
    "2025-02-30T00:00:00Z::x",
    "0000-01-01T00:00:00Z::x",
    "+275760-09-13T00:00:00.000Z::x",
    "275760-09-13T00:00:00.001Z",
    "-271821-04-20T00:00:00Z",
    "9999-12-31T23:59:59-23:59",
    "2025-01-01T00:00:00Z::\u0000",
    `2025-01-01T00:00:00Z::${"x".repeat(500)}`,
    `2025-01-01T00:00:00.${"0".repeat(120)}Z`,
    "infinity",
    "now()",
    "1e400",
  ],
  startDate: [
    "' or 1=1 --",
    "2025-02-30",
    "2025-06-31",
    "0000-12-31",
    "275760-09-13",
    "+002025-01-01",
    "-0001-01-01",
    "2025-01-01T00:00:00",
    "2025-01-01T00:00:00Z'",
    "2025-01-01T00:00:60Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "epoch",
    "-infinity",
    "２０２５-01-01",
    "2025-01-01\n",
    "2025/01/01",
    `2025-01-01${" ".repeat(100)}`,
  ],
};

/** Lists more than 300 inputs that each of the twelve procedures must refuse with a 4xx. */
export function listHostileInputs(): HostileInput[] {
  const inputs: HostileInput[] = [];
  const add = (name: string, text: string | Uint8Array) => inputs.push({ name, text });
  for (const [name, text] of Object.entries(ENVELOPES)) add(`envelope: ${name}`, text);
  for (const [name, text] of Object.entries(META)) add(`meta: ${name}`, text);
  for (const name of NAMES) add(`unknown field ${name}`, wrapJson(`{${JSON.stringify(name)}:1}`));
  for (const field of PUBLIC_INPUT_FIELDS)
    for (const [name, value] of Object.entries(HOSTILE_VALUES))
      add(`${field}: ${name}`, wrapJson(`{"${field}":${value}}`));
  for (const text of TEXTS.cursor ?? [])
    add(`cursor ${text}`, wrapJson(`{"cursor":${JSON.stringify(text)}}`));
  for (const text of TEXTS.startDate ?? [])
    for (const field of ["startDate", "endDate"])
      add(`${field} ${text}`, wrapJson(`{"${field}":${JSON.stringify(text)}}`));
  return inputs;
}

/** Lists the same kinds of attack with maximum body size. */
export function listHugeInputs(size: number): HostileInput[] {
  const fill = (head: string, item: string, tail: string) =>
    head + item.repeat(Math.floor((size - head.length - tail.length) / item.length)) + tail;
  return [
    { name: "lists in lists", text: fill("", "[", "") },
    { name: "objects in objects", text: fill("", '{"a":', "") },
    {
      name: "balanced lists in json",
      text: wrapJson(`{"text":${"[".repeat(size / 2 - 20)}${"]".repeat(size / 2 - 20)}}`),
    },
    { name: "one long number", text: fill('{"json":{"limit":', "9", "}}") },
    { name: "one long bigint", text: fill('{"json":{"a":"', "9", '"},"meta":{"values":{"a":["bigint"]}}}') },
    { name: "sets of sets", text: fill('{"json":{"a":[', "[],", '0]},"meta":{"values":{"a":["set"]}}}') },
    {
      name: "equalities",
      text: fill('{"json":{"a":[]},"meta":{"referentialEqualities":{"a":[', '"a.0",', '"a"]}}}'),
    },
    { name: "surrogates", text: fill('{"json":{"taskId":"t","text":"', "\\ud800", '"}}') },
    { name: "NULs", text: fill('{"json":{"taskId":"t","text":"', "\\u0000", '"}}') },
    { name: "whitespace to trim", text: fill('{"json":{"taskId":"t","text":"', "\\u2003", '"}}') },
    { name: "combining characters", text: fill('{"json":{"taskId":"t","text":"', "\u0301", '"}}') },
    { name: "long id", text: fill('{"json":{"completed":true,"taskId":"', "x", '"}}') },
    { name: "long key", text: fill('{"json":{"', "k", '":1}}') },
    {
      name: "many keys",
      text: wrapJson(`{${Array.from({ length: size / 12 }, (_, at) => `"k${at}":1`).join(",")}}`),
    },
    { name: "spaces", text: fill("", " ", "x") },
    { name: "backslashes", text: fill('{"json":{"', "\\\\", '":1}}') },
    { name: "invalid UTF-8", text: Buffer.alloc(size, 0xff) },
  ];
}
