import { anyCharacter } from "@minutes/testing/any-character";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "./render-markdown.js";
import { renderSummary } from "./render-summary.js";

const summaryHtml = (text: string) => renderMarkdown(text).html;
const shortSummary = (text: string) => renderMarkdown(text).short;

/** Based on OWASP's filter evasion list. */
const ATTACKS = [
  "<script>alert(1)</script>",
  "<SCRIPT SRC=//xss.example/xss.js></SCRIPT>",
  "<ScRiPt>alert(1)</sCrIpT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<img src=x onerror=alert(1)>",
  "<IMG SRC=javascript:alert(1)>",
  "<IMG SRC=`javascript:alert(1)`>",
  '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
  "<img src=x:alert(1) onerror=eval(src)>",
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<math><mtext></mtext><script>alert(1)</script></math>",
  "<body onload=alert(1)>",
  "<iframe src=javascript:alert(1)></iframe>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data=javascript:alert(1)></object>",
  "<embed src=data:text/html;base64,PHNjcmlwdD4=>",
  "<form action=javascript:alert(1)><button>x</button></form>",
  "<input onfocus=alert(1) autofocus>",
  "<link rel=stylesheet href=javascript:alert(1)>",
  "<style>@import 'javascript:alert(1)';</style>",
  "<div style='background:url(javascript:alert(1))'>x</div>",
  "<base href='javascript:alert(1)//'>",
  "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
  "<template><script>alert(1)</script></template>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
  "<!--<img src='--><img src=x onerror=alert(1)//'>",
  "<a href=javascript:alert(1)>x</a>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:msgbox(1))",
  "[x](file:///etc/passwd)",
  '[x](http://x.example "onmouseover=alert(1)")',
  '[x](http://x.example/"onmouseover="alert(1))',
  "[x]( javascript:alert(1))",
  "[x](//evil.example)",
  "![x](javascript:alert(1))",
  "![x](http://tracker.example/pixel.png)",
  '![x](x"onerror="alert(1))',
  "<javascript:alert(1)>",
  "<http://x.example/<script>alert(1)</script>>",
  "[x]: javascript:alert(1)\n\n[x]",
  "`<script>alert(1)</script>`",
  "```html\n<script>alert(1)</script>\n```",
  '```"><script>alert(1)</script>\nx\n```',
  "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
  "# <svg/onload=alert(1)>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&#60;script&#62;alert(1)&#60;/script&#62;",
  "\u0000<script>alert(1)</script>",
  "<\u0000script>alert(1)</script>",
  "＜script＞alert(1)＜/script＞",
];

const TAG = /<\/?([a-z0-9]+)((?:\s+[a-z]+="[^"<>]*")*)\s*\/?>/g;
const PLAIN_TAGS =
  "h1 h2 h3 h4 h5 h6 p br hr strong em s code pre blockquote ul ol li a table thead tbody tr th td".split(
    " ",
  );

/** Returns the protocol a browser would use from a page at https://page.example. Null for URLs it can't parse. */
function protocolOf(href: string): string {
  const url = href.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  return URL.canParse(url, "https://page.example") ? new URL(url, "https://page.example").protocol : "https:";
}

/** Lists everything in the HTML except harmless tags and text. */
function dangers(html: string): string[] {
  const found: string[] = [];
  const rest = html.replace(TAG, (whole, name: string, attributes: string) => {
    if (!PLAIN_TAGS.includes(name)) found.push(whole);
    for (const [, attribute, value = ""] of attributes.matchAll(/([a-z]+)="([^"]*)"/g)) {
      if (attribute === "href" && !["http:", "https:", "mailto:"].includes(protocolOf(value)))
        found.push(whole);
      if (attribute === "href" && /^\s*\/\//.test(value)) found.push(whole);
      if (!["href", "title", "start"].includes(attribute ?? "")) found.push(whole);
    }
    return "";
  });
  if (/[<>]/.test(rest.replaceAll("&gt;", "").replaceAll("&lt;", ""))) found.push(rest);
  return found;
}

describe("a summary's HTML", () => {
  test.each(ATTACKS)("contains nothing dangerous from %j", (attack) => {
    for (const text of [attack, `Text ${attack} text`, `- ${attack}`, `> ${attack}`, `**${attack}**`])
      expect(dangers(summaryHtml(text))).toEqual([]);
  });

  test("contains nothing dangerous from 6,000 random inputs", () => {
    const parts = fc.array(
      fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "`",
        "](",
        "[",
        ")",
        "script",
        "javascript:",
        "onload=",
        "&#",
        "\n",
        "a",
        "!",
      ),
    );
    const text = fc.oneof(
      parts.map((all) => all.join("")),
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc
        .tuple(fc.constantFrom(...ATTACKS), fc.constantFrom(...ATTACKS), fc.nat(40))
        .map(([one, other, at]) => one.slice(0, at) + other + one.slice(at)),
    );
    fc.assert(
      fc.property(text, (input) => dangers(summaryHtml(input)).length === 0),
      { numRuns: 6_000 },
    );
  });

  test("does not nest emphasis endlessly: it is shown as written", () => {
    const depth = 80_000;
    const html = summaryHtml(`${" *a".repeat(depth)}${"a* ".repeat(depth)}`);
    const marks = html.match(/<em>/g)?.length ?? 0;
    expect(marks).toBeGreaterThan(10);
    expect(marks).toBeLessThan(100);
    expect(html.match(/<\/em>/g)).toHaveLength(marks);
    expect(html.match(/\*/g)).toHaveLength(2 * (depth - marks));
    expect(summaryHtml("***a** b*")).toBe("<p><em><strong>a</strong> b</em></p>");
  });

  test("keeps the meaning of Markdown", () => {
    const html = summaryHtml(
      "# Head\n\n- **bold** *em* `code`\n\n[link](https://x.example)\n\n| a |\n|---|\n| b |",
    );
    for (const part of [
      "<h1>Head</h1>",
      "<strong>bold</strong>",
      "<em>em</em>",
      "<code>code</code>",
      "<td>b</td>",
    ])
      expect(html).toContain(part);
    expect(html).toContain('<a href="https://x.example">link</a>');
  });
});

