import type {
  DetailedSearchResults,
  MeetingOverview,
  MeetingOverviewPage,
  MeetingTranscript,
} from "@minutes/contract";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, openSignedInBrowser, type Person, readPayload } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestServer;
let company: Company;
let anna: Person;
let boris: Person;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  boris = await server.given.member(company);
  await server.given.meetingSharedDirectly(anna, boris, {
    title: "Plan",
    transcript: [{ speakerId: "b", speakerName: "Ben", text: "No." }],
  });
});
afterAll(() => server.close());

type Browser = Awaited<ReturnType<typeof openSignedInBrowser>>;
const browse = async (who: Browser, input: object = {}): Promise<MeetingOverview[]> =>
  readPayload<MeetingOverviewPage>(await who.read("console/v1/meetings.browse", input)).meetings;
const titles = (list: readonly MeetingOverview[]) => list.map(({ title }) => title);

test("200: each meeting has its owner, people, tags and open tasks, and says whether others can read it", async () => {
  const [owner, reader] = [await server.given.member(company), await server.given.member(company)];
  const plan = await server.given.meeting(owner, {
    tasks: [{ text: "Open" }, { text: "Done", completed: true }],
    tags: [{ name: "Budget" }],
    transcript: [
      { speakerId: "a", speakerName: "Ada", text: "Yes." },
      { speakerId: "b", speakerName: "Ben", text: "No." },
    ],
  });
  const visit = await openSignedInBrowser(server, owner);
  const [before] = await browse(visit);
  expect(before).toMatchObject({
    ...{ id: plan.meetingId, owner: owner.name, people: ["Ada", "Ben"], peopleCount: 2, openTasks: 1 },
    ...{ locked: false, shared: false, tags: [{ name: "Budget" }] },
  });
  await server.given.shared(plan, reader);
  expect((await browse(visit))[0]?.shared).toBe(true);
  const [theirs] = await browse(await openSignedInBrowser(server, reader));
  expect(theirs).toMatchObject({ owner: owner.name, shared: true });
});

test("200: `whose` leaves own meetings, or those of others; nobody sees a stranger's", async () => {
  const reader = await server.given.member(company);
  await server.given.meeting(reader, { title: "Alone" });
  await server.given.meetingSharedDirectly(anna, reader, { title: "Shared" });
  const visit = await openSignedInBrowser(server, reader);
  expect(titles(await browse(visit, { whose: "mine" }))).toEqual(["Alone"]);
  expect(titles(await browse(visit, { whose: "shared" }))).toEqual(["Shared"]);
  expect(titles(await browse(await openSignedInBrowser(server, company.admin)))).toEqual([]);
});

test("200: finds visible meetings by a part of the title or of a speaker's name", async () => {
  const find = async (who: Person, text: string) =>
    titles(
      readPayload<Pick<MeetingOverviewPage, "meetings">>(
        await (await openSignedInBrowser(server, who)).read("console/v1/meetings.find", { text }),
      ).meetings,
    );
  expect(await find(anna, "LAN")).toEqual(["Plan"]);
  expect(await find(anna, "be")).toEqual(["Plan"]);
  expect(await find(anna, "alone")).toEqual([]);
  expect(await find(anna, "%")).toEqual([]);
  expect(await find(anna, "Bén")).toEqual(["Plan"]);
  expect(await find(company.admin, "plan")).toEqual([]);
});

test("200: finding and searching narrow by range, tag and owner like the list", async () => {
  const owner = await server.given.member(company);
  const visit = await openSignedInBrowser(server, owner);
  const transcript = [{ speakerId: "a", speakerName: "Ada", text: "The chimney is blocked." }];
  for (const [title, startTime, tag] of [
    ["Chimney old", "2024-03-01T10:00:00.000Z", "roof"],
    ["Chimney new", "2026-03-01T10:00:00.000Z", "yard"],
  ] as const)
    await server.given.meeting(owner, { title, startTime, tags: [{ name: tag }], transcript });
  const others = { title: "Chimney of Anna", startTime: "2026-03-02T10:00:00.000Z", transcript };
  await server.given.shared(await server.given.meeting(anna, others), owner);
  const allTime = { startDate: "0001-01-01" };
  for (const [filter, found] of [
    [allTime, ["Chimney of Anna", "Chimney new", "Chimney old"]],
    [{ ...allTime, endDate: "2025-01-01" }, ["Chimney old"]],
    [{ ...allTime, tag: "yard" }, ["Chimney new"]],
    [{ ...allTime, whose: "mine" }, ["Chimney new", "Chimney old"]],
    [{ ...allTime, whose: "shared" }, ["Chimney of Anna"]],
  ] as const) {
    const byTitle = await visit.read("console/v1/meetings.find", { text: "chimney", ...filter });
    expect(titles(readPayload<MeetingOverviewPage>(byTitle).meetings)).toEqual(found);
    const said = await visit.read("console/v1/meetings.search", { query: "chimney blocked", ...filter });
    const { results } = readPayload<DetailedSearchResults>(said);
    expect(new Set(results.map(({ meetingTitle }) => meetingTitle))).toEqual(new Set(found));
  }
});

test("200: two speakers of one name keep their own ID in the transcript", async () => {
  const turn = { speakerName: "Alex", text: "Yes." };
  const { meetingId } = await server.given.meeting(anna, {
    transcript: ["first", "second"].map((speakerId) => ({ ...turn, speakerId })),
  });
  const visit = await openSignedInBrowser(server, anna);
  const { segments } = readPayload<MeetingTranscript>(
    await visit.read("console/v1/meetings.transcript", { meetingId }),
  );
  const { participants } = await server.data(anna.key, "me/meetings.get", { meetingId });
  expect(segments.map(({ speakerId }) => speakerId)).toEqual(participants.map(({ id }) => id));
  expect(segments.map(({ speakerLabel }) => speakerLabel)).toEqual(["first", "second"]);
});

test("200: the owner sees who can read a meeting and why; 403 for everybody else", async () => {
  const meeting = await server.given.meetingSharedByTag(anna, boris, { tag: "alarms" });
  const visit = await openSignedInBrowser(server, anna);
  const input = { meetingId: meeting.meetingId };
  const read = async () => readPayload(await visit.read("settings/v1/shares.readers", input));
  const reader = { userId: boris.userId, name: boris.name, email: boris.email };
  expect(await read()).toMatchObject({ readers: [{ ...reader, direct: false, tags: ["alarms"] }] });
  await server.given.shared(meeting, boris);
  expect(await read()).toMatchObject({ readers: [{ ...reader, direct: true, tags: ["alarms"] }] });
  const theirs = await openSignedInBrowser(server, boris);
  expect((await theirs.read("settings/v1/shares.readers", input)).status).toBe(403);
});
