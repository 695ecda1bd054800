import { type Change, type ChangePage, LIMITS } from "@minutes/contract";
import {
  insertMeetings,
  type Meeting,
  needs,
  openTestApi,
  type Person,
  type TestApi,
  waitForFeed,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  deleteTag,
  eraseUser,
  leaveWorkspace,
  OPERATOR,
  setEmail,
  unshareMeeting,
  unshareTag,
  untagMeeting,
} from "../index.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

type Input = { limit?: number; include?: ["detail"] };

/** A copy maintained only by the feed. */
class Copy {
  cursor: string | undefined;
  readonly objects = new Map<string, unknown>();

  constructor(
    readonly key: string,
    readonly route: "sync/me/changes.list" | "sync/workspace/changes.list" = "sync/me/changes.list",
    readonly input: Input = {},
  ) {}

  /** Reads and applies all pages once the feed has reached every change. @returns what `read` returns */
  async sync(): Promise<string[]> {
    await waitForFeed(api.db);
    return this.read();
  }

  /** Reads and applies all pages. @returns entries such as `upsert meeting mtg_…`, in order */
  async read(): Promise<string[]> {
    const changes: Change[] = [];
    let page: ChangePage;
    do {
      page = await api.data(this.key, this.route, {
        ...this.input,
        ...(this.cursor === undefined ? {} : { cursor: this.cursor }),
      });
      changes.push(...page.changes);
      this.cursor = page.nextCursor;
    } while (page.hasMore);
    for (const change of changes) {
      const name = `${change.type} ${change.id}`;
      if (change.op === "upsert") this.objects.set(name, change.data);
      else expect(this.objects.delete(name), `${name} was removed and never sent`).toBe(true);
    }
    return changes.map(
      (change) => `${change.op === "upsert" ? "upsert" : change.reason} ${change.type} ${change.id}`,
    );
  }
}

async function trio() {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const meeting = await given.meeting(anna, { tasks: [{ text: "Feed it" }] });
  const copies = {
    anna: new Copy(anna.key),
    ben: new Copy(ben.key),
    company: new Copy(company.key, "sync/workspace/changes.list"),
  };
  for (const copy of Object.values(copies)) await copy.sync();
  return { company, anna, ben, meeting, copies };
}

type Trio = Awaited<ReturnType<typeof trio>>;

/** The changes of a meeting with its tasks. */
const whole = (what: "upsert" | "deleted" | "access", { meetingId, taskIds }: Meeting): string[] => [
  `${what} meeting ${meetingId}`,
  ...[...taskIds].sort().map((id) => `${what} task ${id}`),
];

async function expectChanges(
  copies: Record<string, Copy>,
  expected: Partial<Record<string, string[]>>,
): Promise<void> {
  for (const [name, copy] of Object.entries(copies))
    expect([name, await copy.sync()]).toEqual([name, expected[name] ?? []]);
}

