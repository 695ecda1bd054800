import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { handleWebhook } from "../examples/fetch-webhook/handler.js";

test("the webhook handler processes a signed delivery once, again after a fault of its own, and no other", async () => {
  const body = JSON.stringify({
    metadata: { id: "42", event: "meeting.completed", created: 1 },
    data: { id: "mtg_1" },
  });
  const seconds = Math.floor(Date.now() / 1000);
  const signed = createHmac("sha256", "ss_secret").update(`${seconds}.${body}`).digest("hex");
  const processed: string[] = [];
  let failing = true;
  const deliver = async (hex: string) => {
    const headers = { "x-service-signature": `t=${seconds},v0=${hex}` };
    const request = new Request("https://receiver.test/", { method: "POST", body, headers });
    const answer = await handleWebhook(request, {
      secret: "ss_secret",
      isProcessed: async (id) => processed.includes(id),
      process: async ({ metadata }) => {
        if (failing) throw new Error("the database is away");
        processed.push(metadata.id);
      },
    });
    return answer.status;
  };
  await expect(deliver(signed)).rejects.toThrow("the database is away");
  failing = false;
  expect([await deliver(signed), await deliver(signed)]).toEqual([204, 204]);
  expect(await deliver("0".repeat(64))).toBe(400);
  expect(processed).toEqual(["42"]);
});
