import { basename } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findUnknownField, type MeetingContent, TEMPLATE, toFileName, toMarkdown } from "./meeting-file.js";

const PLACE = { url: "https://minutes.test", timeZone: "UTC" };
const meeting = (facts: Partial<MeetingContent> = {}): MeetingContent => ({
  id: "mtg_1",
  title: "Plan",
  startTime: "2026-03-14T23:30:00.000Z",
  ...facts,
});
const readFrontMatter = (text: string) => parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? "");

const NAME = /^2026-03-14 [^ .][\p{L}\p{M}\p{N}.,()&+'!_ -]*\.md$/u;

test("whatever a title contains, its file's name is one that every system accepts, in the folder", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 1, max: 99 }),
      (title, number) => {
        const file = toFileName(meeting({ title }), "UTC", number);
        expect(basename(file)).toBe(file);
        expect(file).toMatch(NAME);
        expect(Buffer.byteLength(file)).toBeLessThanOrEqual(143);
        expect(file).not.toMatch(/[ ]\.md$|[ ]{2}/);
      },
    ),
  );
});

test.each([
  ["../../etc/passwd", "etc passwd"],
  ["..\\..\\boot.ini", "boot.ini"],
  ["Review: a/b?", "Review a b"],
  ["CON", "CON"],
  ["  ...  ", "Untitled"],
  ["\u0000\u202e", "Untitled"],
  ["[[Budget]] #2 ^x", "Budget 2 x"],
  ["会議".repeat(100), `${"会議".repeat(18)}`],
  ["Größe + Übergabe (v2)", "Größe + Übergabe (v2)"],
])("the title %j is named %j", (title, name) => {
  expect(toFileName(meeting({ title }), "UTC", 1)).toBe(`2026-03-14 ${name}.md`);
});

test("front matter is YAML that gives exactly what the meeting has, whatever that is", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 3 }), (title, content, names) => {
      const participants = names.map((name) => ({ id: "per_1", name, email: null }));
      const tasks = [{ content, completed: true, assignee: null }];
      const front = readFrontMatter(toMarkdown(TEMPLATE, meeting({ title, participants, tasks }), PLACE));
      expect(front).toMatchObject({ id: "mtg_1", title, people: names });
      expect(front.tasks).toHaveLength(1);
    }),
  );
});

test("days and times are those of the time zone, with its offset", () => {
  const inTokyo = { ...PLACE, timeZone: "Asia/Tokyo" };
  expect(toFileName(meeting(), "Asia/Tokyo", 1)).toBe("2026-03-15 Plan.md");
  expect(readFrontMatter(toMarkdown(TEMPLATE, meeting(), inTokyo)).date).toBe("2026-03-15T08:30:00+09:00");
  expect(readFrontMatter(toMarkdown(TEMPLATE, meeting(), PLACE)).date).toBe("2026-03-14T23:30:00+00:00");
});

test("a template's sections are left out when empty, and values are never read as a template", () => {
  const template =
    "---\nt: {{title}}\n---\n{{title}}\n{{#tasks}}\n## To do\n{{tasks}}\n{{/tasks}}\n{{#tags}}\nTags: {{tags}}\n{{/tags}}\n";
  const tasks = [{ content: "{{id}}\n{{#tags}}", completed: false, assignee: { name: "Ben", email: null } }];
  const tags = [{ name: "Q3 plan", color: "#112233" }];
  const written = toMarkdown(template, meeting({ title: "$& {{id}}", tasks }), PLACE);
  expect(written).toBe('---\nt: "$& {{id}}"\n---\n$& {{id}}\n## To do\n- [ ] {{id}} {{#tags}} (Ben)\n');
  expect(toMarkdown(template, meeting({ tags }), PLACE)).toBe('---\nt: "Plan"\n---\nPlan\nTags: Q3-plan\n');
  expect(findUnknownField(TEMPLATE)).toBeNull();
  expect(findUnknownField("{{title}} {{#titel}}")).toBe("titel");
});
