import { expect, test } from "vitest";
import { toCommand, toOperatorCommand } from "./command.js";
import { parseConfig } from "./config.js";

test("the command is the setting's, or pnpm's in a clone", () => {
  expect(toCommand({ MINUTES_COMMAND: "docker exec minutes minutes" })).toBe("docker exec minutes minutes");
  expect(toCommand({ MINUTES_COMMAND: undefined })).toBe("npx -y pnpm@10 minutes");
});

test.each([
  [{}, "npx -y pnpm@10 minutes"],
  [{ DATA_DIR: "./data" }, "npx -y pnpm@10 minutes"],
  [{ DATA_DIR: "/srv/minutes" }, "DATA_DIR=/srv/minutes npx -y pnpm@10 minutes"],
  [{ DATA_DIR: "/srv/Anna's data" }, "DATA_DIR='/srv/Anna'\\''s data' npx -y pnpm@10 minutes"],
  [{ DATA_DIR: "/srv/minutes", MINUTES_COMMAND: "in-a-container minutes" }, "in-a-container minutes"],
  [
    { DATA_DIR: "/srv/minutes", DATABASE_URL: "postgres://u:secret@host/minutes" },
    "DATABASE_URL=… npx -y pnpm@10 minutes",
  ],
  [
    { DATABASE_URL: "postgres://u:secret@host/m", MINUTES_COMMAND: "in-a-container minutes" },
    "in-a-container minutes",
  ],
])("printed for the operator with %j: %s", (settings, command) => {
  expect(toOperatorCommand(parseConfig(settings))).toBe(command);
});
