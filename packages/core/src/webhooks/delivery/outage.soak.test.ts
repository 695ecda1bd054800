import { createWebhookScene } from "@minutes/testing";
import { expect, test } from "vitest";
import { runOutageDrill } from "../testing/outage.js";

test("a receiver that is down for a day with 5,000 events gets all of them in order, each once", async () => {
  const scene = await createWebhookScene();
  try {
    await runOutageDrill(scene, { events: 5_000, timeout: 900_000 });
    expect(scene.faults).toEqual([]);
  } finally {
    await scene.close();
  }
}, 2_400_000);
