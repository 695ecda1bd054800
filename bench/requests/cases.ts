import type { Dataset } from "./dataset.js";
import type { BenchRequest } from "./load.js";

/** Whose keys the requests have: of 1,000 people, or one. */
type Keys = "many keys" | "one hot key";

/** A measured request, to the bare handler, the stock stack, or the product with one or many keys. */
export interface Case {
  readonly route: string;
  readonly variant: Keys | "bare" | `stock, ${Keys}`;
  readonly requests: readonly BenchRequest[];
}

/** Routes of the stock stack, which gets the same requests as the product. */
const STOCK_ROUTES = new Set([
  "me/meetings.list",
  "workspace/meetings.list",
  "workspace/tasks.list",
  "workspace/tasks.update",
  "404 with a key",
]);

/** Serializes a request for the wire. */
export function toRequest(
  path: string,
  { key, body, status = 200 }: { key?: string; body?: string; status?: number } = {},
) {
  const head = [
    `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
    "Host: bench",
    ...(key ? [`x-api-key: ${key}`] : []),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return { bytes: Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`), status };
}

/** Formats an input as the query of a GET. */
export const toInput = (input: object) => `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;

/** Lists the cases for one dataset. */
export function listCases({ people, workspaceId, workspaceKey, longMeetings, tasks }: Dataset): Case[] {
  const hot = people.slice(people.length / 2, people.length / 2 + 1);
  const key = workspaceKey;
  const compare = (
    route: string,
    bare: readonly BenchRequest[],
    product: readonly BenchRequest[],
  ): Case[] => [
    { route, variant: "bare", requests: bare },
    { route, variant: "one hot key", requests: product },
  ];
  const toListRequest = (one: Dataset["people"][number]) =>
    toRequest("/v1/me/meetings.list", { key: one.key });
  const toTaskBody = (taskId: string, at: number) =>
    JSON.stringify({ json: { taskId, completed: at % 2 === 0 } });
  const cases: Case[] = [
    {
      route: "me/meetings.list",
      variant: "bare",
      requests: people.map(({ userId }) => toRequest(`/mine/${userId}`)),
    },
    { route: "me/meetings.list", variant: "many keys", requests: people.map(toListRequest) },
    { route: "me/meetings.list", variant: "one hot key", requests: hot.map(toListRequest) },
    ...compare(
      "workspace/meetings.list",
      [toRequest(`/meetings/${workspaceId}`)],
      [toRequest("/v1/workspace/meetings.list", { key })],
    ),
    ...compare(
      "workspace/tasks.list",
      [toRequest(`/tasks/${workspaceId}`)],
      [toRequest("/v1/workspace/tasks.list", { key })],
    ),
    ...compare(
      "workspace/meetings.get",
      longMeetings.map((id) => toRequest(`/meeting/${id}`)),
      longMeetings.map((meetingId) =>
        toRequest(`/v1/workspace/meetings.get${toInput({ meetingId })}`, { key }),
      ),
    ),
    ...compare(
      "workspace/tasks.update",
      tasks.map((id, at) => toRequest(`/task/${id}`, { body: toTaskBody(id, at) })),
      tasks.map((id, at) => toRequest("/v1/workspace/tasks.update", { key, body: toTaskBody(id, at) })),
    ),
    ...compare(
      "404 with a key",
      [toRequest("/unknown", { key, status: 404 })],
      [toRequest("/v1/workspace/unknown", { key, status: 404 })],
    ),
  ];
  const stock = cases
    .filter(({ route }) => STOCK_ROUTES.has(route))
    .flatMap(({ variant, ...each }): Case[] =>
      variant === "many keys" || variant === "one hot key" ? [{ ...each, variant: `stock, ${variant}` }] : [],
    );
  return [...cases, ...stock];
}
