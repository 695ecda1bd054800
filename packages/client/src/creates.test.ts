import { readFileSync } from "node:fs";
import { createTRPCClient } from "@trpc/client";
import { expect, test } from "vitest";
import { writeOperations } from "../scripts/write-operations.js";
import { createScript, getFailure, no, ok } from "../test/scripted.js";
import type { SettingsClient } from "./index.js";
import type { LinkOptions } from "./link.js";
import { createLink } from "./link.js";
import type { ManagementRouter } from "./routers.js";

const NEW = { kind: "personal", name: "Script" } as const;

/** Creates a settings client that gets these replies one after the other. */
function createSettings(...replies: Parameters<typeof createScript>[0][number][]) {
  const { clock, fetch, requests } = createScript(replies);
  const options: LinkOptions = { baseUrl: "https://minutes.test", token: async () => "mst_test", fetch };
  const client = createTRPCClient<ManagementRouter>({ links: [createLink(clock, "settings/v1", options)] });
  return { client, keys: () => requests.map(([, init]) => init.headers["idempotency-key"]), requests };
}

test("a create has an idempotency key, and its retries have the same; the next create has another", async () => {
  const { client, keys, requests } = createSettings(no(503), "broken", ok({ id: "key_1", key: "jk_1" }));
  expect(await client.keys.create.mutate(NEW)).toEqual({ id: "key_1", key: "jk_1" });
  await client.keys.create.mutate(NEW);
  const [first, second, third, other] = keys();
  expect(first).toMatch(/^[\da-f-]{36}$/);
  expect([second, third]).toEqual([first, first]);
  expect(other).not.toBe(first);
  expect(requests[0]?.[1].headers).toMatchObject({ authorization: "Bearer mst_test" });
  expect(requests[0]?.[1].headers).not.toHaveProperty("x-api-key");
});

test("a create that is still running is retried; another conflict is not", async () => {
  const running = createSettings(no(409, { "retry-after": "1" }), ok({ id: "key_1", key: "" }));
  expect(await running.client.keys.create.mutate(NEW)).toEqual({ id: "key_1", key: "" });
  const full = createSettings(no(409));
  expect(await getFailure(full.client.keys.create.mutate(NEW))).toMatchObject({
    code: "conflict",
    status: 409,
  });
  expect(full.requests).toHaveLength(1);
});

test("the key of a call can be given; another input with it is unprocessable", async () => {
  const { client, keys } = createSettings(no(422));
  const call = client.keys.create.mutate(NEW, { context: { idempotencyKey: "mine" } });
  expect(await getFailure(call)).toMatchObject({ code: "unprocessable", status: 422 });
  expect(keys()).toEqual(["mine"]);
  type Options = Parameters<SettingsClient["keys"]["create"]["mutate"]>[1];
  type Context = NonNullable<NonNullable<Options>["context"]>;
  // @ts-expect-error: a key is a text.
  ({ idempotencyKey: 5 }) satisfies Context;
  // @ts-expect-error: the name is another.
  ({ idempotencykey: "mine" }) satisfies Context;
  type Others = Parameters<SettingsClient["keys"]["revoke"]["mutate"]>[1];
  // @ts-expect-error: the service would run it twice.
  ({ context: { idempotencyKey: "mine" } }) satisfies Others;
});

test("an empty key is sent, so that the service refuses it, rather than run a create without one", async () => {
  const { client, keys } = createSettings(no(400));
  const call = client.keys.create.mutate(NEW, { context: { idempotencyKey: "" } });
  expect(await getFailure(call)).toMatchObject({ code: "bad_request", status: 400 });
  expect(keys()).toEqual([""]);
});

test("reads and other writes have no key, and writes are not retried", async () => {
  const { client, keys } = createSettings(ok({ personal: [] }), no(503));
  await client.keys.list.query();
  await getFailure(client.keys.revoke.mutate({ keyId: "key_1" }));
  expect(keys()).toEqual([undefined, undefined]);
});

test("the tables of operations are those of the declarations: else run `pnpm --filter @minutes/client generate`", () => {
  const committed = readFileSync(new URL("operations.generated.ts", import.meta.url), "utf8");
  expect(committed).toBe(writeOperations());
});
