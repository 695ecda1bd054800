import { createHash } from "node:crypto";
import { generateToken, settlePeople } from "@minutes/core";
import { schema } from "@minutes/db";
import {
  type Company,
  type Meeting,
  type MeetingFacts,
  openSignedInBrowser,
  type Person,
  readPayload,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.js";

const { people, publicLinks, rateWindows, signInAttempts, summaries } = schema;

let server: TestServer;
let company: Company;
let anna: Person;
let session: string;
beforeAll(async () => {
  server = await startTestServer({ accessLog: true, trustProxy: 1 });
  company = await server.given.company();
  anna = await server.given.member(company, { name: "Anna Berger" });
  session = await server.given.session(anna);
  await allow(true);
});
afterAll(() => server?.close());

const allow = async (allowed: boolean) =>
  readPayload(
    await server.call(await server.given.session(company.admin), "settings/publicLinks.allow", { allowed }),
  );

/** What must never be shown: addresses and numbers in every text and field. */
const SECRETS = ["anna.berger@example.com", "dora@example.org", "+49 30 1234567", "555-123-4567"];
const NAMES = ["Anna", "Berger", "Ben Cole", "Dora", "Diaz"];

const FACTS: MeetingFacts = {
  title: "Plan with Ben Cole, dora@example.org",
  startTime: "2025-03-14T09:30:00.000Z",
  endTime: "2025-03-14T10:45:00.000Z",
  summary: {
    markdown:
      "# Turbines\n\n**Anna** Berger calls [Dora Diaz](mailto:dora@example.org) at +49 30 **1234567**.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<script>alert(1)</script>",
    short: "Short dora@example.org",
  },
  transcript: [
    {
      ...{ speakerId: "s1", speakerName: "Anna Berger", speakerEmail: "anna.berger@example.com" },
      text: "Ben Cole, write to dora@example.org or 555-123-4567. <img src=x onerror=alert(1)>",
      ...{ start: 65, end: 70 },
    },
    { speakerId: "s2", speakerName: "Ben Cole", text: "Yes, ANNA BERGER." },
  ],
  tasks: [
    {
      ...{ text: "Call Dora Diaz, +49 30 1234567", due: "2025-03-20" },
      assignee: { name: "Dora Diaz", email: "dora@example.org" },
    },
    { text: "Done", completed: true, assignee: { name: "Ben Cole" } },
  ],
  tags: [{ name: "Secret tag" }],
  calendarEvent: {
    externalId: "evt",
    title: "Invisible event",
    attendees: [{ name: "Dora Diaz", email: "dora@example.org" }],
  },
};

const given = (facts: MeetingFacts = {}) => server.given.meeting(anna, { ...FACTS, ...facts });
const create = async ({ meetingId }: Meeting, facts: object = {}) =>
  readPayload<{ id: string; url: string }>(
    await server.call(session, "settings/publicLinks.create", { meetingId, ...facts }),
  );
let callers = 0;
/** Opens a link from an address of its own, as a browser of somebody outside does. */
const open = (
  url: string,
  { address = `198.51.100.${++callers % 250}`, ...init }: RequestInit & { address?: string } = {},
) =>
  fetch(server.url + new URL(url, "http://localhost").pathname, {
    ...init,
    headers: { "x-forwarded-for": address, ...init.headers },
  });
const read = async (url: string, init?: RequestInit) => (await open(url, init)).text();
const enter = (url: string, password: string, address?: string) =>
  open(url, { method: "POST", body: new URLSearchParams({ password }), ...(address && { address }) });

describe("404: every link that shows nothing gets the same answer", () => {
  let unknown: { status: number; text: string; headers: Record<string, string> };
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await open(path, init);
    const { date: _, "x-request-id": __, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, text: await answer.text(), headers };
  };
  beforeAll(async () => {
    unknown = await ask(`/s/${generateToken("mpl_")}`);
  });

  test("an unknown token, one that is none, and another kind of credential", async () => {
    expect(unknown).toMatchObject({ status: 404, headers: { "cache-control": "no-store" } });
    expect(unknown.text).toContain("This link doesn’t work");
    const { meetingId } = await given();
    const { url, id } = await create({ meetingId } as Meeting);
    const token = url.split("/s/")[1] ?? "";
    const [hash] = [createHash("sha256").update(token).digest("hex")];
    for (const text of [
      "x",
      "%00",
      "..%2f..",
      "%ff".repeat(0) || "0",
      "a".repeat(9_000),
      meetingId,
      id,
      hash,
      session,
    ])
      expect(await ask(`/s/${text}`), text.slice(0, 50)).toEqual(unknown);
    for (const changed of [token.toLowerCase(), `${token}x`, token.slice(0, -1), generateToken("mun_")])
      expect(await ask(`/s/${changed}`)).toEqual(unknown);
    const form = { method: "POST", body: "password=x".repeat(10_000) };
    expect(await ask("/s/x", form)).toEqual(unknown);
  });

  const ends: readonly (readonly [string, (made: Meeting, id: string) => Promise<unknown>])[] = [
    ["revoked", (_, linkId) => server.call(session, "settings/publicLinks.revoke", { linkId })],
    [
      "expired",
      (_, id) =>
        server.db
          .update(publicLinks)
          .set({ expiresAt: sql`now() - interval '1 second'` })
          .where(eq(publicLinks.id, id)),
    ],
    ["its meeting deleted", ({ meetingId }) => server.call(anna.key, "me/meetings.delete", { meetingId })],
    [
      "its summary locked",
      ({ meetingId }) =>
        server.db.update(summaries).set({ locked: true }).where(eq(summaries.meetingId, meetingId)),
    ],
    ["links turned off", () => allow(false)],
  ];
  test.each(ends)("%s, with and without a password", async (_, end) => {
    const meeting = await given();
    const links = [await create(meeting), await create(meeting, { password: "open sesame" })];
    for (const { url } of links) expect((await open(url)).status).toBe(200);
    for (const { id } of links) await end(meeting, id);
    for (const { url } of links) {
      expect(await ask(url)).toEqual(unknown);
      const form = { method: "POST", body: new URLSearchParams({ password: "open sesame" }) };
      expect(await ask(url, form)).toEqual(unknown);
    }
    await allow(true);
    for (const { url } of links) expect(await ask(url)).toEqual(unknown);
  });

  test("the owner left the workspace", async () => {
    const ben = await server.given.member(company);
    const { meetingId } = await server.given.meeting(ben);
    const own = await server.given.session(ben);
    const { url } = readPayload<{ url: string }>(
      await server.call(own, "settings/publicLinks.create", { meetingId }),
    );
    expect((await open(url)).status).toBe(200);
    await server.given.leaves(ben);
    expect(await ask(url)).toEqual(unknown);
  });
});

