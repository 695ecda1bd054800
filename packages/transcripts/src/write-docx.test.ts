import { unzipSync } from "fflate";
import { Parser } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { readDocx } from "./docx.js";
import { readFile, toSegments } from "./index.js";
import type { StoredTurn } from "./write.js";
import { type DocumentMeeting, writeDocx } from "./write-docx.js";

const meeting: DocumentMeeting = {
  title: "Kiln review",
  when: "2026-03-01 10:00 UTC",
  user: { id: "usr_1", email: "ada@kiln.example" },
  summary: { markdown: "", html: "", short: "" },
  tasks: [],
  tags: [],
};
const withSummary = (html: string): DocumentMeeting => ({
  ...meeting,
  summary: { ...meeting.summary, html },
});
const say = (speaker: string, text: string, start: number | null = null): StoredTurn => ({
  ...{ speaker, text, start, end: null },
});

/** Returns the lines of a document. */
const readLines = async (...document: Parameters<typeof writeDocx>) =>
  ((await readDocx(writeDocx(...document))) ?? "").split("\n").filter((line) => line !== "");

/** Returns the paragraphs of a document's XML, and checks that all parts are well-formed. */
function readParagraphs(...document: Parameters<typeof writeDocx>): string[] {
  const parts = unzipSync(writeDocx(...document));
  const read = (name: string) => new TextDecoder("utf-8", { fatal: true }).decode(parts[name]);
  for (const name of Object.keys(parts)) {
    const open: string[] = [];
    const parser = new Parser(
      {
        onopentagname: (tag) => open.push(tag),
        onclosetag: (tag, implied) =>
          expect([open.pop(), implied && !read(name).includes(`<${tag}`)]).toEqual([tag, false]),
      },
      { xmlMode: true },
    );
    parser.end(read(name));
    expect(open, name).toEqual([]);
  }
  return read("word/document.xml").match(/<w:p>.*?<\/w:p>/gs) ?? [];
}

describe("a Word document", () => {
  test("has all that a meeting has, and times only where they are known", async () => {
    const whole: DocumentMeeting = {
      ...withSummary("<h1>Kiln review</h1>\n<p>We <strong>agree</strong>.</p>"),
      tasks: [
        { content: "Fire\nit", completed: false, assignee: { name: "Ben", email: null } },
        { content: "Clean it", completed: true, assignee: null },
      ],
      tags: [
        { name: "Kiln", color: "#2563EB" },
        { name: "Plan", color: "#2563EB" },
      ],
    };
    const turns = [say("Ada", "Hot.", 1.5), say("Ben", "Very.\nToo hot."), say("Ada", "Off!", 3725.25)];
    expect(await readLines(whole, turns)).toEqual([
      "Kiln review",
      "2026-03-01 10:00 UTC · Recorded by ada@kiln.example",
      "Tags: Kiln, Plan",
      ...["Summary", "We agree."],
      ...["Tasks", "☐ Fire it (Ben)", "☑ Clean it"],
      ...["Transcript", "Ada  0:01", "Hot.", "Ben", "Very.", "Too hot.", "Ada  1:02:05", "Off!"],
    ]);
    expect(await readLines(meeting, [])).toEqual([
      "Kiln review",
      "2026-03-01 10:00 UTC · Recorded by ada@kiln.example",
    ]);
  });

  test("can be imported again, with speakers and known times", async () => {
    const turns = Array.from({ length: 6 }, (_, at) =>
      say(at % 2 ? "Ben" : "Ada", `Sentence ${at}.`, at * 10),
    );
    const { meetings } = await readFile({ name: "kiln.docx", bytes: writeDocx(meeting, turns) });
    const [one] = meetings;
    if (!one || !("transcript" in one)) throw new Error(JSON.stringify(one));
    expect(
      toSegments(one.transcript.turns).map(({ speakerName, text, start }) => [speakerName, text, start]),
    ).toEqual(turns.map(({ speaker, text, start }) => [speaker, text, start]));
  });

  test("shows text as it is, without what XML can't contain", async () => {
    const hostile = "</w:t></w:p>&amp; ]]> <w:br/> \u0000\u0008\uFFFF\uD800 🏺 & 二番目";
    const shown = "</w:t></w:p>&amp; ]]> <w:br/>  🏺 & 二番目";
    const named = { ...withSummary("<p>&lt;/w:t&gt;&amp;amp;\u0001</p>"), title: hostile };
    readParagraphs(named, [say(hostile, hostile, 1)]);
    const lines = await readLines(named, [say(hostile, hostile, 1)]);
    expect(lines).toEqual(expect.arrayContaining([shown, "</w:t>&amp;", `${shown}  0:01`]));
    expect(lines.at(-1)).toBe(shown);
  });
});

describe("a summary", () => {
  const write = (html: string) => readParagraphs(withSummary(html), []).slice(3);

  test("keeps headings below its own, lists with levels and numbers, quotations, code, links and rows", async () => {
    const html =
      '<h2>Plan</h2><ul><li>One<ol start="3"><li><p>Three</p><p>still</p></li></ol></li><li>Two</li></ul>' +
      '<blockquote><p>Said</p></blockquote><pre><code>a\n  b\n</code></pre><p>See <a href="https://k.example">here</a><br>now</p>' +
      "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>";
    const [plan, one, three, still, two, quote, code, , head] = write(html);
    expect(plan).toContain('<w:pStyle w:val="Heading3"/>');
    expect(one).toContain('<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
    expect(three).toContain('<w:numPr><w:ilvl w:val="1"/><w:numId w:val="2"/></w:numPr>');
    expect(still).toContain('<w:ind w:left="1440"/>');
    expect(two).toContain('<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
    expect(quote).toContain('<w:pStyle w:val="Quote"/>');
    expect(code).toContain('<w:pStyle w:val="Code"/>');
    expect(head).toContain("<w:b/>");
    const parts = unzipSync(writeDocx(withSummary(html), []));
    expect(new TextDecoder().decode(parts["word/numbering.xml"])).toContain(
      '<w:num w:numId="2"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="1"><w:startOverride w:val="3"/></w:lvlOverride></w:num>',
    );
    expect((await readLines(withSummary(html), [])).slice(3)).toEqual([
      ...["Plan", "One", "Three", "still", "Two", "Said", "a", "  b", "See here (https://k.example)", "now"],
      ...["A\tB", "1\t2"],
    ]);
  });

  test("drops no text of elements that it doesn't know or that are nested deeply", async () => {
    const deep = `${"<ul><li>".repeat(200)}<aside>deep</aside>${"</li></ul>".repeat(200)}`;
    expect((await readLines(withSummary(deep), [])).slice(2)).toEqual(["Summary", "deep"]);
    readParagraphs(withSummary(`<p>open<strong>never</p><ol start="99999999999"><li>closed`), []);
  });
});
