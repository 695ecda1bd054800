import { MESSAGES } from "@minutes/contract";
import { OPERATIONS } from "@minutes/contract/operations";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, send } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { purgeExpired } from "../lib/purge-expired.js";
import { createRunOnce } from "./idempotency.js";

let server: TestServer;
let company: Company;
let ingestKey: string;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ rateLimit: 10_000 });
  company = await server.given.company();
  ingestKey = await server.given.ingestKey(company);
  token = await server.given.session(company.admin);
});
beforeEach(() => server.db.execute(sql`delete from idempotency_keys`));
afterAll(() => server.close());

let last = 0;
const newMeeting = () => ({
  externalId: `idempotent-${++last}`,
  ownerEmail: company.admin.email,
  title: "Planning",
  startTime: "2026-03-01T09:00:00Z",
});
const post = (path: string, credential: string, body: object, key: string) =>
  send(server.url, path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${credential}`,
      "x-api-key": credential,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
const readAll = () => server.db.select().from(schema.idempotencyKeys);
const countKeys = () => server.db.$count(schema.apiKeys, sql`user_id = ${company.admin.userId}`);

test("200: a repeated create gets the first answer and does not run again", async () => {
  const meeting = newMeeting();
  const first = await post("/rest/v1/import", ingestKey, meeting, "one");
  expect([first.status, first.headers["idempotent-replayed"]]).toEqual([200, undefined]);
  const { meetingId } = first.body as { meetingId: string };
  await server.db.execute(sql`delete from meetings where id = ${meetingId}`);
  await server.db.execute(sql`delete from recordings where id = ${meetingId}`);
  const again = await post("/rest/v1/import", ingestKey, meeting, "one");
  expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([200, first.text, "true"]);
  const other = await post("/rest/v1/import", ingestKey, meeting, "two");
  expect((other.body as { meetingId: string }).meetingId).not.toBe(meetingId);
});

test.each([
  ["/rest/v1/keys", (body: object) => body, (answer: object) => answer],
  [
    "/settings/v1/keys.create",
    (json: object) => ({ json }),
    (answer: object) => (answer as { result: { data: { json: object } } }).result.data.json,
  ],
])(
  "200: %s shows a key once; the repeated answer says so, and nothing stores it",
  async (path, wrap, unwrap) => {
    const before = await countKeys();
    const body = wrap({ kind: "personal", name: "Once" });
    const first = unwrap((await post(path, token, body, "create")).body as object) as {
      id: string;
      key: string;
    };
    expect(first.key).toMatch(/^jk_/);
    const again = await post(path, token, body, "create");
    expect(unwrap(again.body as object)).toEqual({
      id: first.id,
      key: "",
      message: MESSAGES.secretNotRepeated,
    });
    expect(await countKeys()).toBe(before + 1);
    expect(JSON.stringify(await readAll())).not.toContain(first.key.slice(3));
    await server.call(token, "settings/keys.revoke", { keyId: first.id });
  },
);

test("200: a repeated answer has no former name, and nothing stores it", async () => {
  const { admin } = company;
  const said = (speakerId: string, speakerName: string) => ({ speakerId, speakerName, text: "Nice." });
  const { meetingId } = await server.given.meeting(admin, {
    transcript: [said("a", "Zoe Secretname"), said("b", "Boris"), said("a", "Zoe Secretname")],
  });
  const at = `/rest/v1/me/meetings/${meetingId}/speakers/a`;
  for (const [path, body] of [
    ["split", { baseVersion: 1, turns: [2], name: "Cem" }],
    ["merge", { baseVersion: 2, intoLabel: "b" }],
  ] as const) {
    const first = await post(`${at}/${path}`, admin.key, body, path);
    expect(first.body).toMatchObject({ formerName: "Zoe Secretname", version: body.baseVersion + 1 });
    const again = await post(`${at}/${path}`, admin.key, body, path);
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([200, "true"]);
    expect(again.body).toEqual({ ...(first.body as object), formerName: "" });
  }
  expect(JSON.stringify(await readAll())).not.toContain("Secretname");
});

/** Fields with IDs, states, times and fixed sentences. `externalId` is the recorder's, which a deleted meeting keeps as well. */
const STORED = /^(id|\w+Id|\w+At|state|scope|message|speakerLabel|notStored)$/;

test.each(
  OPERATIONS.filter(({ rest }) => rest?.at.startsWith("POST ") && !rest.streams).map(
    (one) => [one.name, one] as const,
  ),
)("every text in the answer of %s is an ID, or stored empty", (_, { output, rest }) => {
  if (!output) throw new Error("An answer without a schema.");
  type Schema = z.core.JSONSchema.JSONSchema;
  const whole: Schema = z.toJSONSchema(output);
  const texts: string[] = [];
  const collect = ({ $ref, type, items, properties }: Schema, name: string): void => {
    if ($ref) collect(whole.$defs?.[$ref.replace("#/$defs/", "")] ?? {}, name);
    else if (type === "string" || type === undefined) texts.push(name);
    if (items) collect(items as Schema, name);
    for (const [key, field] of Object.entries(properties ?? {})) collect(field as Schema, key);
  };
  collect(whole, "answer");
  const known = [rest?.secret, ...(rest?.content ?? [])];
  expect(texts.filter((name) => !STORED.test(name) && !known.includes(name))).toEqual([]);
});

test("422: the same key with another body, or for another object", async () => {
  const meeting = newMeeting();
  await post("/rest/v1/import", ingestKey, meeting, "one");
  const other = await post("/rest/v1/import", ingestKey, { ...meeting, title: "Other" }, "one");
  expect([other.status, other.body]).toEqual([422, { error: MESSAGES.idempotencyOtherBody }]);
  const started = await post("/rest/v1/recordings", ingestKey, newMeeting(), "one");
  expect(started.status).toBe(200);
});

test("another caller's key is a different one", async () => {
  const stranger = await server.given.company();
  const theirs = await server.given.ingestKey(stranger);
  await post("/rest/v1/import", ingestKey, newMeeting(), "shared");
  const answer = await post(
    "/rest/v1/import",
    theirs,
    { ...newMeeting(), ownerEmail: stranger.admin.email },
    "shared",
  );
  expect([answer.status, answer.headers["idempotent-replayed"]]).toEqual([200, undefined]);
});

test("400: a key that is too long or has spaces; a refused create releases its key", async () => {
  for (const key of ["x".repeat(256), "a b"]) {
    const { status, body } = await post("/rest/v1/import", ingestKey, newMeeting(), key);
    expect([status, body]).toEqual([400, { error: MESSAGES.idempotencyKeyInvalid }]);
  }
  expect((await post("/rest/v1/import", ingestKey, { title: 5 }, "again")).status).toBe(400);
  expect((await post("/rest/v1/import", ingestKey, newMeeting(), "again")).status).toBe(200);
});

test("409 while the first call runs; a key whose process died is taken over after its lease", async () => {
  const runOnce = createRunOnce(server.db, { userId: company.admin.userId });
  const fingerprint = new Uint8Array([1]);
  const call = { route: "test", key: "one", fingerprint, secret: undefined };
  let finish = (_: object) => {};
  const first = runOnce(
    call,
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  await expect.poll(readAll).toHaveLength(1);
  const run = async () => ({ run: 2 });
  await expect(runOnce(call, run)).rejects.toMatchObject({
    message: MESSAGES.idempotencyRunning,
    headers: { "Retry-After": "1" },
  });
  await server.db.execute(sql`update idempotency_keys set leased_until = now() - interval '1 second'`);
  const other = { ...call, fingerprint: new Uint8Array([2]) };
  await expect(runOnce(other, run)).rejects.toMatchObject({ message: MESSAGES.idempotencyOtherBody });
  expect(await runOnce(call, run)).toEqual({ payload: { run: 2 }, replayed: false });
  finish({ run: 1 });
  expect(await first).toEqual({ payload: { run: 1 }, replayed: false });
  // The call that lost its lease must not overwrite the later one's answer.
  expect(await runOnce(call, run)).toEqual({ payload: { run: 2 }, replayed: true });
});

test("keys are deleted after 24 hours, and with their user", async () => {
  const person = await server.given.person();
  const runOnce = createRunOnce(server.db, { userId: person.userId });
  const call = { route: "test", key: "one", fingerprint: new Uint8Array([1]), secret: undefined };
  await runOnce(call, async () => ({ run: 1 }));
  await purgeExpired(server.db);
  expect(await readAll()).toHaveLength(1);
  await server.db.execute(sql`update idempotency_keys set expires_at = now() - interval '1 second'`);
  expect((await runOnce(call, async () => ({ run: 2 }))).payload).toEqual({ run: 2 });
  await server.db.execute(sql`update idempotency_keys set expires_at = now() - interval '1 second'`);
  await purgeExpired(server.db);
  expect(await readAll()).toEqual([]);
  await runOnce(call, async () => ({ run: 3 }));
  await server.db.execute(sql`delete from users where id = ${person.userId}`);
  expect(await readAll()).toEqual([]);
});