describe("200: each change reaches exactly the affected viewers", () => {
  test("an import and a task's update", async () => {
    const { anna, meeting, copies } = await trio();
    expect([...copies.anna.objects.keys()]).toEqual([
      `meeting ${meeting.meetingId}`,
      `task ${meeting.taskIds[0]}`,
    ]);
    const later = await given.meeting(anna, { tasks: [{ text: "One" }, { text: "Two" }] });
    await expectChanges(copies, { anna: whole("upsert", later), company: whole("upsert", later) });
    const [taskId] = later.taskIds;
    await api.data(anna.key, "me/tasks.update", { taskId, text: "Changed" });
    await expectChanges(copies, { anna: [`upsert task ${taskId}`], company: [`upsert task ${taskId}`] });
    expect(copies.anna.objects.get(`task ${taskId}`)).toMatchObject({ text: "Changed", completed: false });
  });

  test("share, unshare, and the owner's later changes", async () => {
    const { anna, ben, meeting, copies } = await trio();
    await given.shared(meeting, ben);
    await expectChanges(copies, { ben: whole("upsert", meeting) });
    await api.data(anna.key, "me/tasks.update", { taskId: meeting.taskIds[0], completed: true });
    const task = [`upsert task ${meeting.taskIds[0]}`];
    await expectChanges(copies, { anna: task, ben: task, company: task });
    await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
    await expectChanges(copies, { ben: whole("access", meeting) });
    expect(copies.ben.objects.size).toBe(0);
  });

  test("tagging, the tag's share, untagging, and the tag's end", async () => {
    const { anna, ben, meeting, copies } = await trio();
    const tagId = await given.tagged(meeting, "Board");
    const tagged = [`upsert tag ${tagId}`, ...whole("upsert", meeting)];
    await expectChanges(copies, { anna: tagged, company: whole("upsert", meeting) });
    await given.tagShared(tagId, ben);
    await expectChanges(copies, { ben: tagged });
    const later = await given.meeting(anna);
    await expectChanges(copies, { anna: whole("upsert", later), company: whole("upsert", later) });
    await given.tagged(later, "Board");
    const seen = whole("upsert", later);
    await expectChanges(copies, { anna: seen, ben: seen, company: seen });
    await untagMeeting(api.db, OPERATOR, later.meetingId, tagId);
    await expectChanges(copies, { anna: seen, ben: whole("access", later), company: seen });
    await unshareTag(api.db, OPERATOR, tagId, ben.userId);
    await expectChanges(copies, { ben: [`access tag ${tagId}`, ...whole("access", meeting)] });
    await given.tagShared(tagId, ben);
    await copies.ben.sync();
    await deleteTag(api.db, OPERATOR, tagId);
    await expectChanges(copies, {
      anna: [`deleted tag ${tagId}`, ...whole("upsert", meeting)],
      ben: [`deleted tag ${tagId}`, ...whole("access", meeting)],
      company: whole("upsert", meeting),
    });
  });

  test("losing one of several ways of access is not a removal; losing the last one is", async () => {
    const { ben, meeting, copies } = await trio();
    await given.shared(meeting, ben);
    await copies.ben.sync();
    const tagId = await given.tagged(meeting, "Board");
    await given.tagShared(tagId, ben);
    await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
    expect(await copies.ben.sync()).not.toContain(`access meeting ${meeting.meetingId}`);
    await unshareTag(api.db, OPERATOR, tagId, ben.userId);
    expect(await copies.ben.sync()).toEqual([`access tag ${tagId}`, ...whole("access", meeting)]);
  });

  test("a deletion, also for members it was shared with", async () => {
    const { anna, ben, meeting, copies } = await trio();
    await given.tagShared(await given.tagged(meeting, "Board"), ben);
    await given.shared(meeting, ben);
    for (const copy of Object.values(copies)) await copy.sync();
    await api.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
    const gone = whole("deleted", meeting);
    await expectChanges(copies, { anna: gone, ben: gone, company: gone });
  });

  test("leaving and joining", async () => {
    const { company, anna, ben, meeting, copies } = await trio();
    await given.shared(meeting, ben);
    const other = await given.company();
    const theirs = new Copy(other.key, "sync/workspace/changes.list");
    await theirs.sync();
    for (const copy of Object.values(copies)) await copy.sync();
    await given.joins(anna, other);
    const seen = whole("upsert", meeting);
    const lost = whole("access", meeting);
    await expectChanges({ ...copies, theirs }, { anna: seen, ben: lost, company: lost, theirs: seen });
    await given.joins(anna, company);
    await expectChanges({ ...copies, theirs }, { anna: seen, company: seen, theirs: lost });
  });

  test("an erased user leaves removals of what others saw, and nothing of their own data", async () => {
    const { anna, ben, meeting, copies } = await trio();
    await given.shared(meeting, ben);
    await copies.ben.sync();
    await eraseUser(api.db, OPERATOR, anna.userId);
    const gone = whole("deleted", meeting);
    await expectChanges({ ben: copies.ben, company: copies.company }, { ben: gone, company: gone });
    const [left] = await api.db
      .select({ count: sql<number>`count(*)::int` })
      .from(sql`sync_removals r where r.scope = ${`user:${anna.userId}`} or r.id = ${anna.userId}`);
    expect(left?.count).toBe(0);
  });

  test("nothing is sent about objects that came and went between two pages", async () => {
    const { anna, ben, copies } = await trio();
    const brief = await given.meetingSharedDirectly(anna, ben);
    await given.tagShared(await given.tagged(brief, "Brief"), ben);
    await api.data(anna.key, "me/meetings.delete", { meetingId: brief.meetingId });
    for (const copy of Object.values(copies)) {
      const changes = await copy.sync();
      expect(changes.filter((change) => change.includes(brief.meetingId))).toEqual([]);
    }
  });
});

