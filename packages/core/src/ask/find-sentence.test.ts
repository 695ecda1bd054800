import { expect, test } from "vitest";
import { findSentence } from "./find-sentence.js";

const turn = (position: number, speakerName: string, startSeconds: number | null = position * 10) => ({
  position,
  speakerName,
  startSeconds,
});

test("the sentence with the most words of the query is found, in any form, with its turn", () => {
  const text =
    "Ada: Welcome. What about alarms?\nBen: It was late. The alarm rang twice at night. Then I left.";
  expect(findSentence({ text, segments: [turn(4, "Ada"), turn(5, "Ben")] }, "which alarms rang?")).toEqual({
    ...{ sentence: "The alarm rang twice at night.", position: 5, speakerName: "Ben", startSeconds: 50 },
  });
});

test("of a passage without the query's words, a sentence with a similar one is found, else the longest", () => {
  const text = "Ben: Okay.\nAda: Right. The vendor raised it. Can we even pay for all of that?";
  const segments = [turn(0, "Ben", null), turn(1, "Ada", null)];
  expect(findSentence({ text, segments }, "seller")).toEqual({
    ...{ sentence: "The vendor raised it.", position: 1, speakerName: "Ada", startSeconds: null },
  });
  expect(findSentence({ text, segments }, "zeppelin").sentence).toBe("Can we even pay for all of that?");
  const exact = findSentence({ text: `${text} The seller left.`, segments }, "seller");
  expect(exact.sentence).toBe("The seller left.");
});

test("a summary has no turn, and a passage whose lines aren't its turns has its first one", () => {
  const summary = findSentence({ text: "Review\nThe alarm is loud.", segments: [] }, "alarm");
  expect(summary).toEqual({
    ...{ sentence: "The alarm is loud.", position: null, speakerName: null, startSeconds: null },
  });
  const lines = findSentence({ text: "Ada: One.\nAlarm.", segments: [turn(3, "Ada")] }, "alarm");
  expect(lines).toMatchObject({ sentence: "Alarm.", position: 3 });
});
