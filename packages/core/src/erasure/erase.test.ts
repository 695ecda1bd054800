import type { ChangedPerson, EditedSpeaker, MeetingTranscript, PeoplePage } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Meeting, send } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { settlePeople } from "../people/directory/index.js";
import { identifyRemainingPeople } from "../people/index.js";
import { setName, updateUser } from "../workspaces/index.js";
import {
  eraseElsewhere,
  eraseFromDirectories,
  eraseFromMeetings,
  findNames,
  findPerson,
  findPlaces,
  findSought,
  type Sought,
} from "./index.js";

const { meetingHolds, people, publicLinks, tasks } = schema;

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

/** A signal that never aborts. */
const NEVER = new AbortController().signal;

const said = (speakerId: string, speakerName: string, speakerEmail?: string) => ({
  ...{ speakerId, speakerName, text: "The wombat sleeps." },
  ...(speakerEmail === undefined ? {} : { speakerEmail }),
});

/** Changes something with a company's key. */
async function ask<Payload>(key: string, method: string, path: string, body: object) {
  const answer = await send(server.url, `/rest/v1/workspace${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: answer.body as Payload };
}

const read = ({ owner, meetingId }: Meeting) => server.data(owner.key, "me/meetings.get", { meetingId });
const idOf = async (meeting: Meeting, name: string) =>
  (await read(meeting)).participants.find((one) => one.name === name)?.id ?? "";

/** Erases a person as the command does. @returns what they were known by, and where address, ID or name are left */
async function erase(emailOrId: string) {
  const { db } = server;
  const sought = await findSought(db, emailOrId);
  while ((await eraseFromMeetings(db, OPERATOR, sought, 10)).length > 0);
  await eraseElsewhere(db, OPERATOR, sought);
  const { renamedIds } = await eraseFromDirectories(db, sought);
  await settlePeople(db, NEVER, renamedIds);
  return { sought, left: await findPlaces(db, sought), namesLeft: await findNames(db, sought) };
}

/** Searches a text in all columns of all tables. */
const findText = (text: string) =>
  findPlaces(server.db, {
    emails: [text],
    personIds: [],
    addressIds: [],
    names: [],
    isGuess: false,
  } satisfies Sought);

/** Zoe, whose last name is as the address's, has a meeting, and Yan another one. An admin takes them for one person. */
async function merged({ number, zoeStays }: { number: number; zoeStays: boolean }) {
  const company = await given.company();
  const [anna, boris] = [await given.member(company), await given.member(company)];
  const [secret, email, other] = [`Secretname${number}`, `zoe${number}@a.example`, `yan${number}@b.example`];
  const first = await given.meeting(anna, {
    transcript: [said("a", `Zoe ${secret}`, email), said("b", "Guest")],
    tasks: [{ text: "Feed it", assignee: { name: `Zoe ${secret}` } }],
  });
  const second = await given.meeting(boris, {
    transcript: [said("x", "Yan", other)],
    tasks: [{ text: "Weigh it", assignee: { name: "Y", email: other } }],
  });
  const [zoe, yan] = [await idOf(first, `Zoe ${secret}`), await idOf(second, "Yan")];
  const [from, into] = zoeStays ? [yan, zoe] : [zoe, yan];
  const answer = await ask<ChangedPerson>(company.key, "POST", `/people/${from}/merge`, { intoId: into });
  expect(answer.status).toBe(200);
  await settlePeople(server.db, NEVER);
  return { company, anna, boris, first, second, zoe, yan, email, other, secret: secret.toLowerCase() };
}

describe("an erasure by an address whose person is merged with another", () => {
  test.each([
    ["into them", { number: 1, zoeStays: false }],
    ["and stands for both", { number: 2, zoeStays: true }],
  ])(
    "takes the person out, who was merged %s: no name is left, the other keeps their own",
    async (_, how) => {
      const { company, first, second, zoe, yan, email, other, secret } = await merged(how);
      expect((await findText(secret)).length).toBeGreaterThan(0);
      const found = await findPerson(server.db, await findSought(server.db, email));
      expect(found.mergedWith).toEqual([
        { workspaceId: company.workspaceId, people: [{ personId: yan, emails: [other] }] },
      ]);
      const { left, namesLeft } = await erase(email);
      // The audit log has the IDs of people who were merged.
      expect(left.filter(({ table }) => table !== "audit_log")).toEqual([]);
      expect(namesLeft).toEqual([]);
      expect(await findText(secret)).toEqual([]);
      const { participants, tasks: shown } = await read(first);
      expect(participants.map(({ name }) => name)).toEqual(["Erased person", "Guest"]);
      expect(shown.map(({ assignee }) => assignee)).toEqual([null]);
      expect((await read(second)).participants).toEqual([{ id: yan, name: "Yan", email: other }]);
      expect((await read(second)).tasks[0]?.assignee).toEqual({ name: "Yan", email: other });
      const rows = await server.db.select().from(people).where(eq(people.workspaceId, company.workspaceId));
      expect(rows).toMatchObject([{ id: yan, name: "Yan", mergedInto: null }]);
      expect(JSON.stringify(rows)).not.toContain(zoe);
      expect((await findSought(server.db, other)).addressIds).toEqual([yan]);
    },
  );

  test("leaves rows of the other alone that name the person by ID, and identifies them again", async () => {
    const { company, boris, second, zoe, yan, email, other } = await merged({ number: 3, zoeStays: true });
    const third = await given.meeting(boris, { transcript: [said("x", "Speaker 1")] });
    const assign = `/meetings/${third.meetingId}/speakers/x`;
    const assigned = await ask<EditedSpeaker>(company.key, "PATCH", assign, {
      baseVersion: 1,
      personId: yan,
    });
    expect(assigned.status).toBe(200);
    // The merged person has Zoe's ID, and the address seen most recently.
    const before = (await read(third)).participants[0];
    expect(before?.id).toBe(zoe);
    const isOther = before?.email === other;
    await erase(email);
    await identifyRemainingPeople(server.db, NEVER);
    await settlePeople(server.db, NEVER);
    const after = (await read(third)).participants[0];
    expect(after).toEqual(
      isOther
        ? { id: yan, name: "Yan", email: other }
        : { id: expect.not.stringContaining(zoe), name: "Erased person", email: null },
    );
    expect(await idOf(second, "Yan")).toBe(yan);
    expect(await findText("secretname3")).toEqual([]);
  });

  test("finds tasks that name them by ID alone, in meetings without the address", async () => {
    const { anna, zoe, email, secret } = await merged({ number: 4, zoeStays: false });
    const silent = await given.meeting(anna, { tasks: [{ text: "Wash it" }] });
    await server.db
      .update(tasks)
      .set({ assigneeName: `Zoe ${secret}`, assigneePersonId: zoe })
      .where(eq(tasks.meetingId, silent.meetingId));
    expect((await erase(email)).namesLeft).toEqual([]);
    expect(await findText(secret)).toEqual([]);
  });

  test("reports remaining names that may belong to someone else, but not those of the merged person", async () => {
    const { anna, email, secret } = await merged({ number: 5, zoeStays: false });
    await given.meeting(anna, { transcript: [said("a", `Zoe ${secret}`)] });
    const { sought, namesLeft } = await erase(email);
    expect(sought.names).toEqual([`zoe ${secret}`]);
    expect(namesLeft).toEqual([{ table: "participants", column: "name", rows: 1, isFreeText: false }]);
  });

  test("of an ID takes all of them out, and their addresses in other workspaces", async () => {
    const { zoe, yan, other, first, second, secret } = await merged({ number: 6, zoeStays: false });
    const stranger = await given.person();
    const elsewhere = await given.meeting(stranger, { transcript: [said("q", "Yan", other)] });
    const { sought, left } = await erase(zoe);
    expect(sought.personIds.toSorted()).toEqual([zoe, yan].toSorted());
    expect(sought.addressIds).toHaveLength(1);
    expect(left.filter(({ table }) => table !== "audit_log")).toEqual([]);
    expect(await findText(secret)).toEqual([]);
    for (const meeting of [first, second, elsewhere])
      expect((await read(meeting)).participants[0]?.name).toBe("Erased person");
    expect(await server.db.$count(people, sql`${people.id} in (${zoe}, ${yan})`)).toBe(0);
  });
});

test("counts and reports speakers with the name of an account that speaks nowhere under its address", async () => {
  const company = await given.company();
  const [zoe, boris] = [await given.member(company), await given.member(company)];
  await setName(server.db, OPERATOR, zoe.userId, "Zoe Secretname9");
  await given.meeting(boris, { transcript: [said("a", "zoe secretname9"), said("b", "Boris")] });
  const found = await findPerson(server.db, await findSought(server.db, zoe.email));
  expect(found.others).toMatchObject({ meetingIds: [], sameName: 1 });
  const { namesLeft } = await erase(zoe.email);
  expect(namesLeft).toContainEqual({ table: "participants", column: "name", rows: 1, isFreeText: false });
});

test("an erasure leaves no name in the answers of earlier calls", async () => {
  const anna = await given.person();
  const meeting: Meeting = await given.meeting(anna, {
    transcript: [said("a", "Zoe Secretname7", "zoe7@a.example"), said("b", "Boris")],
  });
  const merge = await send(server.url, `/rest/v1/me/meetings/${meeting.meetingId}/speakers/a/merge`, {
    method: "POST",
    headers: { "x-api-key": anna.key, "content-type": "application/json", "idempotency-key": "erased" },
    body: JSON.stringify({ baseVersion: 1, intoLabel: "b" }),
  });
  expect(merge.body).toMatchObject({ formerName: "Zoe Secretname7" });
  expect((await findText("secretname7")).length).toBeGreaterThan(0);
  expect((await erase("zoe7@a.example")).left).toEqual([]);
  expect(await findText("secretname7")).toEqual([]);
});

const get = (key: string, path: string) => send(server.url, path, { headers: { "x-api-key": key } });

/** Reads a transcript with labels, which only REST has. */
const readTurns = async ({ owner, meetingId }: Meeting) =>
  ((await get(owner.key, `/rest/v1/me/meetings/${meetingId}/transcript`)).body as MeetingTranscript).segments;
const turnOf = (speakerLabel: string, speakerName: string) =>
  expect.objectContaining({ speakerLabel, speakerName });

describe("an erasure by an address replaces it as", () => {
  const email = (number: number) => `vera${number}@label.example`;
  const random = expect.stringMatching(/^spk_/) as string;

  test.each([
    ["a label beside the address", said(email(1), "Vera", email(1)), email(1)],
    ["a label alone, in another case", said(email(2).toUpperCase(), "Vera"), email(2)],
    ["a part of a label alone", said(`user:${email(3)}`, "Vera"), email(3)],
    ["a name alone", said("v", `Vera <${email(4)}>`), email(4)],
  ])("%s, in segments, participants and tasks alike", async (_, turn, address) => {
    const anna = await given.person();
    const meeting = await given.meeting(anna, {
      transcript: [turn, said("b", "Boris"), turn],
      tasks: [
        { text: "Feed it", assignee: { name: turn.speakerName } },
        { text: "Wash it", assignee: { name: "Boris" } },
      ],
    });
    const { left, namesLeft } = await erase(address);
    expect([left, namesLeft]).toEqual([[], []]);
    const [first, boris, last] = await readTurns(meeting);
    expect([first, boris]).toEqual([turnOf(random, "Erased person"), turnOf("b", "Boris")]);
    expect(last?.speakerLabel).toBe(first?.speakerLabel);
    expect((await read(meeting)).tasks.map(({ assignee }) => assignee?.name)).toEqual([undefined, "Boris"]);
    expect((await erase(address)).left).toEqual([]);
  });

  test("a label of somebody else, who keeps name and tasks", async () => {
    const anna = await given.person();
    const [address, other] = [email(5), "boris@label.example"];
    const meeting = await given.meeting(anna, {
      transcript: [said(`next to ${address}`, "Boris", other), said("b", "Guest")],
      tasks: [{ text: "Wash it", assignee: { name: "Boris", email: other } }],
    });
    const boris = await idOf(meeting, "Boris");
    expect((await erase(address)).left).toEqual([]);
    expect(await readTurns(meeting)).toEqual([turnOf(random, "Boris"), turnOf("b", "Guest")]);
    const { tasks: shown } = await server.data(anna.key, "me/tasks.list");
    expect(shown[0]?.assignee).toEqual({ id: boris, name: "Boris", email: other });
  });
});

test.each(["joann@whole.example", "ann@whole.example.org", "x-ann@whole.example", "ann@whole.example-x.org"])(
  "an erasure by an address leaves %s alone, as address, label and name",
  async (other) => {
    const anna = await given.person();
    const [asLabel, asName, asAddress] = [
      said(other, "Joann"),
      said("s1", other),
      said("s1", "Joann", other),
    ];
    const meetings = [
      await given.meeting(anna, { transcript: [asLabel] }),
      await given.meeting(anna, { transcript: [asName] }),
      await given.meeting(anna, { transcript: [asAddress, said("s2", "Ann", "ann@whole.example")] }),
    ];
    const before = await Promise.all(meetings.slice(0, 2).map(readTurns));
    expect((await erase("ann@whole.example")).left).toEqual([]);
    expect(await Promise.all(meetings.slice(0, 2).map(readTurns))).toEqual(before);
    const { participants } = await read(meetings[2] as Meeting);
    expect(participants.map(({ name }) => name).toSorted()).toEqual(["Erased person", "Joann"]);
  },
);

test("409: an erasure that was confirmed without meetings on hold leaves those as they are", async () => {
  const { admin } = await given.company();
  const guest = "nina@hold.example";
  const held = await given.meeting(admin, { transcript: [said("a", "Nina", guest)] });
  await server.db.insert(meetingHolds).values({ meetingId: held.meetingId, actor: admin.userId });
  const sought = await findSought(server.db, guest);
  expect((await findPerson(server.db, sought)).others).toMatchObject({
    meetingIds: [held.meetingId],
    held: 1,
  });
  const before = await read(held);
  await expect(eraseFromMeetings(server.db, OPERATOR, sought, 10)).rejects.toMatchObject({
    code: "CONFLICT",
  });
  expect(await read(held)).toEqual(before);
  await eraseFromMeetings(server.db, OPERATOR, sought, 10, { eraseHeld: true });
  expect((await read(held)).participants.map(({ name }) => name)).toEqual(["Erased person"]);
});

test("an erasure by an unconfirmed person's ID spares who is confirmed while it runs", async () => {
  const company = await given.company();
  const meeting = await given.meeting(company.admin, { transcript: [said("a", "Nora Secretname9")] });
  const sought = await findSought(server.db, await idOf(meeting, "Nora Secretname9"));
  expect(sought.isGuess).toBe(true);
  const path = `/meetings/${meeting.meetingId}/speakers/a`;
  expect((await ask(company.key, "PATCH", path, { baseVersion: 1, name: "Nora Other" })).status).toBe(200);
  expect(await eraseFromMeetings(server.db, OPERATOR, sought, 10)).toEqual([]);
  await eraseElsewhere(server.db, OPERATOR, sought);
  expect(await eraseFromDirectories(server.db, sought)).toEqual({ personIds: [], renamedIds: [] });
  expect((await read(meeting)).participants.map(({ name }) => name)).toEqual(["Nora Other"]);
});

test("an erasure by an unconfirmed person's ID takes out everybody of this name only, and nobody else", async () => {
  const company = await given.company();
  const [anna, boris] = [await given.member(company), await given.member(company)];
  const [name, email] = ["Nora Secretname8", "nora8@a.example"];
  const guessed = [
    await given.meeting(anna, { transcript: [said("a", name), said("b", "Guest")] }),
    await given.meeting(boris, { transcript: [said("a", name)] }),
  ];
  const stranger = await given.person();
  const kept = [
    await given.meeting(anna, { transcript: [said("a", name, email)] }),
    await given.meeting(anna, { transcript: [said("a", `${name}-Jones`)] }),
    await given.meeting(stranger, { transcript: [said("a", name)] }),
  ];
  const confirmed = await given.meeting(anna, { transcript: [said("a", "Speaker 1"), said("b", name)] });
  const path = `/meetings/${confirmed.meetingId}/speakers/a`;
  const named = await ask<EditedSpeaker>(company.key, "PATCH", path, { baseVersion: 1, name });
  expect(named.status).toBe(200);

  const list = async () =>
    ((await get(company.key, "/rest/v1/workspace/people?name=secretname8")).body as PeoplePage).people.map(
      (one) => ({ ...one, key: `${one.name} ${one.confirmed} ${one.meetings}` }),
    );
  const listed = await list();
  expect(listed.map(({ key }) => key).toSorted()).toEqual([
    `${name} false 3`,
    `${name} true 1`,
    `${name} true 1`,
    `${name}-Jones false 1`,
  ]);
  const { id } = listed.find(({ key }) => key === `${name} false 3`) ?? { id: "" };
  const sought = await findSought(server.db, id);
  expect(sought).toMatchObject({ emails: [], isGuess: true });
  const found = await findPerson(server.db, sought);
  expect(found.others.meetingIds).toEqual(
    [...guessed, confirmed].map(({ meetingId }) => meetingId).toSorted(),
  );
  expect((await erase(id)).left).toEqual([]);

  for (const meeting of guessed) expect((await read(meeting)).participants[0]?.name).toBe("Erased person");
  for (const meeting of kept) expect((await read(meeting)).participants[0]?.name).toContain(name);
  expect((await read(confirmed)).participants.map((one) => one.name)).toEqual([name, "Erased person"]);
  expect((await list()).map(({ key }) => key).toSorted()).toEqual([
    `${name} true 1`,
    `${name} true 1`,
    `${name}-Jones false 1`,
  ]);
  const erased = await get(company.key, "/rest/v1/workspace/people?name=erased");
  expect((erased.body as PeoplePage).people).toEqual([]);
});

test("a link that masks names ends, because texts still have the person's; one that shows them stays", async () => {
  const company = await given.company();
  const owner = await given.member(company);
  const email = "talker@b.example";
  const { meetingId } = await given.meeting(owner, { transcript: [said("a", "Talia Talker", email)] });
  const { workspaceId } = company;
  for (const masksNames of [true, false])
    await server.db.insert(publicLinks).values({
      ...{ id: `lnk_${masksNames}`, hash: Buffer.from(`link ${masksNames}`), meetingId, workspaceId },
      ...{ scope: "transcript", masksNames, expiresAt: "2100-01-01T00:00:00.000Z" },
    });
  await erase(email);
  const links = await server.db.select().from(publicLinks).where(eq(publicLinks.meetingId, meetingId));
  expect(links.map(({ masksNames }) => masksNames)).toEqual([false]);
});

test("an account reports when its address was changed; erasing the former address finds meetings with it, not the account", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const meeting = await given.meeting(anna, { transcript: [said("b", "Ben Former", ben.email)] });
  const find = async (email: string) => findPerson(server.db, await findSought(server.db, email));
  const addressSetAt = null;
  expect((await find(ben.email)).accounts).toMatchObject([{ userId: ben.userId, addressSetAt }]);
  const email = `new-${ben.email}`;
  await updateUser(server.db, OPERATOR, { user: ben.userId, email });
  expect(await find(email)).toMatchObject({
    accounts: [{ userId: ben.userId, addressSetAt: expect.stringMatching(/Z$/) }],
    others: { meetingIds: [] },
  });
  expect(await find(ben.email)).toMatchObject({ accounts: [], others: { meetingIds: [meeting.meetingId] } });
  expect((await erase(ben.email)).left).toEqual([]);
  expect((await find(email)).accounts).toHaveLength(1);
});