describe("a short summary", () => {
  test.each([
    ["the first sentence of the text", "# Head\n\nWe agreed. Then lunch.", "We agreed."],
    ["without marks", "We **agreed** on [this](https://x.example).", "We agreed on this."],
    ["with the characters that were meant", "A < B & C > D.", "A < B & C > D."],
    ["all of it when it has no end", "No end here", "No end here"],
    ["nothing for nothing", "", ""],
    ["nothing for only a heading", "# Head", ""],
  ])("is %s", (_name, text, short) => {
    expect(shortSummary(text)).toBe(short);
  });

  test("is one well-formed line of at most about 200 characters", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600, unit: anyCharacter }), (text) => {
        const short = shortSummary(text);
        expect(short).not.toMatch(/\n/);
        expect(short.isWellFormed()).toBe(true);
        expect(short.length).toBeLessThanOrEqual(201);
      }),
    );
  });
});

describe("a long summary", () => {
  const long = `# Head\n\n${"We **agreed** on this. ".repeat(1_000)}`;

  test("is rendered in a thread, with the same result as a short one", async () => {
    expect(await renderSummary({ markdown: long })).toEqual({
      ...{ markdown: long, origin: null },
      ...renderMarkdown(long),
    });
    const [one, other] = await Promise.all([
      renderSummary({ markdown: long, short: "Ours." }),
      renderSummary({ markdown: `${long}\n\nMore.` }),
    ]);
    expect(one.short).toBe("Ours.");
    expect(other.html).toContain("More.");
  });

  test("leaves the event loop free while it is rendered", async () => {
    const hostile = "![".repeat(60_000);
    await renderSummary({ markdown: long }); // starts the thread
    let turns = 0;
    const count = setInterval(() => turns++, 1);
    const begun = performance.now();
    await renderSummary({ markdown: hostile });
    clearInterval(count);
    // A blocked loop gets a single turn. How many turns an unblocked one gets depends on the machine.
    expect(turns).toBeGreaterThan(Math.min(20, (performance.now() - begun) / 20));
  });

  test("of more than 131,072 characters is shown as written", async () => {
    const { html, short } = await renderSummary({ markdown: `<b>A</b> & B. C. ${"x".repeat(140_000)}` });
    expect(html.startsWith("<pre>&lt;b&gt;A&lt;/b&gt; &amp; B. C. xxx")).toBe(true);
    expect(short).toBe("<b>A</b> & B.");
  });

  test("is not a table if it would have too many cells for a page", () => {
    const wide = `${"a|".repeat(200)}\n${"-|".repeat(200)}\n${"a\n".repeat(1_500)}`;
    expect(summaryHtml(wide)).not.toContain("<table>");
    expect(summaryHtml("a|b\n-|-\n1|2\n")).toContain("<td>2</td>");
  });
});
