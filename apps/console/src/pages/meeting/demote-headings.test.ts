import { expect, test } from "vitest";
import { demoteHeadings } from "./demote-headings";

test("a summary's headings are below the page's h1 and the section's h2", () => {
  expect(demoteHeadings("<h1>Plan</h1><p>&lt;h1&gt;</p><h2>Next</h2><h5>a</h5><h6>b</h6><hr />")).toBe(
    "<h3>Plan</h3><p>&lt;h1&gt;</p><h4>Next</h4><h6>a</h6><h6>b</h6><hr />",
  );
});
