import { type ScriptedModel, startScriptedModel } from "@minutes/server/testing";
import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleScene, startConsole } from "./support/console.js";

const write = (sentence: string, quote: string) => JSON.stringify({ turn: 1, quote, sentence });

/** Answers of a model, with a real server and a scripted model. */
describe("the console: answers", needs("chromium"), () => {
  let model: ScriptedModel;
  let scene: ConsoleScene;
  let page: Page;

  beforeAll(async () => {
    model = await startScriptedModel();
    scene = await startConsole({
      model: { SUMMARISER_URL: model.url, SUMMARISER_MODEL: "scripted" },
    });
    page = scene.visit.page;
    await scene.server.given.meeting(scene.company.admin, {
      title: "Harbor",
      transcript: [
        { speakerId: "a", speakerName: "Ada", text: "Why is the lighthouse closed?" },
        { speakerId: "b", speakerName: "Ben", text: "The lighthouse is closed because the lamp broke." },
      ],
    });
  });
  afterAll(async () => {
    await scene?.close();
    model?.close();
  });

  const ask = async () => {
    await page.getByRole("textbox", { name: /^Ask about/ }).fill("Why is the lighthouse closed?");
    await page.keyboard.press("Enter");
  };

  test("a sentence is shown while the model writes, Stop ends it, and its quote leads to the turn", async () => {
    model.script(async (say, response) => {
      say(write("A storm did it.", "a storm broke the whole lamp"));
      say(write("The lamp <b>broke</b>.", "closed because the lamp broke"));
      say(write("The lamp broke.", "closed because the lamp broke"));
      await new Promise((resolve) => response.once("close", resolve));
    });
    await scene.visit.go("Meetings");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await ask();
    const answer = page.getByRole("status").filter({ hasText: "Harbor" });
    await answer.getByText("The lamp broke.", { exact: true }).waitFor();
    expect(await answer.getByRole("link").count()).toBe(1);
    // Another question ends the one that runs.
    await page.getByRole("textbox", { name: /^Ask about/ }).fill("Why is the lighthouse closed now?");
    await page.keyboard.press("Enter");
    await expect.poll(() => model.cut()).toBe(1);
    await answer.getByText("The lamp broke.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => model.cut()).toBe(2);
    await answer.getByRole("link", { name: /Harbor/ }).click();
    await page.locator('.turn[data-current="true"]', { hasText: "lamp broke" }).waitFor();
  });

  test("an answer without a verified quote is not found, and a failing model leaves the turns and a note", async () => {
    model.script((say) => say(write("A storm did it.", "a storm broke the whole lamp")));
    await ask();
    await page.getByText("Not found in this meeting.").waitFor();
    model.script((_, response) => response.writeHead(500).end());
    await ask();
    await page.getByText("The model did not answer, so these are the turns, word by word.").waitFor();
    await page.getByRole("status").getByText("because the lamp broke").waitFor();
  });
});
