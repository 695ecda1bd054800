import { describeAction } from "@minutes/contract/audit-actions";
import { expect, test } from "vitest";
import { describeTarget } from "./actions";

test.each([
  ["a thing is shown by its name", "mtg_4fVq", "Budget", "Budget"],
  [
    "a session is shown by its browser",
    "ses_1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Firefox on Linux",
  ],
  ["a thing without a name is shown by its kind", "mtg_4fVq", null, "A meeting"],
  ["a network is shown as it is", "192.0.2.0/24", null, "192.0.2.0/24"],
  ["a newer server's kind is shown by its ID", "bot_1", null, "bot_1"],
])("%s", (_, object, objectName, shown) => expect(describeTarget({ object, objectName })).toBe(shown));

test.each([
  ["a departure", "member.leave", "usr_a", "Left the workspace"],
  ["a removal", "member.leave", "operator", "Removed from the workspace"],
  ["a move by the operator", "member.join", "operator", "Added to the workspace"],
  ["a deletion", "meeting.delete", "usr_b", "Deleted a meeting"],
  ["a rule with its days", "retention.set.30", "usr_b", "Set a retention rule: 30 days"],
  ["a rule of an older server", "retention.set", "usr_b", "Set a retention rule"],
  ["a newer server's action", "bot.start.30", "usr_b", "bot.start.30"],
])("%s has its own words", (_, action, actor, words) =>
  expect(describeAction({ action, actor, object: "usr_a" })).toBe(words),
);