describe(
  "200: what ends and changes again while an older transaction still writes is removed",
  needs("postgres"),
  () => {
    const tagged = async (meeting: Meeting, ben: Person) => {
      const tagId = await given.tagged(meeting, "Board");
      await given.tagShared(tagId, ben);
      return tagId;
    };
    test.each([
      {
        what: "a task whose meeting is tagged",
        begin: async (meeting: Meeting, ben: Person) => void (await given.shared(meeting, ben)),
        end: async ({ taskIds }: Meeting) =>
          void (await api.db.execute(sql`delete from tasks where id = ${taskIds[0]}`)),
        again: async (meeting: Meeting) => void (await given.tagged(meeting, "Later")),
        removed: ({ taskIds }: Meeting) => [`deleted task ${taskIds[0]}`],
        readers: ["anna", "ben", "company"],
      },
      {
        what: "a meeting that is shared and unshared",
        begin: async (meeting: Meeting, ben: Person) => void (await given.shared(meeting, ben)),
        end: (meeting: Meeting, ben: Person) =>
          unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId),
        again: async (meeting: Meeting, ben: Person) => {
          await given.shared(meeting, ben);
          await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
        },
        removed: (meeting: Meeting) => whole("access", meeting),
        readers: ["ben"],
      },
      {
        what: "a meeting that is tagged and untagged",
        begin: tagged,
        end: ({ meetingId }: Meeting, _: Person, tagId: string) =>
          untagMeeting(api.db, OPERATOR, meetingId, tagId),
        again: async (meeting: Meeting, _: Person, tagId: string) => {
          await given.tagged(meeting, "Board");
          await untagMeeting(api.db, OPERATOR, meeting.meetingId, tagId);
        },
        removed: (meeting: Meeting) => whole("access", meeting),
        readers: ["ben"],
      },
      {
        what: "a tag that is shared and unshared",
        begin: tagged,
        end: (_: Meeting, ben: Person, tagId: string) => unshareTag(api.db, OPERATOR, tagId, ben.userId),
        again: async (_: Meeting, ben: Person, tagId: string) => {
          await given.tagShared(tagId, ben);
          await unshareTag(api.db, OPERATOR, tagId, ben.userId);
        },
        removed: (meeting: Meeting, tagId: string) => [`access tag ${tagId}`, ...whole("access", meeting)],
        readers: ["ben"],
      },
    ])("$what", async ({ begin, end, again, removed, readers }) => {
      const { ben, meeting, copies } = await trio();
      const tagId = (await begin(meeting, ben)) ?? "";
      for (const copy of Object.values(copies)) await copy.sync();
      await end(meeting, ben, tagId);
      await waitForFeed(api.db);
      const other = await api.database.connect();
      await other.db.transaction(async (tx) => {
        await tx.execute(sql`select transaction_number()`);
        await again(meeting, ben, tagId);
        for (const [name, copy] of Object.entries(copies))
          expect([name, await copy.read()]).toEqual([
            name,
            readers.includes(name) ? removed(meeting, tagId) : [],
          ]);
      });
      for (const copy of Object.values(copies))
        expect((await copy.sync()).filter((change) => !change.startsWith("upsert "))).toEqual([]);
      await other.close();
    });
  },
);

