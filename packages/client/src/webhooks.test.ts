import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isEvent, verifyWebhook } from "./webhooks.js";

const SECRET = "ss_secret ü";
const NOW = 1_795_261_119;
const body = JSON.stringify({
  metadata: { id: "42", event: "meeting.completed", created: NOW },
  data: { id: "mtg_ü🎉" },
});
const NO_DATA = JSON.stringify({ metadata: { id: "42", event: "meeting.completed", created: NOW } });
const sign = (text: string, seconds: number, secret = SECRET) =>
  `t=${seconds},v0=${createHmac("sha256", secret).update(`${seconds}.${text}`).digest("hex")}`;
const now = () => NOW * 1000;
const signed = (header: string) => ({ "X-Service-Signature": header });
const check = (...[raw, headers, secret, options]: Partial<Parameters<typeof verifyWebhook>>) =>
  verifyWebhook(raw ?? body, headers ?? signed(sign(body, NOW)), secret ?? SECRET, { now, ...options });

describe("verifyWebhook with a signature", () => {
  test("takes the body as text, bytes or a buffer, and headers of any kind", async () => {
    const bytes = new TextEncoder().encode(body);
    const inside = new Uint8Array([1, ...bytes, 2]).subarray(1, -1);
    for (const raw of [body, bytes, bytes.buffer, Buffer.from(body), inside])
      expect((await check(raw)).metadata.id).toBe("42");
    const header = sign(body, NOW);
    expect((await check(body, new Headers(signed(header)))).data.id).toBe("mtg_ü🎉");
    expect((await check(body, { "x-service-signature": header })).data.id).toBe("mtg_ü🎉");
  });

  test.each([
    ["wrong-secret", "another body", `${body} `, sign(body, NOW)],
    ["wrong-secret", "another secret", body, sign(body, NOW, "ss_other")],
    ["wrong-secret", "another time", body, sign(body, NOW).replace(String(NOW), String(NOW + 1))],
    ["expired", "301 seconds ago", body, sign(body, NOW - 301)],
    ["expired", "301 seconds ahead", body, sign(body, NOW + 301)],
    ["malformed-header", "nothing in it", body, ""],
    ["malformed-header", "another version", body, sign(body, NOW).replace("v0", "v1")],
    ["malformed-header", "upper-case hex", body, sign(body, NOW).toUpperCase()],
    ["malformed-header", "two signatures", body, `${sign(body, NOW)},${sign(body, NOW)}`],
    ["malformed-header", "a short signature", body, sign(body, NOW).slice(0, -1)],
    ["malformed-header", "no number", body, sign(body, NOW).replace(String(NOW), "NaN")],
    ["malformed-body", "no JSON", "x", sign("x", NOW)],
    ["malformed-body", "no event", "{}", sign("{}", NOW)],
    ["malformed-body", "null", "null", sign("null", NOW)],
    ["malformed-body", "no data", NO_DATA, sign(NO_DATA, NOW)],
  ])("%s: %s", async (code, _name, raw, header) => {
    await expect(check(raw, signed(header))).rejects.toMatchObject({
      name: "WebhookVerificationError",
      code,
    });
  });

  test("the tolerance is 300 seconds unless set", async () => {
    await check(body, signed(sign(body, NOW - 300)));
    await check(body, signed(sign(body, NOW - 900)), SECRET, { tolerance: 1_000 });
    await expect(check(body, signed(sign(body, NOW - 2)), SECRET, { tolerance: 1 })).rejects.toThrow(
      "1 seconds",
    );
  });

  test("takes an event with no more than the specified fields", async () => {
    const metadata = { id: "42", event: "meeting.completed", created: NOW };
    const specified = JSON.stringify({ metadata, data: { event: { title: "Planning" }, transcript: [] } });
    expect((await check(specified, signed(sign(specified, NOW)))).metadata).toEqual(metadata);
  });

  test("TypeError: a parsed body, instead of reporting a wrong signature", async () => {
    await expect(check(JSON.parse(body))).rejects.toThrow("raw body");
  });
});

