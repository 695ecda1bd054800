import { isWrite, PUBLIC_ROUTES } from "@minutes/testing";
import { listHostileInputs } from "../index.js";
import type { Call, SendText } from "./calls.js";
import type { ServerName } from "./exchange.js";

export const ROUTES = PUBLIC_ROUTES.filter((route) => !route.startsWith("sync/"));
const READS = ROUTES.filter((route) => !isWrite(route));
const WRITES = ROUTES.filter((route) => isWrite(route));
const fits = (route: string) => (route.startsWith("me/") ? "personal anna" : "workspace team");

const EXAMPLES: Record<string, object> = {
  "meetings.list": { limit: 2 },
  "meetings.get": { meetingId: "mtg_unknown" },
  "meetings.delete": { meetingId: "mtg_unknown" },
  "meetings.search": { query: "turbines" },
  "tasks.list": { limit: 2 },
  "tasks.update": { taskId: "tsk_unknown", completed: true },
  "tags.list": {},
};
export const getExample = (route: string) => EXAMPLES[route.slice(route.indexOf("/") + 1)] ?? {};

export async function askCredentials(call: Call, holders: readonly string[]): Promise<void> {
  for (const route of [...ROUTES, "me/meetings.unknown", "workspace/tags.list"]) {
    for (const holder of [null, "", "junk", "jk_junk", "jk_é", ...holders])
      await call(holder, route, getExample(route));
  }
  for (const route of ROUTES)
    for (const holder of ["personal anna", "workspace team", "personal free"])
      await call(holder, route, { unknown: 1 });
}

export async function askQuota(call: Call): Promise<void> {
  const server: ServerName = "quota used up";
  for (const route of [...ROUTES, "me/unknown"]) {
    await call(fits(route), route, getExample(route), { server });
    await call(fits(route), route, { unknown: 1 }, { server });
    for (const holder of [null, "unknown key", "personal free", "workspace plus"])
      await call(holder, route, getExample(route), { server });
  }
}

const ENVELOPES = [
  undefined,
  "",
  '{"json":{}}',
  ' {\n"json" : {"limit":1}} ',
  '{"json":{"limit":2}}',
  '{"json":null,"meta":{"values":["undefined"],"v":1}}',
  '{"json":null,"meta":{"values":["undefined"]}}',
  '{"json":{"limit":null},"meta":{"values":{"limit":["undefined"]},"v":1}}',
  '{"json":{"limit":1},"meta":{"values":{},"v":1}}',
  '{"json":{"startDate":"2020-01-05T00:00:00.000Z","limit":1},"meta":{"values":{"startDate":["Date"]},"v":1}}',
  '{"json":{"taskId":"tsk_anna1x0","completed":true,"text":null},"meta":{"values":{"text":["undefined"]},"v":1}}',
  '{"json":{"taskId":"tsk_anna1x0","completed":null,"text":null},"meta":{"values":{"text":["undefined"],"completed":["undefined"]},"v":1}}',
  '{"json":{"limit":5},"json":{"limit":1}}',
  '{"js\\u006fn":{"limit":1}}',
];
const FIELDS = [
  ...["0", "101", "2.5", '"5"', "null", "-1", "1e2", "true"].map((value) => `"limit":${value}`),
  ...['"yes"', "1", "0"].map((value) => `"completed":${value}`),
  ...['""', '" "', JSON.stringify("x".repeat(128)), JSON.stringify("x".repeat(129))].flatMap((value) => [
    `"meetingId":${value}`,
    `"taskId":${value},"completed":true`,
  ]),
  ...['""', '"  \\n"', JSON.stringify(`${"x".repeat(10_001)}`), JSON.stringify("🦀".repeat(10_001))].map(
    (value) => `"taskId":"tsk_unknown","text":${value}`,
  ),
  '"taskId":"tsk_unknown"',
  '"completed":true',
  '"taskId":"tsk_unknown","completed":true,"title":"x"',
  ...['""', '"  "', JSON.stringify("x".repeat(1_001))].map((value) => `"query":${value}`),
  ...['""', JSON.stringify("x".repeat(101))].map((value) => `"tag":${value}`),
  ...['""', JSON.stringify("x".repeat(255))].map((value) => `"userEmail":${value}`),
].map((fields) => `{"json":{${fields}}}`);

export async function askInputs(call: Call, sendText: SendText): Promise<void> {
  for (const route of ROUTES)
    for (const text of [...ENVELOPES, ...FIELDS]) await sendText(fits(route), route, text);
  for (const [at, { text }] of listHostileInputs().entries())
    for (const routes of [READS, WRITES]) {
      const route = routes[at % routes.length] as string;
      await sendText(fits(route), route, text);
    }
  await call("personal anna", "me/tasks.update", { taskId: "tsk_anna1x0", text: "🦀".repeat(10_000) });
}
