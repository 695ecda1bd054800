import { expect, test } from "vitest";
import { demoteHeadings, dropRepeatedTitle, fitSummary } from "./demote-headings";

test("a summary's headings are below the page's h1 and the section's h2", () => {
  expect(demoteHeadings("<h1>Plan</h1><p>&lt;h1&gt;</p><h2>Next</h2><h5>a</h5><h6>b</h6><hr />")).toBe(
    "<h3>Plan</h3><p>&lt;h1&gt;</p><h4>Next</h4><h6>a</h6><h6>b</h6><hr />",
  );
});

test("a summary that begins with a lower heading skips no level", () => {
  expect(demoteHeadings("<h2>Turbines</h2><h3>Late</h3>")).toBe("<h3>Turbines</h3><h4>Late</h4>");
  expect(demoteHeadings("<p>None</p>")).toBe("<p>None</p>");
});

test.each(['Q&A: "Turbines"', "Summary", "summary:", "<em>Summary</em>", 'Q&A: "turbines".'])(
  "a first heading of %s is not repeated below the page's own",
  (heading) => {
    const written = heading.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const title = 'Q&A: "Turbines"';
    expect(dropRepeatedTitle(`<h2>${written}</h2>\n<p>Late.</p>`, title)).toBe("<p>Late.</p>");
    expect(dropRepeatedTitle(`<p>Late.</p><h2>${written}</h2>`, title)).toContain(written);
  },
);

test("a first heading that says something else stays", () => {
  for (const html of ["<h1>Turbines</h1><p>a</p>", "<p>a</p>", ""])
    expect(dropRepeatedTitle(html, "Plan")).toBe(html);
});

test("`[ ]` and `[x]` at the start of list items become checkbox characters", () => {
  const html = "<ul><li>[ ] a [x] b</li><li>\n<p>[x] c</p></li></ul><p>[ ] d</p>";
  expect(fitSummary(html, "Plan")).toBe(
    '<ul dir="auto"><li>☐ a [x] b</li><li>\n<p>☑ c</p></li></ul><p dir="auto">[ ] d</p>',
  );
});

test("each block runs in the direction of its text, and the items of a list as one", () => {
  expect(fitSummary('<p>a</p><ol start="2"><li>\n<p>b</p>\n</li></ol><pre>c</pre>', "Plan")).toBe(
    '<p dir="auto">a</p><ol dir="auto" start="2"><li>\n<p>b</p>\n</li></ol><pre>c</pre>',
  );
});