describe("200: what a link shows", () => {
  test.each(["summary", "transcript"] as const)(
    "%s: addresses and numbers are hidden in every text, and no script, tag, event or other field is there",
    async (scope) => {
      const text = await read((await create(await given(), { scope })).url);
      for (const secret of [
        ...SECRETS,
        "1234567",
        "onerror=alert(1)>",
        "<script",
        "Secret tag",
        "Invisible event",
        "mailto",
      ])
        expect(text).not.toContain(secret);
      for (const shown of [
        "Turbines",
        "Anna Berger",
        "Ben Cole",
        "Dora Diaz",
        "1 h 15 min",
        "[number hidden]",
        "☑",
      ])
        expect(text).toContain(shown);
      expect(text.includes(">1:05<")).toBe(scope === "transcript");
      expect(text.includes("&lt;img src=x")).toBe(scope === "transcript");
    },
  );

  test("masked names are masked in the title, the summary, the tasks and the transcript", async () => {
    const text = await read((await create(await given(), { scope: "transcript", maskNames: true })).url);
    for (const secret of [...SECRETS, ...NAMES, ...NAMES.map((name) => name.toUpperCase())])
      expect(text).not.toContain(secret);
    expect(text).toContain('<h1 dir="auto">Plan with Speaker 2, [address hidden]</h1>');
    expect(text).toContain("<strong>Speaker 1</strong> calls Person 1 at [number hidden]");
    expect(text).toContain("Call Person 1, [number hidden]");
    expect(text).toContain('<bdi>Person 1</bdi> · Due <time datetime="2025-03-20">20 March 2025</time>');
    expect(text).toContain('<b dir="auto">Speaker 1 <span');
    expect(text).toContain('</b><p dir="auto">Yes, Speaker 1.');
  });

  test("a name from before a merge is masked, too: texts still have it", async () => {
    const say = (speakerName: string) => ({
      transcript: [
        { speakerId: "s1", speakerName, speakerEmail: `${speakerName[0]}@merged.example`, text: "Yes." },
      ],
      summary: { markdown: "Quentin Oldenburg agrees with NEWMAN." },
    });
    const meeting = await server.given.meeting(anna, say("Quentin Oldenburg"));
    await server.given.meeting(anna, say("Zoltan Newman"));
    const rows = await server.db.select().from(people).where(eq(people.workspaceId, company.workspaceId));
    const find = (name: string) => rows.find((row) => row.name === name)?.id;
    const merged = await fetch(`${server.url}/rest/v1/workspace/people/${find("Quentin Oldenburg")}/merge`, {
      method: "POST",
      headers: { "x-api-key": company.key, "content-type": "application/json" },
      body: JSON.stringify({ intoId: find("Zoltan Newman") }),
    });
    expect(merged.status).toBe(200);
    await settlePeople(server.db, new AbortController().signal);
    const links = [await create(meeting), await create(meeting, { scope: "transcript", maskNames: true })];
    const [shown = "", hidden = ""] = await Promise.all(links.map(({ url }) => read(url)));
    expect(shown).toContain("Quentin Oldenburg agrees");
    expect(hidden).toContain("Speaker 1 agrees with Speaker 1.");
    expect(hidden).not.toMatch(/Quentin|Oldenburg|Zoltan|newman/i);
  });

  test("a name from before an edit is masked, too: of a speaker, an assignee and a merged speaker", async () => {
    const say = (speakerId: string, speakerName: string) => ({ speakerId, speakerName, text: "Yes." });
    const meeting = await server.given.meeting(anna, {
      title: "Yorick Vandermeer reviews",
      transcript: [say("s1", "Yorick Vandermeer"), say("s2", "Xenia Quast"), say("s3", "Olaf Plank")],
      summary: { markdown: "Yorick Vandermeer, Xenia Quast, Olaf and Wilma Dunst agree." },
      tasks: [{ text: "Ask Wilma Dunst", assignee: { name: "Wilma Dunst" } }],
    });
    const { meetingId, taskIds } = meeting;
    const links = [await create(meeting), await create(meeting, { maskNames: true })];
    const browser = await openSignedInBrowser(server, anna);
    const edits: readonly (readonly [string, object])[] = [
      ["speakers.assign", { speakerLabel: "s1", name: "Ulla New" }],
      ["speakers.merge", { speakerLabel: "s2", intoLabel: "s3" }],
      ["meetings.updateTask", { taskId: taskIds[0], assignee: null }],
    ];
    for (const [at, [operation, input]] of edits.entries()) {
      const answer = await browser.write(`console/v1/${operation}`, {
        ...{ meetingId, baseVersion: at + 1 },
        ...input,
      });
      expect([operation, answer.status]).toEqual([operation, 200]);
    }
    const [shown = "", hidden = ""] = await Promise.all(links.map(({ url }) => read(url)));
    expect(shown).toContain("Yorick Vandermeer, Xenia Quast, Olaf and Wilma Dunst agree.");
    expect(hidden).toContain('<h1 dir="auto">Speaker 1 reviews</h1>');
    expect(hidden).toMatch(/Speaker 1, Person \d, Speaker 2 and Person \d agree\./);
    expect(hidden).not.toMatch(/Yorick|Vandermeer|Ulla|Xenia|Quast|Olaf|Plank|Wilma|Dunst/);
  });

  test("the present text only, of its own meeting only", async () => {
    const [meeting, other] = [await given({ title: "First title" }), await given({ title: "Other meeting" })];
    const { url } = await create(meeting);
    const { meetingId } = meeting;
    const edit = { meetingId, baseVersion: 1, title: "Second title" };
    const browser = await openSignedInBrowser(server, anna);
    expect((await browser.write("console/v1/meetings.update", edit)).status).toBe(200);
    expect(await read(url)).toContain('<h1 dir="auto">Second title</h1>');
    for (const query of [
      "?version=1",
      `?meetingId=${other.meetingId}`,
      "?scope=transcript",
      "?maskNames=false",
    ]) {
      const text = await (await fetch(server.url + new URL(url).pathname + query)).text();
      expect(text).not.toMatch(/First title|Other meeting|Transcript/);
    }
    for (const path of [`${url}/${other.meetingId}`, `${url}/transcript`, `${url}.json`])
      expect(await read(path)).not.toMatch(/First title|Second title|Other meeting/);
  });

  test("answers are not stored, framed, indexed, sniffed or named to other sites, and run no script", async () => {
    const { url } = await create(await given());
    const secret = await create(await given(), { password: "open sesame" });
    for (const answer of [await open(url), await open(secret.url), await enter(secret.url, "open sesame")]) {
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "x-robots-tag": "noindex, nofollow, noarchive",
      });
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; /);
      expect(policy).toMatch(/; form-action 'self'; frame-ancestors 'none'$/);
      expect([...answer.headers.keys()]).not.toEqual(expect.arrayContaining(["set-cookie", "etag"]));
      const page = await answer.text();
      expect(page).not.toMatch(/<script|<link|<img|<iframe|<audio|<source| on\w+=| style="|href=/);
      const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
      expect(policy).toContain(createHash("sha256").update(style).digest("base64"));
    }
  });

  test("the token and content are not in the log, and it opens nothing else", async () => {
    const { url } = await create(await given());
    await read(url);
    const token = url.split("/s/")[1] ?? "";
    expect(server.log.join("")).not.toContain(token);
    expect(server.log.join("")).not.toContain("Turbines");
    for (const route of ["me/meetings.list", "workspace/meetings.list", "settings/account.get"])
      expect((await server.call(token, route)).status).toBe(401);
  });

  test("views are counted when the meeting is shown, not for HEAD or the question for a password", async () => {
    const meeting = await given();
    const { url } = await create(meeting, { password: "open sesame" });
    for (const method of ["HEAD", "GET"]) await open(url, { method });
    await enter(url, "wrong");
    const list = async () => {
      const { meetingId } = meeting;
      const answer = await server.call(session, "settings/publicLinks.list", { meetingId });
      return readPayload<{ links: { views: number }[] }>(answer).links[0]?.views;
    };
    expect(await list()).toBe(0);
    await enter(url, "open sesame");
    expect(await list()).toBe(1);
  });
});

