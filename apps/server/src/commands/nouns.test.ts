import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { CalendarState } from "@minutes/contract";
import { hashToken } from "@minutes/core";
import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { SAMPLE_FILE } from "../operations/import/sample-file.js";
import { openInstallation } from "../testing/installation.js";
import { temporaryDir } from "../testing/process.js";

const { auditLog, oneTimeLinks } = schema;
const ANN = "ann@example.com";
const BEN = "ben@example.com";

interface Row {
  readonly id: string;
  readonly name: string;
}

/** Sends a text to the stdin of the commands that follow. */
const stdin = (text: string) =>
  vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([text]) as unknown as typeof process.stdin);
afterEach(() => vi.restoreAllMocks());

// Later tests show what earlier ones made.
describe("every noun has the same verbs", { ...needs("embedded"), shuffle: false }, () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  let ann: { id: string; workspaceId: string };
  beforeAll(async () => {
    installation = await openInstallation({ WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" });
    const { json } = installation;
    await json("workspaces", "create", "Acme", "--plan", "team");
    ann = await json("users", "create", ANN, "--workspace", "Acme");
    await json("users", "create", BEN, "--workspace", "Acme");
  });
  afterAll(() => installation.close());

  test("a user is found by id, and has the id in every result", async () => {
    const { json } = installation;
    expect(await json("users", "update", ann.id, "--name", "Ann Ashe")).toMatchObject({
      id: ann.id,
      name: "Ann Ashe",
    });
    expect(await json("users", "get", ann.id)).toMatchObject({ id: ann.id, email: ANN, name: "Ann Ashe" });
    expect(await json("users", "list")).toContainEqual(expect.objectContaining({ id: ann.id }));
    expect(await json("workspaces", "members", "Acme")).toContainEqual(
      expect.objectContaining({ id: ann.id }),
    );
    expect(await json("login", ann.id)).toMatchObject({ id: ann.id });
    const unknown = await installation.run("users", "get", "usr_none");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('No user has this id: usr_none. "minutes users list" lists them.'),
    ]);
  });

  test("a name that nothing has is repeated, with the command that lists what exists", async () => {
    for (const args of [
      ["users", "create", "dee@example.com", "--workspace", "Skagen"],
      ["workspaces", "get", "Skagen"],
    ]) {
      const { code, stderr } = await installation.run(...args);
      const message = 'No such workspace: Skagen. "minutes workspaces list" lists them.';
      expect([code, stderr], args.join(" ")).toEqual([1, expect.stringContaining(message)]);
    }
  });

  test("a new user gets a link that signs them in once", async () => {
    const made = await installation.run("users", "create", "cay@example.com");
    const [, token = ""] = /\/sign-in#(mlk_\w+)$/m.exec(made.stderr) ?? [];
    const links = await installation.db
      .select()
      .from(oneTimeLinks)
      .where(eq(oneTimeLinks.hash, hashToken(token)));
    expect(links).toMatchObject([{ userId: made.stdout.split(" ")[0], purpose: "sign-in" }]);
  });

  test("an admin invites several people at once; each address has its own result, in the workspace's audit log", async () => {
    const { json, run } = installation;
    type Result = { email: string; id: string; link: string; error?: string };
    const noun = "invitations";
    const refused = await run(noun, "create", ANN, "una@example.com", BEN, "una@example.com", "no address");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("1 of 3 invited.")]);
    expect(refused.stdout).toMatch(
      /^una@example\.com {2}not sent by e-mail, pass it on: http:\S+\/invitation#miv_\w+$/m,
    );
    expect(refused.stdout).toContain(
      `${BEN}  not invited: This person is already a member of the workspace.`,
    );
    expect(refused.stdout).toMatch(/^no address {2}not invited: .*email/m);
    const made = await json<Result[]>(noun, "create", ANN, "una@example.com", "--role", "admin");
    expect(made).toMatchObject([{ email: "una@example.com", mailed: false, renewed: true }]);
    const id = made[0]?.id ?? "";
    expect(await json(noun, "list", ANN)).toMatchObject([{ id, email: "una@example.com", role: "admin" }]);
    for (const args of [
      ["create", BEN, "vic@example.com"],
      ["create", "nobody@example.com", "vic@example.com"],
      ["delete", ANN, "inv_none"],
    ])
      expect(await run(noun, ...args), args.join(" ")).toMatchObject({ code: 1, stdout: "" });
    expect(await json(noun, "delete", ANN, id)).toEqual({ id });
    expect(await json(noun, "list", ANN)).toEqual([]);
    const log = await installation.db.select().from(auditLog).where(eq(auditLog.object, id));
    expect(log.map(({ actor, action, shownIn }) => [actor, action, shownIn])).toEqual(
      ["create", "renew", "revoke"].map((what) => ["operator", `invitation.${what}`, ann.workspaceId]),
    );
  });

  test("a workspace is renamed, and not to the name of another", async () => {
    const { json, run } = installation;
    const { id } = await json<Row>("workspaces", "create", "Globex");
    expect(await json("workspaces", "update", "Globex", "--name", "Initech")).toMatchObject({
      id,
      name: "Initech",
    });
    expect(await json("workspaces", "update", "Initech", "--plan", "pro")).toMatchObject({ id, plan: "pro" });
    expect(await json("workspaces", "get", id)).toEqual({ id, name: "Initech", plan: "pro", members: 0 });
    const taken = await run("workspaces", "update", id, "--name", "Acme");
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining("has this name")]);
  });

  test("a workspace has keys that no user created", async () => {
    const { json, run } = installation;
    const noun = "keys";
    for (const kind of [[], ["--ingest"]]) {
      const made = await json<{ id: string; key: string }>(noun, "create", "--workspace", "Acme", ...kind);
      const { id, key } = made;
      await json(noun, "update", id, "--name", "Nightly");
      const listed = await json<Row[]>(noun, "list", "--workspace", ann.workspaceId);
      expect(listed).toContainEqual(expect.objectContaining({ id, name: "Nightly", createdBy: null }));
      const again = await json<{ id: string; key: string }>(noun, "regenerate", id);
      expect(again.id).toBe(id);
      expect(again.key).not.toBe(key);
      expect(again.key.slice(0, 3)).toBe(key.slice(0, 3));
      expect(await json(noun, "list", "--workspace", "Acme")).toContainEqual(await json(noun, "get", id));
      expect(await json(noun, "disable", id)).toEqual({ id });
      expect(await json(noun, "get", id)).toMatchObject({ disabledAt: expect.any(String) });
      expect((await run(noun, "list", "--workspace", "Acme")).stdout).toContain("disabled");
      await json(noun, "enable", id);
      expect(await json(noun, "get", id)).toMatchObject({ disabledAt: null });
      expect((await run(noun, "get", "none")).stderr).toContain("No such key");
      const neither = await run(noun, "create");
      expect([neither.code, neither.stderr]).toEqual([2, expect.stringContaining("Give either a user or")]);
      expect((await run(noun, "list", ANN, "--workspace", "Acme")).code).toBe(2);
    }
  });

  test("tags, shares, meetings and tasks", async () => {
    const { json, run } = installation;
    const tag = await json<Row>("tags", "create", ANN, "Plan");
    expect((await run("tags", "create", ANN, "Plan")).stderr).toContain("another tag with this name");
    await json("tags", "create", ANN, "Budget");
    expect((await run("tags", "update", tag.id, "--name", "Budget")).stderr).toContain(
      "another tag with this name",
    );
    await json("tags", "update", tag.id, "--name", "Roadmap");
    expect(await json("tags", "get", tag.id)).toMatchObject({ id: tag.id, name: "Roadmap", sharedWith: [] });

    const file = SAMPLE_FILE;
    const imported = await json<{ created: number }>("import", file, "--owner", ann.id, "--tag", "Roadmap");
    expect(imported.created).toBe(1);
    expect(await json("import", file, "--owner", ann.id, "--dry-run")).toMatchObject({
      ...{ valid: 0, unchanged: 1 },
      failed: [],
    });
    const list = async (user: string) =>
      (await json<{ meetings: { id: string }[] }>("meetings", "list", user)).meetings.map(({ id }) => id);
    const [meetingId = ""] = await list(ANN);
    expect(await json("meetings", "get", meetingId)).toMatchObject({
      id: meetingId,
      tags: expect.arrayContaining([expect.objectContaining({ name: "Roadmap" })]),
    });
    expect(await list(BEN)).toEqual([]);
    for (const id of [meetingId, tag.id]) {
      expect(await json("shares", "create", id, BEN)).toEqual({ id, with: BEN });
      const share = expect.objectContaining({ id, name: expect.any(String), with: BEN });
      for (const of of [id, ANN, ann.id]) expect(await json("shares", "list", of)).toEqual([share]);
      expect(await list(BEN)).toEqual([meetingId]);
      await json("shares", "delete", id, BEN);
      expect(await json("shares", "list", ann.id)).toEqual([]);
      expect(await list(BEN)).toEqual([]);
    }

    const tasks = async (...filters: string[]) =>
      (await json<{ tasks: { id: string; text: string }[] }>("tasks", "list", ANN, ...filters)).tasks;
    const [task = { id: "", text: "" }] = await tasks("--open");
    expect(await json("tasks", "complete", task.id)).toEqual({ taskId: task.id, completed: true });
    await json("tasks", "update", task.id, "--text", "Order bread");
    expect(await tasks("--completed", "--meeting", meetingId)).toContainEqual(
      expect.objectContaining({ id: task.id, text: "Order bread" }),
    );
    expect(await json("tasks", "get", task.id)).toMatchObject({ id: task.id, text: "Order bread" });
    await installation.db.execute(sql`update tasks set due_on = '2026-03-14' where id = ${task.id}`);
    for (const verb of [
      ["list", ANN],
      ["get", task.id],
    ]) {
      const [header = "", ...rows] = (await run("tasks", ...verb)).stdout.split("\n");
      expect(header).toMatch(/^ID +STATE +DUE +ASSIGNEE +MEETING +TEXT$/);
      expect(rows).toContainEqual(expect.stringMatching(new RegExp(`^${task.id} +completed +2026-03-14 `)));
    }
    await json("tasks", "reopen", task.id);
    expect((await tasks("--open")).map(({ id }) => id)).toContain(task.id);

    await json("tags", "delete", tag.id, "--yes");
    expect((await json<Row[]>("tags", "list", ANN)).map(({ id }) => id)).not.toContain(tag.id);
    expect(await json("meetings", "delete", meetingId, "--yes")).toMatchObject({
      deletedMeetingId: meetingId,
    });
    expect((await run("meetings", "get", meetingId)).stderr).toContain("Meeting not found");
    const { entries } = await json<{ entries: { action: string }[] }>("audit", "--object", meetingId);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["meeting.get", "meeting.delete"]),
    );
  });

  test("tags, keys and webhooks are found by name; an ID comes first, and an ambiguous name is refused", async () => {
    const { json, run } = installation;
    const tag = await json<Row>("tags", "create", ANN, "Hiring");
    expect(await json("tags", "get", "Hiring")).toMatchObject({ id: tag.id });
    const key = await json<Row>("keys", "create", ANN, "--name", "Scripts");
    const other = await json<Row>("keys", "create", BEN, "--name", key.id);
    expect(await json("keys", "disable", "Scripts")).toEqual({ id: key.id });
    expect(await json("keys", "get", key.id)).toMatchObject({ id: key.id, name: "Scripts" });
    await json("keys", "update", other.id, "--name", "Scripts");
    const ambiguous = await run("keys", "revoke", "Scripts");
    expect([ambiguous.code, ambiguous.stderr]).toEqual([
      1,
      expect.stringContaining("Several have this name."),
    ]);
    expect(ambiguous.stderr).toContain(other.id);
    const ingestKey = await json<Row>("keys", "create", ANN, "--ingest", "--name", "Recorder");
    expect(await json("keys", "get", "Recorder")).toMatchObject({ id: ingestKey.id });
    const hook = ["https://hooks.example.com/named", "--name", "Alarms"];
    const webhook = await json<Row>("webhooks", "create", ANN, ...hook);
    expect(await json("webhooks", "get", "Alarms")).toMatchObject({ id: webhook.id });
    const limited = await run("webhooks", "update", "Alarms", "--tags", "Hiring", "Logistics");
    expect(limited.stderr).toContain(`The user doesn't have a tag named "Logistics": nothing is sent for it`);
    expect(limited.stderr).not.toContain(`named "Hiring"`);
    expect((await run("webhooks", "get", "Alarms")).stdout).toContain("Hiring, Logistics");
    expect(await json("webhooks", "update", "Alarms", "--no-tags")).toMatchObject({ tags: [] });
    const repeated = await run(
      "webhooks",
      "create",
      ANN,
      "https://HOOKS.example.com/named",
      "--name",
      "Again",
      ...["--tags", "Hiring", "Unknown"],
    );
    expect(repeated.stderr).toContain(`${webhook.id} sends to the same URL`);
    expect(repeated.stderr).toContain(`The user doesn't have a tag named "Unknown": nothing is sent for it`);
    expect(repeated.stderr).not.toContain(`named "Hiring"`);
    await json("webhooks", "delete", "Again", "--yes");
    await json("webhooks", "test", "Alarms", "--no-wait");
    expect(await json("webhooks", "deliveries", "Alarms")).toMatchObject({ deliveries: [{}] });
    const from = ["--from", "2026-01-05T00:00:00Z"];
    expect(await json("webhooks", "redeliver", "--webhook", "Alarms", ...from)).toBeDefined();
    expect((await run("tags", "get", "Nothing")).stderr).toContain("No such tag");
    await json("webhooks", "delete", "Alarms", "--yes");
    for (const id of [key.id, other.id]) await json("keys", "revoke", id);
    await json("keys", "revoke", "Recorder");
    await json("tags", "delete", "Hiring", "--yes");
  });

  test("audio: a workspace keeps it for some days, and discards it", async () => {
    const { json, run } = installation;
    expect(await json("audio", "keep", "Acme", "7")).toEqual({ days: 7 });
    expect(await json("audio", "get", "Acme")).toMatchObject({ days: 7, bytes: 0 });
    expect((await run("audio", "keep", "Acme", "0")).code).toBe(1);
    expect(await json("audio", "discard", "Acme", "--yes")).toEqual({ days: null });
    expect((await run("audio", "get", "Acme")).stdout).toContain("Audio is not kept");
  });

  test("public-links: they are allowed, listed, revoked and forbidden, by the operator too", async () => {
    const { json, run } = installation;
    expect(await json("public-links", "allow", "Acme")).toEqual({ allowed: true });
    expect(await json("public-links", "list", "Acme")).toEqual([]);
    const unknown = await run("public-links", "revoke", "lnk_unknown");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("No such public link: ")]);
    expect(await json("public-links", "forbid", "Acme", "--yes")).toEqual({ allowed: false });
    const list = await run("public-links", "list", "Acme");
    expect(list.stdout + list.stderr).toContain("doesn't allow public links");
  });

  test("calendar: it is set, shown without its address, refreshed and removed; its events are listed", async () => {
    const { json, run, db } = installation;
    const unset = { available: expect.any(Boolean), calendar: null };
    expect(await json("calendar", "show", ANN)).toEqual(unset);
    expect(await json("calendar", "refresh", ANN)).toEqual(unset);
    const address = "https://127.0.0.1/s3cr3t.ics";
    for (const [given, code, sentence] of [
      ["", 2, "Secret address: type it at the prompt, or send it to stdin."],
      ["ftp://127.0.0.1/s3cr3t.ics\n", 1, "https://"],
    ] as const) {
      stdin(given);
      const refused = await run("calendar", "set", ANN);
      expect([given, refused.code, refused.stderr]).toEqual([given, code, expect.stringContaining(sentence)]);
    }
    expect((await run("calendar", "set", ANN, address)).code).toBe(2);
    stdin(`${address}\n`);
    const set = await run("calendar", "set", ANN);
    expect([set.code, set.stdout]).toEqual([0, expect.stringContaining("host    127.0.0.1")]);
    expect(set.stdout + set.stderr).not.toContain("s3cr3t");
    await db.insert(schema.calendarEntries).values({
      ...{
        userId: ann.id,
        id: "cev_one",
        uid: "one",
        title: "Gearbox review",
        allDay: false,
        attendees: "[]",
      },
      startTime: new Date(Date.now() + 3_600_000).toISOString(),
      endTime: new Date(Date.now() + 7_200_000).toISOString(),
    });
    expect((await run("calendar", "show", ANN)).stdout).toContain("host    127.0.0.1");
    await db.update(schema.calendars).set({ dueAt: sql`now() + interval '1 day'` });
    const { calendar } = await json<CalendarState>("calendar", "refresh", ANN);
    expect(Date.parse(calendar?.dueAt ?? "")).toBeLessThan(Date.now() + 3_600_000);
    expect(await json("upcoming", ANN)).toMatchObject([{ id: "cev_one", title: "Gearbox review" }]);
    expect((await run("upcoming", ANN)).stdout).toContain("Gearbox review");
    await json("calendar", "remove", ANN, "--yes");
    expect(await json("calendar", "show", ANN)).toEqual(unset);
    expect(await json("upcoming", ANN)).toEqual([]);
  });

  test("digests: none can be asked for without a mail server, and ending them works", async () => {
    const { json, run } = installation;
    const refused = await run("digests", "update", ANN, "--meeting", "on");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("sets SMTP_URL")]);
    const off = { available: false, meeting: false, week: false };
    expect(await json("digests", "update", ANN, "--meeting", "off")).toEqual(off);
    expect(await json("digests", "get", ANN)).toEqual(off);
  });

  test("retention: rules of a workspace are set, counted and deleted, and meetings are held", async () => {
    const { json, run } = installation;
    await json("import", SAMPLE_FILE, "--owner", ANN, "--restore");
    const [meeting] = (await json<{ meetings: Row[] }>("meetings", "list", ANN)).meetings;
    expect(await json("retention", "dry-run", "Acme", "--days", "1")).toMatchObject({ meetings: 1, held: 0 });
    expect(await json("retention", "dry-run", "Acme")).toMatchObject({
      meetings: 0,
      held: 0,
      nextRunAt: null,
    });
    const { id } = await json<Row>("retention", "set", "Acme", "1", "--yes");
    expect(await json("retention", "list", "Acme")).toMatchObject([{ id, days: 1, tag: null }]);
    expect(await json("meetings", "hold", meeting?.id ?? "")).toEqual({ id: meeting?.id });
    expect(await json("retention", "dry-run", "Acme")).toMatchObject({ meetings: 0, held: 1 });
    expect((await run("retention", "dry-run", "Acme")).stdout).toContain("and 1 more are on hold");
    await json("meetings", "release", meeting?.id ?? "");
    const ofTag = await run("retention", "set", "Acme", "9", "--tag", "Misspelled", "--yes");
    expect([ofTag.code, ofTag.stderr]).toEqual([
      0,
      expect.stringContaining('No member has a tag named "Misspelled"'),
    ]);
    const [, rule] = await json<Row[]>("retention", "list", "Acme");
    await json("retention", "delete", rule?.id ?? "");
    expect(await json("retention", "delete", id)).toEqual({ id });
    expect((await run("retention", "delete", id)).stderr).toContain("No such retention rule");
    await json("meetings", "delete", meeting?.id ?? "", "--yes");
  });

  test("people are found by ID, name or address, renamed and merged; each change is in the audit log", async () => {
    const { json, run } = installation;
    const file = join(await temporaryDir(), "two.json");
    const said = (speakerId: string, speakerName: string) => ({
      ...{ speakerId, speakerName, speakerEmail: `${speakerId}@guest.example`, text: "Hello" },
    });
    const transcript = [said("ute", "Ute"), said("vera", "Vera")];
    const times = { startTime: "2026-01-05T10:00:00Z", endTime: "2026-01-05T11:00:00Z" };
    await writeFile(file, JSON.stringify({ externalId: "two", title: "Two", ...times, transcript }));
    await json("import", file, "--owner", ANN);
    interface People {
      readonly people: readonly (Row & { emails: string[]; meetings: number })[];
      readonly nextCursor: string | null;
    }
    const first = await json<People>("people", "list", "Acme", "--limit", "1");
    const rest = await json<People>("people", "list", "Acme", "--cursor", first.nextCursor ?? "");
    const [one, two] = [...first.people, ...rest.people].filter(({ emails }) => emails.length > 0);
    if (!one || !two) throw new Error("Two people are missing.");
    expect(await json("people", "list", "Acme", "--name", two.name)).toMatchObject({
      people: [{ id: two.id }],
    });
    expect(await json("people", "get", one.name)).toMatchObject({ id: one.id, emails: one.emails });
    expect(await json("people", "get", one.emails[0]?.toUpperCase() ?? "")).toMatchObject({ id: one.id });
    expect(await json("people", "update", one.name, "--name", "Renamed Person")).toMatchObject({
      personId: one.id,
      meetings: one.meetings,
    });
    const merge = ["people", "merge", two.emails[0] ?? "", "--into", "Renamed Person"];
    expect(await json(...merge, "--dry-run")).toMatchObject({ personId: one.id });
    const asked = await run(...merge);
    expect(asked.stderr).toMatch(
      /^Merge \S+ into \S+\? \d+ meetings and \d+ tasks will refer to one person; "people unmerge" undoes it; add --yes/m,
    );
    expect(asked.stderr).not.toContain("can't be undone");
    expect(await json(...merge, "--yes")).toMatchObject({ personId: one.id, meetings: two.meetings });
    for (const known of [one.id, two.id, one.emails[0], two.emails[0], "Renamed Person"])
      expect(await json("people", "get", known ?? ""), known).toMatchObject({ id: one.id });
    expect(await json("people", "unmerge", two.id)).toMatchObject({
      personId: two.id,
      meetings: two.meetings,
    });
    expect(await json("people", "get", two.name)).toMatchObject({ id: two.id, name: two.name });
    expect(await json(...merge, "--yes")).toMatchObject({ personId: one.id });
    expect((await run("people", "get", two.name)).stderr).toContain(
      `No such person: ${two.name}. "minutes people list <workspace>" lists them.`,
    );
    expect((await run("people", "list", "Nowhere")).code).toBe(1);
    const { entries } = await json<{ entries: { action: string }[] }>("audit", "--object", two.id);
    expect(entries).toContainEqual(expect.objectContaining({ action: "person.merge", actor: "operator" }));
  });

  test("a person known only by name is confirmed in all meetings; before, merge and update say so", async () => {
    const { json, run } = installation;
    const dir = await temporaryDir();
    const times = { startTime: "2026-01-06T10:00:00Z", endTime: "2026-01-06T11:00:00Z" };
    for (const day of ["1", "2"]) {
      const transcript = [{ speakerId: "s1", speakerName: "Xenia", text: "Hello" }];
      const meeting = { externalId: `xenia-${day}`, title: `Xenia ${day}`, ...times, transcript };
      await writeFile(join(dir, `${day}.json`), JSON.stringify(meeting));
      await json("import", join(dir, `${day}.json`), "--owner", ANN);
    }
    const { people } = await json<{ people: { id: string; meetings: number; confirmed: boolean }[] }>(
      ...["people", "list", "Acme", "--name", "Xenia"],
    );
    expect(people).toMatchObject([{ meetings: 2, confirmed: false }]);
    const id = people[0]?.id ?? "";
    const { personId: other } = await json<{ personId: string }>(
      ...["people", "update", "ute@guest.example", "--name", "Ute"],
    );
    for (const args of [
      ["merge", id, "--into", other],
      ["merge", other, "--into", id, "--yes"],
      ["update", id, "--name", "Xenia X."],
    ]) {
      const refused = await run("people", ...args);
      expect(refused.code, args.join(" ")).toBe(2);
      expect(refused.stderr).toContain(
        `${id} is known only by name. Say who they are first: minutes people confirm`,
      );
    }
    expect((await run("people", "confirm", id)).code).toBe(2);
    const confirmed = await json<{ personId: string }>(
      ...["people", "confirm", id, "--email", "xenia@guest.example"],
    );
    expect(confirmed).toMatchObject({ meetings: [{}, {}], remaining: 0 });
    expect(await json("people", "get", "xenia@guest.example")).toMatchObject({
      ...{ id: confirmed.personId, name: "Xenia", meetings: 2, confirmed: true },
    });
    expect(await json("people", "merge", confirmed.personId, "--into", other, "--dry-run")).toMatchObject({
      meetings: 2,
    });
  });

  test("with --json every row of a list has an id, and get has at least the fields of the row", async () => {
    const { json } = installation;
    await json("import", SAMPLE_FILE, "--owner", ANN, "--tag", "Weekly", "--restore");
    const [tag] = await json<Row[]>("tags", "list", ANN);
    await json("shares", "create", tag?.id ?? "", BEN);
    await json("keys", "create", ANN);
    const webhook = await json<Row>("webhooks", "create", ANN, "https://hooks.example.com/minutes");
    await json("webhooks", "test", webhook.id, "--no-wait");

    const read = async (noun: string, verb: string, ...args: string[]) => {
      const result = await json<Row[] | Record<string, Row[]>>(noun, verb, ...args);
      const rows = Array.isArray(result) ? result : (Object.values(result)[0] ?? []);
      expect(rows.length, `${noun} ${verb}`).toBeGreaterThan(0);
      for (const row of rows) expect(row, `${noun} ${verb}`).toHaveProperty("id", expect.stringMatching(/./));
      return rows[0] as Row;
    };
    await read("shares", "list", ANN);
    await read("workspaces", "members", "Acme");
    for (const [noun, list, get, ...args] of [
      ["users", "list", "get"],
      ["workspaces", "list", "get"],
      ["keys", "list", "get", ANN],
      ["webhooks", "list", "get", ANN],
      ["webhooks", "deliveries", "delivery", webhook.id],
      ["meetings", "list", "get", ANN],
      ["tasks", "list", "get", ANN],
      ["tags", "list", "get", ANN],
      ["people", "list", "get", "Acme"],
    ] as const) {
      const row = await read(noun, list, ...args);
      const shown = await json<Row>(noun, get, row.id);
      expect(shown.id).toBe(row.id);
      // A meeting's list and detail have the fields of /v1, which name its user and event differently; only a list of
      // webhooks has their health.
      const listed = Object.keys(row).filter(
        (name) => !["calendarEventId", "userId", "health"].includes(name),
      );
      expect(Object.keys(shown), `${noun} ${get}`).toEqual(expect.arrayContaining(listed));
    }
  });

  test("--workspace takes an ID or a name; an unknown, an ambiguous and another workspace are refused with a sentence", async () => {
    const { json, run, db } = installation;
    await json("workspaces", "add-member", "Acme", ANN, "--role", "admin");
    const twin = (id: string) => ({ id, name: "Twin", plan: "team" }) as const;
    await db.insert(schema.workspaces).values([twin("ws_twin1"), twin("ws_twin2")]);
    const hook = ["webhooks", "create", ANN, "https://hooks.example.com/workspace"];
    for (const command of [
      hook,
      ["keys", "create"],
      ["keys", "list"],
      ["recordings", "list"],
      ["audit"],
      ["export", "--out", await temporaryDir()],
      ["users", "create", "new@example.com"],
    ]) {
      const unknown = await run(...command, "--workspace", "Nowhere");
      expect([unknown.code, unknown.stderr], command.join(" ")).toEqual([
        1,
        expect.stringContaining('No such workspace: Nowhere. "minutes workspaces list" lists them.'),
      ]);
      const ambiguous = await run(...command, "--workspace", "Twin");
      expect([ambiguous.code, ambiguous.stderr], command.join(" ")).toEqual([
        1,
        expect.stringContaining("Several workspaces have this name."),
      ]);
    }
    const other = await run(...hook, "--workspace", "ws_twin1");
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining(`${ANN} is not a member of Twin.`),
    ]);
    for (const workspace of [["Acme"], [ann.workspaceId], []]) {
      const { id } = await json<Row>(...hook, "--workspace", ...workspace);
      expect(await json("webhooks", "get", id)).toMatchObject({ kind: "workspace" });
    }
  });
});
