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
