import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeAction, describeTarget } from "./actions";

const CORE = fileURLToPath(new URL("../../../../../packages/core/src/", import.meta.url));

/** Returns the actions that the server's calls of `audit` name. */
const readActions = () =>
  readdirSync(CORE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .flatMap((name) => [
      ...readFileSync(`${CORE}/${name}`, "utf8").matchAll(/\baudit\([^;`]*?, "([a-z-]+\.[a-z.-]+)"/g),
    ])
    .map(([, action = ""]) => action);

test("every action of the log has words", () => {
  const actions = readActions();
  expect(actions.length).toBeGreaterThan(40);
  expect(actions.filter((action) => describeAction(action) === action)).toEqual([]);
});

test("an action of a newer server is shown by its code", () => {
  expect(describeAction("robot.wave")).toBe("robot.wave");
});

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
