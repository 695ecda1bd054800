import { NewWebhook } from "@minutes/contract";
import { createPersonalWebhook, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { createTargetPolicy } from "../../lib/http/target-policy.js";
import { updateWebhook } from "../index.js";

const URL = "https://127.0.0.1:9/hook";
const input = { name: "Mine", url: URL, method: "signature" } as const;

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterAll(() => scene.close());

describe("input", () => {
  const good = { name: "x", url: URL, method: "api-key" };
  const accepts = (more: object) => NewWebhook.safeParse({ ...good, ...more }).success;
  test("400: header names that HTTP or Minutes uses, and malformed header names", () => {
    for (const headerName of ["X-My-Key", "authorization", "x-api-key"])
      expect(accepts({ headerName })).toBe(true);
    for (const headerName of [
      ...[
        "host",
        "Host",
        "content-length",
        "Transfer-Encoding",
        "connection",
        "cookie",
        "user-agent",
        "upgrade",
      ],
      ...[
        "service-delivery",
        "x-service-signature", // where a receiver does not expect a secret
        "proxy-authorization",
        "sec-fetch-mode",
        "",
        "a b",
        "a:b",
        "a\r\nb",
        "ü",
      ],
      "x".repeat(65),
    ])
      expect([headerName, accepts({ headerName })]).toEqual([headerName, false]);
  });

  test("400: an empty tag, one named twice, and more than 20", () => {
    const many = Array.from({ length: 20 }, (_, index) => `Tag ${index}`);
    for (const tags of [[], ["Hiring", "hiring"], many])
      expect([tags, accepts({ tags })]).toEqual([tags, true]);
    for (const tags of [[" "], ["Hiring", " Hiring "], [...many, "One more"], "Hiring", ["a".repeat(101)]])
      expect([tags, accepts({ tags })]).toEqual([tags, false]);
  });

  test("400: a prefix that produces names used by HTTP, and headers with the same name", () => {
    const signed = (more: object) => accepts({ method: "signature", ...more });
    for (const headerPrefix of ["service-", "X-Other-", "x-github-", "e"])
      expect([headerPrefix, signed({ headerPrefix })]).toEqual([headerPrefix, true]);
    for (const headerPrefix of ["", "sec-", "proxy-x-", "a b", "ü", "a\r\nb", "x".repeat(49)])
      expect([headerPrefix, signed({ headerPrefix })]).toEqual([headerPrefix, false]);
    expect(signed({ headerName: "X-Other-Signature", headerPrefix: "x-other-" })).toBe(true);
    expect(signed({ headerName: "x-service-signature" })).toBe(true);
    for (const headerName of ["x-other-event", "x-other-delivery"])
      expect(accepts({ headerName, headerPrefix: "x-other-" })).toBe(false);
  });

  test("name, URL and headers can be changed; 400: headers with the same name", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, URL, { method: "api-key", headerName: "x-one" });
    const change = { name: "New", url: `${URL}#part`, headerName: "x-two" };
    expect(await updateWebhook(scene.db, scene.settings, OPERATOR, id, change)).toMatchObject({
      ...change,
      url: URL,
    });
    expect(await updateWebhook(scene.db, scene.settings, OPERATOR, id, {})).toMatchObject({ name: "New" });
    const signed = await scene.personalWebhook(anna, URL, { headerName: "x-a-event" });
    const edit = (to: { headerName?: string; headerPrefix?: string }) =>
      updateWebhook(scene.db, scene.settings, OPERATOR, signed.id, to);
    const collide = "headerName must differ from the other headers.";
    await expect(edit({ headerPrefix: "x-a-" })).rejects.toThrow(collide);
    expect(await edit({ headerName: "x-b", headerPrefix: "x-a-" })).toMatchObject({ headerName: "x-b" });
    await expect(edit({ headerName: "x-a-delivery" })).rejects.toThrow(collide);
    await expect(
      updateWebhook(scene.db, scene.settings, OPERATOR, id, { headerName: "x-service-signature" }),
    ).rejects.toThrow(collide);
  });

  test("412: creating a webhook without a key for secrets", async () => {
    const anna = await scene.given.person();
    const without = {
      keyring: null,
      targetPolicy: createTargetPolicy({ allowedNetworks: ["127.0.0.1/32"] }),
    };
    await expect(createPersonalWebhook(scene.db, without, anna.userId, input)).rejects.toThrow("SECRETS_KEY");
  });
});
