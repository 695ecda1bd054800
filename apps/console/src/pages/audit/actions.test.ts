import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeAction } from "./actions";

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
