import { findPlaces, findSought } from "@minutes/core";
import { schema } from "@minutes/db";
import { needs, readPayload } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../config/config.js";
import { createWebhookSettings } from "../config/webhook-settings.js";
import { type FilledDatabase, fillEveryTable } from "../testing/every-table.js";
import type { TestServer } from "../testing/index.js";
import { openInstallationOnDisk } from "../testing/installation.js";
import { serve } from "../testing/same-answers.js";

type Installation = Awaited<ReturnType<typeof openInstallationOnDisk>>;

// The last tests erase what the first ones find.
describe("minutes people erase", { ...needs("embedded"), shuffle: false }, () => {
  let installation: Installation;
  let filled: FilledDatabase;
  let server: TestServer;
  let eventId: bigint;
  beforeAll(async () => {
    installation = await openInstallationOnDisk();
    const { db, dataDir } = installation;
    const env = parseConfig({ DATA_DIR: dataDir, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" });
    filled = await fillEveryTable(db, await createWebhookSettings(env, dataDir));
    server = await serve(installation.connection);
    const { anna, boris } = filled;
    const draft = {
      title: "Unfinished",
      transcript: [
        { speakerId: "a", speakerName: anna.name, speakerEmail: anna.email.toUpperCase(), text: "One" },
        { speakerId: "a", speakerName: anna.name, text: "Two" },
        { speakerId: `of ${anna.email}`, speakerName: anna.name, text: "Two and a half" },
        { speakerId: "b", speakerName: "Boris", text: "Three" },
      ],
      tasks: [{ text: "Ask", assignee: { name: anna.name, email: anna.email } }],
      calendarEvent: { attendees: [{ name: anna.name, email: anna.email }] },
    };
    await db.update(schema.recordingDrafts).set({ userId: boris.userId, content: JSON.stringify(draft) });
    await db.update(schema.invitations).set({ email: anna.email });
    await server.given.meeting(boris, {
      tasks: [{ text: "By name", assignee: { name: anna.name } }],
      calendarEvent: { attendees: [{ name: anna.name, email: anna.email.toUpperCase(), organizer: true }] },
      transcript: [{ speakerId: anna.email, speakerName: anna.name, text: "The label is the address." }],
    });
    await server.given.meeting(boris, {
      summary: { markdown: `Write to ${anna.email}.` },
      transcript: [{ speakerId: "x", speakerName: anna.name, text: "Somebody else?" }],
    });
    const [event] = await db
      .select({ id: schema.webhookEvents.id })
      .from(schema.webhookEvents)
      .where(sql`strpos(data, ${anna.email}) > 0`);
    eventId = event?.id ?? 0n;
  });
  afterAll(async () => {
    await server.close();
    await installation.close();
  });

  const findLeft = async (person: string) =>
    findPlaces(installation.db, await findSought(installation.db, person));
  const rows = async () => JSON.stringify(await findLeft(filled.anna.email));

  test("without a confirmation it lists and changes nothing", async () => {
    const before = await rows();
    const report = await installation.json<Record<string, never>>("people", "erase", filled.anna.email);
    expect(report).toMatchObject({
      erased: false,
      found: {
        accounts: [{ userId: filled.anna.userId }],
        own: { meetings: 4 },
        others: {
          participants: 3,
          attendees: 1,
          assignedTasks: 2,
          recordingIds: ["rec_unfinished"],
          sameName: 1,
        },
        invitations: 1,
      },
      changed: { meetingIds: [], recordingIds: [] },
    });
    const shown = await installation.run("people", "erase", filled.anna.email);
    expect(shown.stdout).toMatch(/other users' meetings +3/);
    expect(shown.stderr).toContain("Nothing was changed: add --yes to erase.");
    expect(shown.stdout).not.toContain(filled.anna.name);
    expect(await rows()).toBe(before);
  });

  test("2: --confirm names another address", async () => {
    const refused = await installation.run(
      "people",
      "erase",
      filled.anna.email,
      "--confirm",
      "x@example.com",
    );
    expect(refused.code).toBe(2);
    expect(await rows()).toContain('"users"');
  });

  test("a name is refused and changes nothing; an unknown address is not reported as erased", async () => {
    const { anna } = filled;
    const versions = () => installation.db.$count(schema.meetingVersionContents);
    const before = await versions();
    const named = await installation.run("people", "erase", anna.name, "--yes");
    expect(named.code).toBe(2);
    expect(named.stderr).toContain("e-mail address or ID (per_…)");
    expect(await versions()).toBe(before);
    const unknown = await installation.run("people", "erase", "nobody@example.com", "--yes");
    expect(unknown.stderr).toContain("No account, meeting or recording has this address or ID.");
    expect(unknown.stderr).not.toContain("Erased.");
  });

  test("erases the account, replaces them in meetings of others, and leaves the address in free texts alone", async () => {
    const { anna, boris } = filled;
    const { db } = installation;
    const feed = async (cursor?: string) =>
      readPayload<{ nextCursor: string; changes: { type: string; id: string }[] }>(
        await server.call(boris.key, "sync/me/changes.list", { limit: 100, ...(cursor ? { cursor } : {}) }),
      );
    const { nextCursor } = await feed();
    const found = await server.call(boris.key, "me/meetings.search", {
      query: "Ö'Brien",
      startDate: "2025-01-01",
    });
    expect(found.text).toContain("Ö'Brien");

    const report = await installation.json<{
      left: unknown;
      changed: { meetingIds: string[]; recordingIds: string[] };
    }>("people", "erase", anna.email, "--confirm", anna.email.toUpperCase(), "--erase-held");
    expect(report.changed.meetingIds).toHaveLength(3);
    expect(report.changed.recordingIds).toEqual(["rec_unfinished"]);
    // The summary that mentions the address, as sent and as rendered, and in the search index.
    const left = await findLeft(anna.email);
    expect([...new Set(left.map(({ table }) => table))].sort()).toEqual([
      "search_chunks",
      "search_postings",
      "summaries",
    ]);
    expect(report.left).toEqual(left);
    expect(JSON.stringify(report)).not.toContain(anna.name);

    const detail = await server.call(boris.key, "me/meetings.get", {
      meetingId: filled.meetings[0]?.meetingId,
    });
    expect(detail.status).toBe(200);
    expect(detail.text).toContain("Erased person");
    expect(detail.text).not.toContain("Ö'Brien");
    expect(detail.text).toContain("Boris");
    const after = await server.call(boris.key, "me/meetings.search", {
      query: "Ö'Brien",
      startDate: "2025-01-01",
    });
    expect(after.text).not.toContain(filled.meetings[0]?.meetingId);
    const speakers = await db
      .select()
      .from(schema.participants)
      .where(eq(schema.participants.name, anna.name));
    expect(speakers).toHaveLength(1);
    const [event] = await db.select().from(schema.webhookEvents).where(eq(schema.webhookEvents.id, eventId));
    expect(event?.data).toContain("Erased person");
    const [draft] = await db.select().from(schema.recordingDrafts);
    const unfinished = JSON.parse(draft?.content ?? "");
    const label = expect.stringMatching(/^spk_/);
    const [one, two, half] = unfinished.transcript.map((turn: { speakerId: string }) => turn.speakerId);
    expect([one === two, one === half]).toEqual([true, false]);
    expect(unfinished).toEqual({
      title: "Unfinished",
      transcript: [
        { speakerId: label, speakerName: "Erased person", text: "One" },
        { speakerId: label, speakerName: "Erased person", text: "Two" },
        { speakerId: label, speakerName: "Erased person", text: "Two and a half" },
        { speakerId: "b", speakerName: "Boris", text: "Three" },
      ],
      tasks: [{ text: "Ask" }],
      calendarEvent: { attendees: [{ name: "Erased person", email: "erased@erased.invalid" }] },
    });
    const changes = await feed(nextCursor);
    const sent = changes.changes.filter(({ type }) => type === "meeting").map(({ id }) => id);
    expect(sent).toEqual(expect.arrayContaining(report.changed.meetingIds));
  });

  test("a repeat finds nothing to change", async () => {
    const again = await installation.json("people", "erase", filled.anna.email, "--yes");
    expect(again).toMatchObject({
      found: { accounts: [], others: { meetingIds: [], recordingIds: [] }, invitations: 0 },
      changed: { meetingIds: [], recordingIds: [] },
    });
  });

  test("by ID erases a person under all their addresses and IDs, with or without an address", async () => {
    const { boris, company } = filled;
    const { db } = installation;
    const said = (speakerId: string, speakerName: string, speakerEmail?: string) => ({
      ...{ speakerId, speakerName, text: "The quokka is awake." },
      ...(speakerEmail ? { speakerEmail } : {}),
    });
    const { meetingId } = await server.given.meeting(boris, {
      transcript: [said("a", "Quirin", "quirin@a.example"), said("b", "Walkin"), said("c", "Boris")],
      tasks: [{ text: "Feed it", assignee: { name: "Quirin Q.", email: "Quirin@B.example" } }],
      calendarEvent: { attendees: [{ name: "Quirin", email: "quirin@b.example", organizer: false }] },
    });
    const idOf = async (name: string) => {
      const { participants } = await server.data(boris.key, "me/meetings.get", { meetingId });
      const { tasks } = await server.data(boris.key, "me/tasks.list");
      const people = [...participants, ...tasks.map(({ assignee }) => assignee)];
      return people.find((one) => one?.name === name)?.id ?? "";
    };
    const [first, second] = [await idOf("Quirin"), await idOf("Quirin Q.")];
    await installation.db
      .update(schema.people)
      .set({ mergedInto: second })
      .where(eq(schema.people.id, first));
    await db.update(schema.invitations).set({ email: "quirin@b.example" });

    const report = await installation.json("people", "erase", first, "--confirm", first);
    expect(report).toMatchObject({
      found: { accounts: [], others: { participants: 1, attendees: 1, assignedTasks: 1 } },
      changed: { meetingIds: [meetingId] },
      left: [],
    });
    for (const gone of [first, second, "quirin@a.example", "quirin@b.example"])
      expect(await findLeft(gone), gone).toEqual([]);
    const people = sql`${schema.people.workspaceId} = ${company.workspaceId} and name like 'Quirin%'`;
    expect(await db.$count(schema.people, people)).toBe(0);

    const guest = await idOf("Walkin");
    expect(await installation.json("people", "erase", guest, "--yes")).toMatchObject({
      changed: { meetingIds: [meetingId] },
      left: [],
    });
    expect(await findLeft(guest)).toEqual([]);
    const detail = await server.data(boris.key, "me/meetings.get", { meetingId });
    expect(detail.participants.map(({ name }) => name)).toEqual(["Erased person", "Erased person", "Boris"]);
    expect(JSON.stringify(detail)).not.toMatch(/quirin|walkin/i);
    expect(await installation.json("people", "erase", guest, "--yes")).toMatchObject({
      changed: { meetingIds: [], recordingIds: [] },
    });
  });

  test("1: an ID that a recorder gave contains the address, which is not complete", async () => {
    const externalId = "call:rita@a.example";
    await server.given.meeting(filled.boris, { externalId });
    const { code, stderr } = await installation.run("people", "erase", "rita@a.example", "--yes");
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nNot complete: \w+\.external_id \(1\).* still identify the person\. .*\n$/);
    const json = await installation.run("people", "erase", "rita@a.example", "--yes", "--json");
    expect([json.code, json.stderr.match(/Not complete/g)?.length]).toEqual([1, 1]);
    expect(JSON.parse(json.stdout)).toMatchObject({ erased: true, complete: false });
  });

  test("1: what can't be replaced is reported instead of tried for ever", async () => {
    const { db } = installation;
    const speaker = { speakerId: "a", speakerName: "Sana", speakerEmail: "sana@a.example", text: "Hello" };
    await server.given.meeting(filled.boris, { transcript: [speaker] });
    await db.execute(sql`create function keep_email() returns trigger language plpgsql
      as 'begin new.email := old.email; return new; end'`);
    await db.execute(sql`create trigger keep_email before update on ${schema.participants}
      for each row execute function keep_email()`);
    const { code, stderr } = await installation.run("people", "erase", "sana@a.example", "--yes");
    await db.execute(sql`drop trigger keep_email on ${schema.participants}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("participants.email (1)")]);
    const erased = await installation.json<{ id: string }>("people", "erase", "sana@a.example", "--yes");
    expect(erased).toMatchObject({ complete: true });
    const { entries } = await installation.json<{ entries: object[] }>("audit", "--action", "person.erase");
    expect(entries[0]).toMatchObject({ action: "person.erase", object: erased.id, actor: "operator" });
  });
});
