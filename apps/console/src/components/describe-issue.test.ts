import { IdentityInput, RetentionInput, TagMeeting } from "@minutes/contract";
import { expect, test } from "vitest";
import type { z } from "zod";
import { describeIssue } from "./describe-issue";

/** Describes the first issue of a value in a field, with otherwise valid input. */
function describe(schema: z.ZodType, field: string, value: unknown, others: object): string | undefined {
  const issues = schema.safeParse({ ...others, [field]: value }).error?.issues;
  const issue = issues?.find(({ path }) => path[0] === field);
  return issue && describeIssue(issue, value);
}

const person = {
  token: "mse_x",
  workspaceName: "Acme",
  name: "Ann",
  email: "a@b.example",
  password: "long enough to use",
};

test.each([
  ["email", "", "Fill in this field."],
  ["email", "ann", "Enter an e-mail address, such as name@example.com."],
  ["name", "   ", "Fill in this field."],
  ["workspaceName", "x".repeat(5000), /^Enter at most [\d,]+ characters\.$/],
  ["password", "short", /^Enter 12 to [\d,]+ characters\.$/],
])("set-up: %s %j", (field, value, text) => {
  expect(describe(IdentityInput.setup, field, value, person)).toMatch(text);
});

test.each([
  [0, "Enter 1 or more."],
  [40_000, "Enter at most 36,500."],
  [1.5, "Enter a whole number."],
  [Number.NaN, "Enter a number."],
])("a number of days: %d", (days, text) => {
  expect(describe(RetentionInput.rule, "days", days, {})).toBe(text);
});

test("no sentence names a field of the API", () => {
  const tag = describe(TagMeeting, "name", "x".repeat(5000), { meetingId: "mtg_1" });
  expect(tag).toMatch(/^Enter at most [\d,]+ characters\.$/);
});