describe(
  "200: what returns while an older transaction still writes, and ends again, is removed",
  needs("postgres"),
  () => {
    test.each([
      {
        what: "a meeting of a member who leaves",
        begin: ({ anna, company }: Trio) => given.joins(anna, company),
        end: ({ anna }: Trio) => leaveWorkspace(api.db, OPERATOR, anna.userId),
        meetingAt: ["anna"],
        left: [],
      },
      {
        what: "a meeting that is shared",
        begin: ({ meeting, ben }: Trio) => given.shared(meeting, ben),
        end: ({ meeting, ben }: Trio) => unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId),
        meetingAt: ["anna", "company"],
        left: [],
      },
      {
        what: "a meeting that is tagged",
        begin: async ({ meeting, ben }: Trio) => given.tagShared(await given.tagged(meeting, "Board"), ben),
        end: async ({ meeting }: Trio) =>
          untagMeeting(api.db, OPERATOR, meeting.meetingId, await given.tagged(meeting, "Board")),
        meetingAt: ["anna", "company"],
        left: ["tag"],
      },
      {
        what: "a tag that is shared",
        begin: async ({ meeting, ben }: Trio) => given.tagShared(await given.tagged(meeting, "Board"), ben),
        end: async ({ meeting, ben }: Trio) =>
          unshareTag(api.db, OPERATOR, await given.tagged(meeting, "Board"), ben.userId),
        meetingAt: ["anna", "company"],
        left: [],
      },
    ])("$what", async ({ begin, end, meetingAt, left }) => {
      const scene = await trio();
      const { copies } = scene;
      await begin(scene);
      for (const copy of Object.values(copies)) await copy.sync();
      await end(scene);
      await waitForFeed(api.db);
      const other = await api.database.connect();
      await other.db.transaction(async (tx) => {
        await tx.execute(sql`select transaction_number()`);
        await begin(scene);
        for (const copy of Object.values(copies)) await copy.read();
      });
      await other.close();
      await end(scene);
      for (const copy of Object.values(copies)) await copy.sync();
      const name = `meeting ${scene.meeting.meetingId}`;
      const holders = Object.entries(copies).filter(([, { objects }]) => objects.has(name));
      expect(holders.map(([holder]) => holder)).toEqual(meetingAt);
      expect([...copies.ben.objects.keys()].map((object) => object.split(" ")[0])).toEqual(left);
    });
  },
);

test("200: a copy begun after a share ended gets no removal when another unseen share ends", async () => {
  const { anna, ben, copies } = await trio();
  const meeting = await given.meeting(anna);
  await given.shared(meeting, ben);
  await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
  const late = new Copy(ben.key);
  await late.sync();
  await given.shared(meeting, ben);
  await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
  expect(await late.sync()).toEqual([]);
  expect(await copies.ben.sync()).toEqual([]);
});

