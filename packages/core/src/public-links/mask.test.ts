import { describe, expect, test } from "vitest";
import { createMask, type MaskedPeople } from "./mask.js";
import { maskHtml } from "./mask-html.js";

const shown = createMask(null);

describe("addresses are hidden in every text", () => {
  test.each([
    "anna@example.com",
    "Anna.B+x@mail.example.co.uk",
    "änna@exämple.de",
    '"anna b"@example.com',
    "anna@[192.0.2.1]",
    "anna＠example.com",
    "anna%40example.com",
    "anna@localhost",
    "anna @ example.com",
    "anna (at) example (dot) com",
    "anna [at] example.com",
    "anna at example dot com",
    "anna at example.com",
    "anna dot b at example dot com",
    "anna  @  example.com",
    "anna\n@example.com",
    "anna@example。com",
    "anna@\u200eexample.com",
    "an\u200cna\u200d@exam\u2066ple.com",
    "anna@exa\u200bmple.com",
    "anna\u00ad@example.com",
  ])("%s", (address) => {
    expect(shown.text(`Write to ${address}, or don't.`)).toMatch(
      /^Write to \[address hidden\](?:, or don't\.)$/,
    );
  });

  test.each([
    "anna.b+private@kestrel.test",
    "conan.o'brien@halden.example",
    "pat.lee@mail.example",
    "pat.lee@mail.example@kestrel.test",
  ])('%s is hidden as a whole after "at"', (address) => {
    expect(shown.text(`Reach Ben at ${address} today`)).toBe("Reach Ben at [address hidden] today");
  });

  test.each([
    ["john.doe at example.com,jane@example.org", "[address hidden],[address hidden]"],
    ["john.doe at gmail.com<jane@gmail.com>", "[address hidden]<[address hidden]>"],
    ["anna.lee at corp.example,@ben", "[address hidden],@ben"],
  ])('an address with " at " is hidden beside another one: %s', (text, masked) => {
    expect(shown.text(text)).toBe(masked);
  });

  test("a name before an address leaves no part of the address visible", () => {
    const mask = createMask({ speakers: [{ label: "s1", name: "Ann Lee" }], others: [] });
    expect(mask.text("Write to Ann Lee@kestrel.test or Ann Lee at kestrel.test")).not.toMatch(
      /ann|lee|kestrel/i,
    );
  });

  test("what only looks like one stays", () => {
    for (const text of [
      "We meet at noon.",
      "@anna",
      "5 @ 3 each",
      "Look at this dot. Com",
      "👩‍💻 at 10.30 ☀️",
    ])
      expect(shown.text(text)).toBe(text);
  });
});

describe("telephone numbers are hidden in every text", () => {
  test.each([
    "+49 30 1234567",
    "0049-30-123-4567",
    "(555) 123-4567",
    "555.123.4567",
    "555,123,4567",
    "+49\u200e170\u200e1234567",
    "5551234567",
    "+1 (555) 123‑4567",
    "612.345.678",
    "٠٥٠١٢٣٤٥٦٧",
    "030 / 12 34 56 78",
  ])("%s", (number) => {
    expect(shown.text(`Call ${number} now`)).toBe("Call [number hidden] now");
  });

  test("dates, times, years, short numbers and amounts stay", () => {
    for (const text of [
      "on 2026-11-28",
      "on 2026-11-28 10:00",
      "28.11.2026",
      "11/28/26",
      "2019-2023",
      "10.00 - 11.30",
      "room 1234",
      "1,000,000 users",
      "1.250.000 €",
      "EUR 1 250 000",
      "from 9 to 5",
    ])
      expect(shown.text(text)).toBe(text);
  });
});

describe("names", () => {
  const people: MaskedPeople = {
    speakers: [
      { label: "s1", name: "Anna Berger" },
      { label: "s2", name: "Ben O'Hara (Sales)" },
      { label: "s3", name: "张伟" },
      { label: "s4", name: "Speaker 1" },
      { label: "s5", name: "Anna Cole" },
      { label: "s6", name: "zoe" },
      { label: "s7", name: "Doe, John" },
      { label: "s8", name: "MARIA LOPEZ" },
      { label: "s9", name: "Kim Park, Sales" },
      { label: "s10", name: "Ed Hall", otherNames: ["Edward Hallström", "Ed"] },
    ],
    others: ["Dora Diaz", "Anna Berger", "will"],
  };
  const mask = createMask(people);

  test.each([
    ["Anna Berger's plan", "Speaker 1's plan"],
    ["ANNA  BERGER and anna berger", "Speaker 1 and Speaker 1"],
    ["Berger, then Cole", "Speaker 1, then Speaker 5"],
    ["Anna agrees", "Speaker 1 or Speaker 5 agrees"],
    ["Ben O’Hara left Sales", "Speaker 2 left Sales"],
    ["Annabel and Bergerac", "Annabel and Bergerac"],
    ["我们问张伟了", "我们问Speaker 3了"],
    ["Speaker 1 spoke", "Speaker 4 spoke"],
    ["Ask Dora Diaz or Diaz", "Ask Person 1 or Person 1"],
    ["Zoe and ZOE", "Speaker 6 and Speaker 6"],
    ["John said; John Doe and Doe, John", "Speaker 7 said; Speaker 7 and Speaker 7"],
    ["Maria or Lopez and MARIA", "Speaker 8 or Speaker 8 and Speaker 8"],
    ["Kim left Sales", "Speaker 9 left Sales"],
    [
      "Ed asked Edward Hallström, EDWARD or Hallström",
      "Speaker 10 asked Speaker 10, Speaker 10 or Speaker 10",
    ],
    ["Anna Berger <anna.berger@example.com>", "Speaker 1 <[address hidden]>"],
    ["Anna\u0301", "Anna\u0301".normalize("NFC")],
  ])("%s", (text, expected) => {
    expect(mask.text(text)).toBe(expected);
  });

  test("are masked by label, by name, or as somebody", () => {
    expect([mask.name("Anna Cole", "s5"), mask.name("dora diaz", null), mask.name("New", null)]).toEqual([
      ...["Speaker 5", "Person 1", "Somebody"],
    ]);
    expect(shown.name("anna@example.com", "s1")).toBe("[address hidden]");
  });
});

describe("a rendered summary", () => {
  test("an address, number or name that goes through several elements is hidden", () => {
    const mask = createMask({ speakers: [{ label: "a", name: "Anna Berger" }], others: [] });
    const html =
      "<p>Ask <strong>Anna</strong> <em>Berger</em>: an<b>na@exam</b>ple<strong>.com</strong>, +49 <code>30</code>\n12345 &amp; 67.</p><p>A&amp;B &lt;tag&gt;</p>";
    expect(maskHtml(html, mask)).toBe(
      "<p>Ask <strong>Speaker 1</strong><em></em>: [address hidden]<strong></strong>, [number hidden]<code></code> &amp; 67.</p><p>A&amp;B &lt;tag&gt;</p>",
    );
  });

  test("only bare elements of a summary are left, and attributes go with what they hide", () => {
    const html =
      '<h1 onclick="x()">T</h1><a href="mailto:anna@example.com" title="+49 30 1234567">Mail</a><script>alert(1)</script><ol start="3"><li>a</li></ol><img src=x onerror=x><p style="a">&#60;b&#x3e;';
    expect(maskHtml(html, shown)).toBe("<h1>T</h1>Mailalert(1)<ol><li>a</li></ol><p>&lt;b&gt;");
  });

  test("numbers in different cells are different numbers", () => {
    const html = "<table><tr><td>1234</td><td>5678</td></tr></table>";
    expect(maskHtml(html, shown)).toBe(html);
  });
});

test("the work on a text is in proportion to its length", () => {
  const mask = createMask({
    speakers: Array.from({ length: 500 }, (_, at) => ({ label: `s${at}`, name: `Anna ${"x".repeat(at)}` })),
    others: [],
  });
  const signs = `${"a".repeat(150)}  ${"@".repeat(150)}`;
  for (const text of [
    "a",
    "@",
    "1 ",
    "<",
    "Anna ",
    "a@",
    "a%40",
    "at ",
    "a dot ",
    " dot ",
    "+",
    "张",
    "&#",
    signs,
  ]) {
    const long = text.repeat(200_000 / text.length);
    expect(mask.text(long).length + maskHtml(long, mask).length).toBeGreaterThan(0);
  }
});