describe("a password", () => {
  test("403 and 429: a wrong one shows nothing, five are free for an address, and others can go on", async () => {
    const { url } = await create(await given(), { password: "open sesame" });
    const asked = await read(url);
    expect(asked).toContain('type="password"');
    const address = "203.0.113.7";
    for (let time = 0; time < 5; time++) {
      const answer = await enter(url, "wrong", address);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toMatch(/role="alert">This password is wrong/);
    }
    // After many more, so that the wait is longer than the test.
    await server.db
      .update(signInAttempts)
      .set({ failures: 20 })
      .where(sql`${signInAttempts.key} like ${`link:%:address:${address}`}`);
    expect((await enter(url, "wrong", address)).status).toBe(403);
    const blocked = await enter(url, "open sesame", address);
    expect(blocked.status).toBe(429);
    const text = await blocked.text();
    expect(text).toMatch(/role="alert">Too many wrong passwords/);
    for (const page of [asked, text]) expect(page).not.toMatch(/Turbines|Plan|Anna/);
    expect(await (await enter(url, "open sesame")).text()).toContain("Turbines");
  });

  test("400: one that is too short, more than 30 days, and other scopes", async () => {
    const { meetingId } = await given();
    for (const facts of [{ password: "short" }, { days: 31 }, { days: 0 }, { days: 1.5 }, { scope: "all" }]) {
      const answer = await server.call(session, "settings/publicLinks.create", { meetingId, ...facts });
      expect([facts, answer.status]).toEqual([facts, 400]);
    }
  });
});

test("429: requests of an address are limited, also of unknown links", async () => {
  const address = "203.0.113.99";
  expect((await open("/s/unknown", { address })).status).toBe(404);
  await server.db
    .update(rateWindows)
    .set({ count: 300, startedAt: sql`now()` })
    .where(eq(rateWindows.scope, `visitor:${address}`));
  expect((await open("/s/unknown", { address })).status).toBe(429);
});