describe("verifyWebhook and events", () => {
  const deleted = JSON.stringify({
    metadata: { id: "43", event: "meeting.deleted", created: NOW },
    data: { id: "mtg_1" },
  });
  const events = ["meeting.completed", "meeting.deleted"] as const;

  test("events named by the option are returned, and isEvent narrows their types", async () => {
    const event = await verifyWebhook(deleted, signed(sign(deleted, NOW)), SECRET, { now, events });
    expect(isEvent(event, "meeting.completed")).toBe(false);
    if (!isEvent(event, "meeting.deleted")) throw new Error("It is a deletion.");
    expect(event.data).toEqual({ id: "mtg_1" } satisfies { id: string });
  });

  test("unexpected-event: every other event, and all but meeting.completed without the option", async () => {
    const refused = { code: "unexpected-event" };
    await expect(check(deleted, signed(sign(deleted, NOW)))).rejects.toMatchObject(refused);
    const options = { events: ["meeting.deleted" as const] };
    await expect(check(body, undefined, SECRET, options)).rejects.toMatchObject(refused);
  });
});

describe("verifyWebhook during secret rotation", () => {
  const add = (header: string, secret: string) => `${header},${sign(body, NOW, secret).split(",")[1]}`;

  test("any of the signatures is enough: receivers with the old and the new secret accept the delivery", async () => {
    const header = add(sign(body, NOW, "ss_new"), SECRET);
    expect((await check(body, signed(header))).metadata.id).toBe("42");
    expect((await check(body, signed(header), "ss_new")).metadata.id).toBe("42");
    await expect(check(body, signed(header), "ss_other")).rejects.toMatchObject({ code: "wrong-secret" });
    await expect(check(`${body} `, signed(header))).rejects.toMatchObject({ code: "wrong-secret" });
    const nine = Array.from({ length: 8 }).reduce<string>((all) => add(all, "ss_x"), sign(body, NOW));
    await expect(check(body, signed(nine))).rejects.toMatchObject({ code: "malformed-header" });
  });

  test("malformed-body: a request without a body, which frameworks give as undefined", async () => {
    await expect(verifyWebhook(undefined, signed(sign("", NOW)), SECRET, { now })).rejects.toMatchObject({
      code: "malformed-body",
    });
  });

  test("the signature can come in another header", async () => {
    const headers = { "X-Other-Signature": sign(body, NOW) };
    expect((await check(body, headers, SECRET, { headerName: "x-other-signature" })).metadata.id).toBe("42");
    await expect(check(body, headers)).rejects.toMatchObject({ code: "missing-header" });
  });
});

describe("verifyWebhook with an API key", () => {
  const KEY = "sk_key";
  test("in the default header or another", async () => {
    await check(body, { "x-service-api-key": KEY }, KEY);
    await check(body, { "X-My-Key": KEY }, KEY, { headerName: "x-my-key" });
  });
  test.each([
    ["missing-header", {}],
    ["missing-header", { "x-service-api-key": ["sk_key", "sk_key"] }],
    ["missing-header", { "x-service-api-key": KEY, "X-Service-Api-Key": "other" }],
    ["wrong-secret", { "x-service-api-key": "sk_other" }],
    ["wrong-secret", { "x-service-api-key": `${KEY} ` }],
    ["wrong-secret", { "x-service-api-key": "" }],
    ["wrong-secret", signed(sign(body, NOW, KEY))],
  ])("%s: %j", async (code, headers) => {
    await expect(check(body, headers, KEY)).rejects.toMatchObject({ code });
  });
  test("wrong-secret: an API key where a signature is expected", async () => {
    await expect(check(body, { "x-service-api-key": SECRET })).rejects.toMatchObject({
      code: "wrong-secret",
    });
  });
  test("an empty secret, or that of a variable that isn't set, verifies nothing", async () => {
    for (const secret of ["", "\n", undefined as never]) {
      const signature = { "x-service-signature": sign(body, NOW, secret ?? "") };
      for (const headers of [{ "x-service-api-key": "" }, signature])
        await expect(verifyWebhook(body, headers, secret, { now })).rejects.toThrow("secret is empty");
    }
  });
  test("the line break at the end of a secret's file is not part of the secret", async () => {
    expect((await check(body, { "x-service-api-key": KEY }, `${KEY}\n`)).metadata.id).toBe("42");
    expect((await check(body, signed(sign(body, NOW)), `${SECRET}\n`)).metadata.id).toBe("42");
  });
});
