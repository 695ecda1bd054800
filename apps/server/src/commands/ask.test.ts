import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.js";

const ANN = "ann@example.com";
const SAID = "The lighthouse is closed because the lamp broke on Tuesday.";
const ASK = ["ask", ANN, "Why is the lighthouse closed?"];

describe("minutes ask", needs("embedded"), () => {
  let model: ScriptedModel;
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  beforeAll(async () => {
    model = await startScriptedModel();
    const settings = { SUMMARISER_URL: model.url, SUMMARISER_MODEL: "scripted", ANSWERS_PER_DAY: "2" };
    installation = await openInstallation(settings);
    await installation.json("users", "create", ANN);
    const file = join(installation.dataDir, "meeting.json");
    const meeting = {
      ...{ externalId: "one", title: "Harbor", ownerEmail: ANN },
      ...{ startTime: "2026-01-05T10:00:00Z", endTime: "2026-01-05T10:30:00Z" },
      transcript: [{ speakerId: "s", speakerName: "Zoë", start: 65, end: 70, text: SAID }],
    };
    await writeFile(file, JSON.stringify(meeting));
    await installation.json("import", file);
  });
  afterAll(async () => {
    await installation.close();
    model.close();
  });
  const ask = async () => {
    const { code, stdout, stderr } = await installation.run(...ASK);
    expect(code).toBe(0);
    return { lines: stdout.trimEnd().split("\n"), notes: stderr };
  };

  test("prints the model's sentences with their verified quotes, drops others, and ends at the day's limit", async () => {
    const claim = (sentence: string, quote: string) => JSON.stringify({ turn: 1, quote, sentence });
    model.script((write) => {
      write(claim("A storm broke it.", "because the storm broke the lamp"));
      write(claim("Its lamp broke.", "closed because the lamp broke"));
    });
    const link = expect.stringMatching(
      /^ {2}Harbor \(2026-01-05\), Zoë at 1:05: closed because the lamp broke \[http:\/\/127\.0\.0\.1:\d+\/meetings\/\S+\?at=0\]$/,
    );
    expect((await ask()).lines).toEqual(["Its lamp broke.", link]);
    expect(await installation.json(...ASK)).toMatchObject({
      sentences: [{ text: "Its lamp broke.", quote: { text: "closed because the lamp broke" } }],
      ...{ isWritten: true, found: true, meetings: [{ turns: [{ text: SAID }] }] },
    });
    const limited = await ask();
    const quote = expect.stringContaining(`Zoë at 1:05: ${SAID} [http://127.0.0.1:`);
    expect(limited.lines).toEqual(["Harbor (2026-01-05)", quote]);
    expect(limited.notes).toContain("answers by the model are used up");
    expect(model.asked).toHaveLength(2);
  });
});