describe("200: pages", () => {
  const people: Person[] = [];
  const detailed = { include: ["detail"] as ["detail"] };

  test("a copy made with pages of one equals lists and details", async () => {
    const { anna, ben, company } = await trio();
    people.push(anna, ben);
    for (let at = 0; at < 3; at++) await given.richMeeting(anna);
    const tagId = await given.tagged(await given.richMeeting(anna), "Board");
    await given.tagShared(tagId, ben);
    for (const copy of [
      new Copy(anna.key, "sync/me/changes.list", { limit: 1, ...detailed }),
      new Copy(ben.key, "sync/me/changes.list", { limit: 2, ...detailed }),
      new Copy(company.key, "sync/workspace/changes.list", { limit: 3, ...detailed }),
    ]) {
      await copy.sync();
      const side = copy.key === company.key ? "workspace" : "me";
      const { meetings } = await api.data(copy.key, `${side}/meetings.list`);
      const { tasks } = await api.data(copy.key, `${side}/tasks.list`);
      const copied = (type: string) => [...copy.objects].filter(([name]) => name.startsWith(`${type} `));
      expect(copied("meeting").length).toBe(meetings.length);
      expect(copied("task").length).toBe(tasks.length);
      for (const task of tasks) expect(copy.objects.get(`task ${task.id}`)).toMatchObject(task);
      for (const meeting of meetings) {
        const detail = await api.data(copy.key, `${side}/meetings.get`, { meetingId: meeting.id });
        expect(copy.objects.get(`meeting ${meeting.id}`)).toEqual({
          ...meeting,
          ...detail,
          updatedAt: expect.stringMatching(/Z$/),
        });
      }
    }
  });

  test("the third page and those after it are sent, also of meetings without tasks, and of removals", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    await insertMeetings(api.db, anna, { count: 25 });
    const tag = `Brief ${anna.userId}`;
    await given.meetingSharedByTag(anna, ben, { tag });
    for (let at = 0; at < 24; at++) await given.tagged(await given.meeting(anna), tag);
    // The numbers of rows for which statements are prepared leave no room beyond these pages.
    const input = { limit: 10 };
    const copies = [
      new Copy(anna.key, "sync/me/changes.list", input),
      new Copy(company.key, "sync/workspace/changes.list", input),
      new Copy(ben.key, "sync/me/changes.list", input),
    ];
    const count = async () => {
      for (const copy of copies) await copy.sync();
      return copies.map(
        ({ objects }) => [...objects.keys()].filter((name) => name.startsWith("meeting")).length,
      );
    };
    expect(await count()).toEqual([50, 50, 25]);
    await leaveWorkspace(api.db, OPERATOR, anna.userId);
    expect(await count()).toEqual([50, 0, 0]);
  });

  test("meetings and removals that reach the reader through several tags leave no page short", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const names = [1, 2, 3].map((number) => `Tag ${number} ${anna.userId}`);
    const first = await given.meeting(anna);
    for (const name of names) await given.tagShared(await given.tagged(first, name), ben);
    for (let at = 0; at < 24; at++) await given.meeting(anna, { tags: names.map((name) => ({ name })) });
    const copy = new Copy(ben.key, "sync/me/changes.list", { limit: 10 });
    const count = () => [...copy.objects.keys()].filter((name) => name.startsWith("meeting")).length;
    await copy.sync();
    expect(count()).toBe(25);
    await leaveWorkspace(api.db, OPERATOR, anna.userId);
    await copy.sync();
    expect(count()).toBe(0);
  });

  test("every removal is sent, also on a later page, of meetings that left, returned and left again", async () => {
    const { anna, company, meeting } = await trio();
    const second = await given.meeting(anna);
    const copy = new Copy(company.key, "sync/workspace/changes.list", { limit: 1 });
    await copy.sync();
    await leaveWorkspace(api.db, OPERATOR, anna.userId);
    await given.joins(anna, company);
    await leaveWorkspace(api.db, OPERATOR, anna.userId);
    const removed = [...whole("access", meeting), ...whole("access", second)];
    expect((await copy.sync()).sort()).toEqual(removed.sort());
    expect([...copy.objects.keys()]).toEqual([]);
  });

  test("with details, a task's update and the owner's new address send the meeting again", async () => {
    const { anna, meeting } = await trio();
    const copy = new Copy(anna.key, "sync/me/changes.list", detailed);
    await copy.sync();
    await api.data(anna.key, "me/tasks.update", { taskId: meeting.taskIds[0], completed: true });
    expect(await copy.sync()).toEqual(whole("upsert", meeting));
    expect(copy.objects.get(`meeting ${meeting.meetingId}`)).toMatchObject({ tasks: [{ completed: true }] });
    await setEmail(api.db, OPERATOR, anna.userId, `new-${anna.email}`);
    await copy.sync();
    expect(copy.objects.get(`meeting ${meeting.meetingId}`)).toMatchObject({
      user: { email: `new-${anna.email}` },
    });
  });

  test("a page with details ends before it grows too long, and the next one continues", async () => {
    const anna = await given.person();
    const text = "x".repeat(90_000);
    const transcript = Array.from({ length: 30 }, () => ({ speakerId: "s", speakerName: "Zoo", text }));
    for (let at = 0; at < 3; at++) await given.meeting(anna, { transcript });
    await waitForFeed(api.db);
    const page = await api.data(anna.key, "sync/me/changes.list", detailed);
    expect([page.changes.length, page.hasMore]).toEqual([2, true]);
    expect(JSON.stringify(page).length).toBeLessThan(LIMITS.syncPageCharacters + 30 * 91_000);
    const rest = await api.data(anna.key, "sync/me/changes.list", {
      ...detailed,
      cursor: page.nextCursor,
    });
    expect([rest.changes.length, rest.hasMore]).toEqual([1, false]);
  });
});
