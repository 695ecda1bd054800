import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "@minutes/contract";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";
import { summarise } from "./search.js";

const ANN = "ann@example.com";

test("as many results as are shown at most are no count", () => {
  const results = (length: number) => Array.from({ length }, () => ({ relevance: "match" as const }));
  expect(summarise(results(LIMITS.searchResults - 1))).toBe("39 matches.");
  expect(summarise(results(LIMITS.searchResults))).toBe("The best 40 results: 40 matches.");
});

describe("minutes search", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  beforeAll(async () => {
    installation = await openInstallation({ EMBEDDINGS: "off" });
    await installation.json("users", "create", ANN);
    const file = join(installation.dataDir, "meeting.json");
    const said = (start: number, text: string) => ({
      ...{ speakerId: "s", speakerName: "Zoë", start, end: start + 5, text },
    });
    const meeting = {
      ...{ externalId: "one", title: "Harbor", ownerEmail: ANN },
      ...{ startTime: "2026-01-05T10:00:00Z", endTime: "2026-01-05T10:30:00Z" },
      transcript: [
        said(5, "Good morning."),
        said(65, "It rained. The lighthouse is closed because the lamp broke. I stayed."),
      ],
    };
    await writeFile(file, JSON.stringify(meeting));
    await installation.json("import", file);
  });
  afterAll(() => installation.close());
  const search = async (query: string, ...options: string[]) => {
    const { code, stdout, stderr } = await installation.run(
      ...["search", ANN, query, "--from", "2026-01-01", ...options],
    );
    expect(code).toBe(0);
    return { lines: stdout.trimEnd().split("\n"), notes: stderr };
  };

  test("prints each meeting with its ID, and below it the time, the mark and the sentence found", async () => {
    const { lines, notes } = await search("why do lighthouses close");
    expect(lines).toEqual([
      expect.stringMatching(/^mtg_\w+ {2}2026-01-05 {2}Harbor$/),
      "   1:05  match    Zoë: The lighthouse is closed because the lamp broke.",
    ]);
    expect(notes).toContain("1 match.");
  });

  test("says that nothing matches or that nothing was found; --explain has the marks", async () => {
    const weak = await search("lamp quokka tangerine flugelhorn xylograph zeppelin ukulele");
    expect(weak.lines[1]).toMatch(/^ {3}1:05 {2}related {2}Zoë: The lighthouse is closed/);
    expect(weak.notes).toContain("None is a match: they may be about something else.");
    const nothing = await search("quokka");
    expect([nothing.lines, nothing.notes]).toEqual([[""], expect.stringContaining("Nothing was found.")]);
    const explained = await search("lamp", "--explain");
    expect(explained.lines[1]).toMatch(/ match +2026-01-05 +Harbor +Zoë: The lighthouse is closed/);
  });

  test("--json has the whole passages with turns, scores, marks and the sentence found", async () => {
    const found = await installation.json("search", ANN, "lamp", "--from", "2026-01-01");
    expect(found).toMatchObject({
      byMeaning: false,
      chunks: [
        {
          ...{ meetingTitle: "Harbor", relevance: "match", coverage: expect.any(Number) },
          ...{ segments: [{ position: 0 }, { position: 1 }], text: expect.stringContaining("Good morning.") },
          found: { position: 1, speakerName: "Zoë", startSeconds: 65 },
        },
      ],
    });
  });
});
