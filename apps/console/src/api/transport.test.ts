import { expect, test } from "vitest";
import { readErrorMessage } from "./transport";

test.each<[unknown, number, string]>([
  [{ error: "Meeting not found" }, 404, "Meeting not found"],
  [{ error: "Wait until X-RateLimit-Reset." }, 429, "Too many requests. Try again in 7 s."],
  [null, 413, "A proxy in front of the server refuses files of this size. Your admin can raise its limit."],
  [{ error: "The file is too large." }, 413, "The file is too large."],
  [null, 418, "The server answered with status 418."],
])("the message of %j with status %i", (body, status, message) => {
  expect(readErrorMessage(body, status, 7)).toBe(message);
});
