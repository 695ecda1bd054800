import { expect, test } from "vitest";
import { toCommand } from "./command.js";

test("the command is the setting's, or pnpm's in a clone", () => {
  expect(toCommand({ MINUTES_COMMAND: "docker exec minutes minutes" })).toBe("docker exec minutes minutes");
  expect(toCommand({ MINUTES_COMMAND: undefined })).toBe("npx -y pnpm@10 minutes");
});
