import {
  LIMITS,
  MESSAGES,
  type MeetingOverviewPage,
  type MeetingToEdit,
  type UploadPreview,
  type UploadReport,
} from "@minutes/contract";
import {
  type Company,
  openSignedInBrowser,
  type Person,
  readPayload,
  type TestBrowser,
  testBrowser,
} from "@minutes/testing";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWav, startTestServer, type TestServer } from "../../testing/index.js";

const ROUTE = "upload/v1/files.import";
const VTT =
  "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>The gearbox of the turbine is late again this week, sorry.</v>\n";

describe("uploads", () => {
  let server: TestServer;
  let company: Company;
  let anna: Person;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startTestServer();
    company = await server.given.company({ plan: "free" });
    anna = await server.given.member(company);
    browser = await openSignedInBrowser(server, anna);
  });
  afterAll(() => server.close());

  const upload = async (name: string, text: string | undefined, more: object = {}) =>
    readPayload<UploadReport>(
      await browser.write(ROUTE, { name, text, modifiedAt: "2026-03-02T10:00:00Z", ...more }),
    );

  test("200: a transcript becomes a meeting of the person, charged as any recording; again it changes nothing", async () => {
    const countCredits = async () =>
      readPayload<{ creditsUsed: number }>(await browser.read("settings/v1/plan.get")).creditsUsed;
    const before = await countCredits();
    const first = await upload("Turbine review 2026-03-01.vtt", VTT);
    expect(first).toMatchObject({ created: 1, unchanged: 0, failed: [] });
    expect(await upload("Turbine review 2026-03-01.vtt", VTT)).toMatchObject({ created: 0, unchanged: 1 });
    const [meetingId] = first.meetingIds;
    const meeting = readPayload<{ title: string; startTime: string; user: { email: string } }>(
      await browser.read("console/v1/meetings.get", { meetingId }),
    );
    expect(meeting).toMatchObject({ title: "Turbine review", user: { email: anna.email } });
    expect(meeting.startTime.slice(0, 10)).toBe("2026-03-01");
    expect(await countCredits()).toBe(before + 1);
  });

  test("200: a start without a time is marked until somebody sets it; a repeated upload changes nothing", async () => {
    const { meetingIds } = await upload("Day 2026-03-01.vtt", VTT.replace("turbine", "pump"));
    const [meetingId] = meetingIds;
    const meet = async () =>
      readPayload<MeetingToEdit>(await browser.read("console/v1/meetings.get", { meetingId }));
    const listed = async () =>
      readPayload<MeetingOverviewPage>(await browser.read("console/v1/meetings.browse")).meetings.find(
        ({ id }) => id === meetingId,
      );
    const { version, ...meeting } = await meet();
    expect(meeting).toMatchObject({ startTime: "2026-03-01T00:00:00.000Z", startPrecision: "day" });
    expect(await listed()).toMatchObject({ startPrecision: "day" });
    const startTime = "2026-03-01T09:30:00.000Z";
    const endTime = "2026-03-01T10:30:00.000Z";
    await browser.write("console/v1/meetings.update", {
      ...{ meetingId, baseVersion: version, startTime, endTime },
    });
    expect(await meet()).toMatchObject({ startTime, startPrecision: null });
    expect(await listed()).toMatchObject({ startTime, startPrecision: null });
    const again = await upload("Day 2026-03-01.vtt", VTT.replace("turbine", "pump"));
    expect(again).toMatchObject({ created: 0, unchanged: 1, failed: [] });
    await browser.write("console/v1/meetings.restoreVersion", {
      ...{ meetingId, version, baseVersion: (await meet()).version },
    });
    expect(await meet()).toMatchObject({ startPrecision: "day" });
  });

  test("200: a meeting with a shared tag names the members who can now read it", async () => {
    const ben = await server.given.member(company);
    await server.given.meetingSharedByTag(anna, ben, { tag: "alarms" });
    const meeting = { externalId: "tagged", title: "Tagged", startTime: "2026-03-01T10:00:00Z" };
    const file = JSON.stringify({ ...meeting, tags: [{ name: "alarms" }, { name: "private" }] });
    const shared = [{ tag: "alarms", readers: [ben.name] }];
    expect(await upload("tagged.json", file)).toMatchObject({ created: 1, sharedByTag: shared });
    expect(await upload("tagged.json", file)).toMatchObject({ unchanged: 1, sharedByTag: [] });
  });

  test("200: a bad file is reported with the importer's message and the line, and nothing is stored", async () => {
    const before = readPayload<{ meetings: unknown[] }>(await browser.read("console/v1/meetings.list"));
    expect((await upload("broken.json", "{")).failed).toMatchObject([
      { index: null, error: expect.stringContaining("Not valid JSON") },
    ]);
    expect((await upload("minutes.pdf", "%PDF-1.7 …")).failed).toMatchObject([
      { line: null, error: expect.stringContaining(".sbv, .ass, .ssa, .ttml, .dfxp, ") },
    ]);
    const captions = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nNobody says who speaks here.\n";
    const [nameless] = (await upload("captions.vtt", captions)).failed;
    expect(nameless?.line).toBe(3);
    expect(nameless?.error).toContain("Keep lines without a speaker");
    const unnamed = "We wait for Anna.\n\nAnna: Good morning.\n";
    const [fault] = (await upload("notes.md", unnamed)).failed;
    expect(fault?.line).toBe(1);
    expect(fault?.error).toContain("Keep lines without a speaker");
    const list = JSON.stringify([{ externalId: "x", title: "", startTime: "soon" }]);
    expect((await upload("list.json", list)).failed).toMatchObject([
      { index: 0, error: expect.stringMatching(/title.*startTime/) },
    ]);
    expect(readPayload(await browser.read("console/v1/meetings.list"))).toEqual(before);
    expect(await upload("notes.md", unnamed, { lenient: true })).toMatchObject({
      created: 1,
      unassigned: [1],
    });
  });

  test("200: an upload can't use the id of a recorder's meeting, or another owner", async () => {
    const recorder = await server.given.ingestKey(company);
    const meeting = {
      externalId: "board-of-march",
      ownerEmail: company.admin.email,
      title: "Board",
      startTime: "2026-03-01T09:00:00Z",
    };
    expect((await upload("board.json", JSON.stringify(meeting))).created).toBe(1);
    const answer = await server.call(recorder, "ingest/meetings.import", meeting);
    expect(answer.status).toBe(200);
    const admin = await openSignedInBrowser(server, company.admin);
    const { meetings } = readPayload<{ meetings: { id: string }[] }>(
      await admin.read("console/v1/meetings.list"),
    );
    expect(meetings).toMatchObject([{ id: readPayload<{ meetingId: string }>(answer).meetingId }]);
  });

  test("200: a preview shows what an import would store, and stores nothing; choices change both", async () => {
    const before = readPayload(await browser.read("console/v1/meetings.list"));
    const text = "Priya Nair: Hello.\nNoor: The ratio is 3:1.\nPriya Nair: Bye.\n";
    const preview = async (more: object = {}) =>
      readPayload<UploadPreview>(
        await browser.write("upload/v1/files.preview", {
          ...{ name: "call.txt", text, modifiedAt: "2026-03-02T10:00:00Z", ...more },
        }),
      );
    expect(await preview()).toMatchObject({
      meetings: [
        {
          ...{
            ...{ file: null, duplicate: false },
            title: "call",
            startTime: "2026-03-02T10:00:00.000Z",
            startSource: "fileTime",
            startPrecision: "guess",
            turns: 3,
          },
          speakers: [
            { name: "Priya Nair", turns: 2 },
            { name: "Noor", turns: 1 },
          ],
          doubts: [{ label: "Noor", count: 1, speaker: true }],
        },
      ],
      failed: [],
    });
    expect((await preview({ name: "a.json", text: "{" })).failed).toHaveLength(1);
    const place = { file: null, index: null, line: null };
    const starts = [{ ...place, startTime: "2026-03-01T09:00:00Z" }];
    const choices = { notSpeakers: ["Noor"], title: "Ratio", starts };
    expect(await preview(choices)).toMatchObject({
      meetings: [
        {
          title: "Ratio",
          startTime: "2026-03-01T09:00:00.000Z",
          startSource: "given",
          startPrecision: null,
          turns: 2,
        },
      ],
    });
    expect(readPayload(await browser.read("console/v1/meetings.list"))).toEqual(before);
    const { meetingIds, fileTimes } = await upload("call.txt", text, choices);
    expect(fileTimes).toEqual([]);
    expect(await preview(choices)).toMatchObject({ meetings: [{ duplicate: true }] });
    const undated = "Kim Lee: No date.\nNoor Aziz: None.\nKim Lee: Right.\n";
    const modifiedAt = "2026-03-02T10:00:00Z";
    expect((await upload("undated.txt", undated, { modifiedAt })).fileTimes).toMatchObject([
      { ...place, title: "undated", startTime: "2026-03-02T10:00:00.000Z" },
    ]);
    expect((await upload("undated.txt", undated, { modifiedAt })).fileTimes).toEqual([]);
    expect(
      readPayload(await browser.read("console/v1/meetings.get", { meetingId: meetingIds[0] })),
    ).toMatchObject({
      title: "Ratio",
      startTime: "2026-03-01T09:00:00.000Z",
      participants: [{ name: "Priya Nair" }],
    });
  });

  test("200: a name that speaks in an earlier meeting of the person is a speaker", async () => {
    await upload("known.txt", "our room: Hello.\nour room: Hello again.\n");
    const text = "Ada Lovelace: a\nour room: b\nAda Lovelace: c\nand d\nand e\nand f\n";
    const { meetingIds } = await upload("unknown.txt", text);
    expect(
      readPayload(await browser.read("console/v1/meetings.get", { meetingId: meetingIds[0] })),
    ).toMatchObject({ participants: [{ name: "Ada Lovelace" }, { name: "our room" }] });
  });

  test("200: the same file with another time of modification is the same meeting", async () => {
    const text = "Anna Chen: The gearbox is late once more.\n";
    expect(await upload("again.txt", text)).toMatchObject({ created: 1 });
    const later = { modifiedAt: "2026-04-01T10:00:00Z" };
    expect(await upload("again.txt", text, later)).toMatchObject({ created: 0, unchanged: 1, failed: [] });
    expect((await upload("again.txt", text, { title: "Other" })).failed).toHaveLength(1);
  });

  test("200: bytes are decoded, a document and an archive are read, and its files in unknown formats are named", async () => {
    const send = async (name: string, bytes: Uint8Array) =>
      upload(name, undefined, { bytes: Buffer.from(bytes).toString("base64") });
    expect(await send("utf16.txt", Buffer.from("\uFEFFAnna: Grüße.", "utf16le"))).toMatchObject({
      created: 1,
    });
    const document = zipSync({
      "word/document.xml": Buffer.from(
        "<w:document><w:body><w:p><w:r><w:t>Priya Nair   0:03</w:t><w:br/><w:t>Who leads?</w:t></w:r></w:p></w:body></w:document>",
      ),
    });
    expect(await send("teams.docx", document)).toMatchObject({ created: 1 });
    const other = Buffer.from("%PDF");
    const archive = zipSync({
      ...{ "a.txt": Buffer.from("Anna: One."), "b/c.json": Buffer.from("{"), "b/notes.pdf": other },
      ...{ "inner.zip": other, "readme.pdf": other, ".hidden.pdf": other, "empty.folder/": [{}, {}] },
    } as Parameters<typeof zipSync>[0]);
    const skipped = ["b/notes.pdf", "inner.zip"];
    const bytes = Buffer.from(archive).toString("base64");
    const file = { name: "calls.zip", bytes, modifiedAt: "2026-03-02T10:00:00Z" };
    expect(readPayload(await browser.write("upload/v1/files.preview", file))).toMatchObject({
      ...{ meetings: [{ file: "a.txt" }], skipped },
    });
    expect(await send("calls.zip", archive)).toMatchObject({
      created: 1,
      failed: [{ file: "b/c.json", error: expect.stringContaining("Not valid JSON") }],
      skipped,
    });
    expect(await send("pictures.zip", zipSync({ "one.png": other }))).toMatchObject({
      ...{ created: 0, failed: [{ error: "The archive has no files that can be imported." }] },
      skipped: ["one.png"],
    });
  });

  test("200: each meeting of an archive or a list gets the start that is given for it, and the others keep theirs", async () => {
    const archive = zipSync({
      "one.txt": Buffer.from("Anna: The first of two.\nBen: Yes."),
      "two.txt": Buffer.from("Anna: The second of two.\nBen: Yes."),
    });
    const bytes = Buffer.from(archive).toString("base64");
    const startTime = "2025-05-05T09:00:00.000Z";
    const starts = [{ file: "two.txt", index: null, line: null, startTime }];
    const report = await upload("pair.zip", undefined, { bytes, starts });
    expect(report).toMatchObject({ created: 2, fileTimes: [{ file: "one.txt" }] });
    const read = async (meetingId = "") =>
      readPayload<{ startTime: string }>(await browser.read("console/v1/meetings.get", { meetingId }));
    expect((await read(report.meetingIds[1])).startTime).toBe(startTime);
    const facts = { externalId: "list-", title: "Listed", startTime: "2025-01-01T09:00:00.000Z" };
    const list = JSON.stringify(["a", "b"].map((id) => ({ ...facts, externalId: `list-${id}` })));
    const listed = await upload("list.json", list, {
      starts: [{ file: null, index: 1, line: null, startTime }],
    });
    expect(listed).toMatchObject({ created: 2, fileTimes: [] });
    const stored = await Promise.all(listed.meetingIds.map(read));
    expect(stored.map((one) => one.startTime)).toEqual([facts.startTime, startTime]);
  });

  test("400: a file without content, and with both kinds of content", async () => {
    const input = { name: "a.txt", modifiedAt: "2026-03-02T10:00:00Z" };
    expect((await browser.write(ROUTE, input)).status).toBe(400);
    expect((await browser.write(ROUTE, { ...input, text: "a", bytes: "YQ==" })).status).toBe(400);
  });

  test("200: audio is refused by content and by name, with the setting that it needs", async () => {
    const bytes = createWav(0.1).toString("base64");
    for (const [name, content] of [
      ["notes.txt", { bytes }],
      ["call.wav", { bytes }],
      ["call.MP3", { text: "" }],
    ] as const)
      expect((await upload(name, undefined, content)).failed).toMatchObject([
        { index: null, error: MESSAGES.uploadedAudio },
      ]);
    expect(MESSAGES.uploadedAudio).toContain("TRANSCRIBER_URL");
  });

  test("200: an export and a file with too many meetings are refused with one sentence", async () => {
    expect((await upload("export.jsonl", '{"kind":"minutes-export"}\n')).failed).toMatchObject([
      { error: MESSAGES.uploadedExport },
    ]);
    const many = JSON.stringify(Array.from({ length: LIMITS.uploadMeetings + 1 }, () => ({})));
    expect((await upload("many.json", many)).failed).toMatchObject([{ error: MESSAGES.tooManyUploaded }]);
  });

  test("200: impossible dates and times are left out, and nested tags are read", async () => {
    const sentences = [{ text: "a", speaker_name: "Anna", start_time: 1e300 }];
    expect(await upload("date.json", JSON.stringify({ date: 1e300, sentences }))).toMatchObject({
      created: 1,
    });
    const deep = VTT.replace("Ada>", `Ada>${"<c>".repeat(100_000)}`);
    expect(await upload("deep.vtt", deep)).toMatchObject({ created: 1, failed: [] });
    const list = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect((await upload("lists.json", list)).failed).toMatchObject([{ index: expect.anything() }]);
    expect(server.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("/health keeps answering while a long document is parsed", async () => {
    // Loads the parser: its modules come one by one, and calls are answered in between.
    await upload("short.txt", "Ann Chen: One.\nBo Lind: Two.\n");
    let [answered, ended] = [0, false];
    const uploaded = upload("long.txt", "Anna Chen\n".repeat(60_000)).finally(() => {
      ended = true;
    });
    while (!ended) if ((await fetch(`${server.url}/health`)).ok) answered++;
    await uploaded;
    // On the main thread, parsing would let only earlier requests through.
    expect(answered).toBeGreaterThan(10);
  });

  test.each([
    ["time", { deadline: 1, memory: 256 }],
    ["memory", { deadline: 600_000, memory: 64 }],
  ])(
    "200: a file that takes too much %s is refused with one sentence, and /health keeps answering",
    async (_, uploadLimits) => {
      const limited = await startTestServer({ database: server.database, uploadLimits });
      const session = Object.assign(testBrowser(limited), { cookie: browser.cookie });
      const send = async (name: string, text: string) =>
        readPayload<UploadReport>(
          await session.write(ROUTE, { name, text, modifiedAt: "2026-03-02T10:00:00Z" }),
        );
      let ended = false;
      const sent = send("many.txt", "A: b\n".repeat(400_000)).finally(() => {
        ended = true;
      });
      const answers = new Set<number>();
      while (!ended) answers.add((await fetch(`${limited.url}/health`)).status);
      expect(await sent).toMatchObject({
        created: 0,
        failed: [{ index: null, line: null, error: MESSAGES.uploadTooComplex }],
      });
      expect([...answers]).toEqual([200]);
      // Only a deadline of a millisecond refuses every file.
      if (uploadLimits.memory === 64)
        expect(await send("after.vtt", VTT.replace("turbine", "mill"))).toMatchObject({
          created: 1,
          failed: [],
        });
      await limited.close();
    },
  );

  test("401 without a session, 403 from another site, 413 over the limit: nothing is stored", async () => {
    const input = { name: "a.vtt", text: VTT, modifiedAt: "2026-03-02T10:00:00Z" };
    expect((await testBrowser(server).write(ROUTE, input)).status).toBe(401);
    const foreign = { headers: { "sec-fetch-site": "cross-site" } };
    expect((await browser.write(ROUTE, input, foreign)).status).toBe(403);
    const large = { ...input, text: "x".repeat(LIMITS.uploadBodyBytes) };
    expect((await browser.write(ROUTE, large)).status).toBe(413);
  });
});
