import { describe, test } from "vitest";
import { expectParse } from "./testing/expect-parse.js";
import { FORMS } from "./testing/render.js";

describe("thousands of random meetings in every form are read with every speaker, word and time", () => {
  test.each(Object.entries(FORMS))("%s", async (_, form) => {
    await expectParse(form, 2_000);
  });
});
