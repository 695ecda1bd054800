import { WEBHOOK_EVENTS, WEBHOOK_PAYLOADS, type WebhookEventName } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  type Company,
  completeMeeting,
  createPersonalWebhook,
  createWebhookScene,
  createWorkspaceWebhook,
  needs,
  openTestApi,
  type Person,
  type Receiver,
  type TestApi,
  type WebhookScene,
} from "@minutes/testing";
import { eq, gt, max, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { recordFailureEvent, recordUpdateEvents } from "../../events/index.js";
import { deleteMeeting } from "../../meetings/index.js";
import { shareMeeting, shareTag, unshareMeeting } from "../../meetings/sharing/index.js";
import { renameTag, tagMeeting, untagMeeting } from "../../meetings/tags/index.js";
import { eraseUser, setPlan } from "../../workspaces/index.js";
import { sendTest, updateWebhook } from "../index.js";

const { deliveries, meetings, recordingDrafts, recordings, tags, tasks, webhookEvents } = schema;
const ALL = [...WEBHOOK_EVENTS];

let scene: WebhookScene;
let api: TestApi;
let receiver: Receiver;
let worker: Awaited<ReturnType<WebhookScene["worker"]>>;
beforeAll(async () => {
  scene = await createWebhookScene();
  receiver = await scene.receiver();
  worker = await scene.worker();
  api = await openTestApi({ database: scene.database });
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(async () => {
  await api.close();
  await scene.close();
});

const webhook = (name: string, events: WebhookEventName[] = ALL) =>
  ({ name, url: `${receiver.url}/${name}`, method: "signature", events }) as const;
const personal = (who: Person, name: string, events?: WebhookEventName[], tags: string[] = []) =>
  createPersonalWebhook(scene.db, scene.settings, who.userId, { ...webhook(name, events), tags });
const ofWorkspace = ({ admin }: Company, name: string, events?: WebhookEventName[], tags: string[] = []) =>
  createWorkspaceWebhook(scene.db, scene.settings, admin.userId, { ...webhook(name, events), tags });

/** Returns the bodies that a webhook received, validated against the contract, in order of arrival. */
const bodies = (name: string) =>
  receiver.received
    .filter(({ path }) => path === `/hook/${name}`)
    .map(({ body, headers, id }) => {
      const parsed = JSON.parse(body) as { metadata: { id: string; event: WebhookEventName }; data: object };
      expect(WEBHOOK_PAYLOADS[parsed.metadata.event].parse(parsed)).toEqual(parsed);
      expect([headers["service-event"], id]).toEqual([parsed.metadata.event, parsed.metadata.id]);
      const { event } = parsed.metadata;
      return { id, event, data: parsed.data as Record<string, unknown> };
    });
/** Returns the bodies that a webhook received, ordered by their ids as numbers. */
const ordered = (name: string) => bodies(name).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
const names = (name: string) => bodies(name).map(({ event }) => event);
/** Does work while no event is written: on a busy machine it could take longer than the second until then. */
async function withoutWorker(work: () => Promise<unknown>): Promise<void> {
  await worker.stop();
  await work();
  worker = await scene.worker();
}
/** Waits until the events of all changes so far are written, without the second for which changes are collected. */
const settled = async () => {
  await scene.aSecondPasses();
  await expect.poll(() => scene.db.$count(webhookEvents, sql`data is null`)).toBe(0);
};
const completed = async (owner: Person, facts = {}) =>
  (await completeMeeting(scene.db, owner, facts)).meetingId;
const untag = async (owner: Person, meetingId: string, name: string) => {
  const [tag] = await scene.db.select().from(tags).where(sql`user_id = ${owner.userId} and name = ${name}`);
  await untagMeeting(scene.db, OPERATOR, meetingId, tag?.id ?? "");
};
const taskIds = async (meetingId: string) =>
  (
    await scene.db
      .select({ id: tasks.id })
      .from(tasks)
      .where(eq(tasks.meetingId, meetingId))
      .orderBy(tasks.position)
  ).map(({ id }) => id);

describe("a webhook with the default events", () => {
  test("gets only completed meetings, and so does one created before events could be chosen", async () => {
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const [earlier] = await scene.db.select({ id: max(webhookEvents.id) }).from(webhookEvents);
    const { id } = await scene.personalWebhook(anna, `${receiver.url}/default`);
    const [row] = await scene.db.select().from(schema.webhooks).where(eq(schema.webhooks.id, id));
    expect(row?.events).toEqual(["meeting.completed"]);
    const meetingId = await completed(anna, { tasks: [{ text: "One" }] });
    await tagMeeting(scene.db, OPERATOR, meetingId, "Later");
    await api.askFor(anna, "tasks.update", {
      taskId: (await taskIds(meetingId))[0] ?? "",
      text: "Two",
    });
    await expect.poll(() => names("default")).toEqual(["meeting.completed"]);
    await deleteMeeting(scene.db, asUser(anna.userId), meetingId);
    expect(await scene.db.$count(webhookEvents, gt(webhookEvents.id, earlier?.id ?? 0n))).toBe(0);
    expect(await scene.db.$count(deliveries, eq(deliveries.webhookId, id))).toBe(1);
  });
});

describe("chosen events", () => {
  test("changes of one meeting within a second are one event, with the state after the last", async () => {
    const anna = await scene.given.person();
    await personal(anna, "burst");
    const meetingId = await completed(anna, { tasks: [{ text: "One" }, { text: "Two" }, { text: "Three" }] });
    const [first = "", second = ""] = await taskIds(meetingId);
    await withoutWorker(async () => {
      for (const name of ["A", "B", "C"]) await tagMeeting(scene.db, OPERATOR, meetingId, name);
      await api.askFor(anna, "tasks.update", { taskId: second, completed: true });
      await api.askFor(anna, "tasks.update", { taskId: first, text: "First" });
      await api.askFor(anna, "tasks.update", { taskId: first, text: "Done" });
      await untag(anna, meetingId, "B");
      await tagMeeting(scene.db, OPERATOR, meetingId, "A"); // already has it
    });
    await settled();
    await expect.poll(() => bodies("burst").length).toBe(3);
    expect(names("burst").sort()).toEqual(["meeting.completed", "meeting.updated", "task.updated"]);
    const of = (event: string) => bodies("burst").find((one) => one.event === event)?.data;
    expect(of("meeting.updated")).toMatchObject({ id: meetingId, tags: [{ name: "A" }, { name: "C" }] });
    expect(of("task.updated")).toEqual({
      id: meetingId,
      tasks: [
        { id: first, content: "Done", completed: false, assignee: null },
        { id: second, content: "Two", completed: true, assignee: null },
      ],
    });
    // A later change is a separate event.
    await tagMeeting(scene.db, OPERATOR, meetingId, "D");
    await expect.poll(() => bodies("burst").length).toBe(4);
    const [later] = await scene.db.select().from(tags).where(sql`user_id = ${anna.userId} and name = 'D'`);
    await renameTag(scene.db, OPERATOR, later?.id ?? "", "E");
    await expect
      .poll(() => bodies("burst").at(-1)?.data.tags)
      .toMatchObject([{ name: "A" }, { name: "C" }, { name: "E" }]);
  });

  test("a change that commits late is in its event, even if an earlier change waits for it", async () => {
    const anna = await scene.given.person();
    await personal(anna, "late", ["meeting.updated"]);
    const meetingId = await completed(anna);
    await worker.stop();
    await tagMeeting(scene.db, OPERATOR, meetingId, "Early");
    await scene.db.transaction(async (tx) => {
      await tagMeeting(tx, OPERATOR, meetingId, "Late");
      worker = await scene.worker();
      // Longer than the second after which the event would be written.
      if (scene.database.url) await new Promise((resolve) => setTimeout(resolve, 1_300));
      expect(names("late")).toEqual([]);
    });
    await expect.poll(() => names("late")).toEqual(["meeting.updated"]);
    expect(bodies("late")[0]?.data.tags).toMatchObject([{ name: "Early" }, { name: "Late" }]);
  });

  test("payloads of a meeting sort by metadata.id as its states followed", async () => {
    const company = await scene.given.company();
    const [anna, boris] = [await scene.given.member(company), await scene.given.member(company)];
    await personal(anna, "sorted");
    const meetingId = await completed(anna, { tasks: [{ text: "One" }] });
    const [taskId = ""] = await taskIds(meetingId);
    await tagMeeting(scene.db, OPERATOR, meetingId, "A");
    await settled();
    await api.askFor(anna, "tasks.update", { taskId, completed: true });
    await settled();
    await shareMeeting(scene.db, OPERATOR, meetingId, boris.userId);
    await settled();
    await expect.poll(() => names("sorted").length).toBe(4);
    await deleteMeeting(scene.db, asUser(anna.userId), meetingId);
    await expect.poll(() => names("sorted").length).toBe(5);
    expect(ordered("sorted").map(({ event }) => event)).toEqual([
      ...["meeting.completed", "meeting.updated", "task.updated", "meeting.shared", "meeting.deleted"],
    ]);
  });

  test(
    "a payload that takes long to write sorts before one with a newer state",
    needs("postgres"),
    async () => {
      const company = await scene.given.company();
      const [anna, boris] = [await scene.given.member(company), await scene.given.member(company)];
      await personal(anna, "slow", ["meeting.updated", "meeting.shared"]);
      const meetingId = await completed(anna);
      await scene.db.execute(
        sql.raw(`create function wait_for_test() returns trigger language plpgsql as $$ begin
        if new.event = 'meeting.shared' and new.meeting_id = '${meetingId}' then perform pg_advisory_xact_lock(4711); end if;
        return new; end $$`),
      );
      await scene.db.execute(
        sql`create trigger waits before update of data on webhook_events for each row execute function wait_for_test()`,
      );
      const other = await scene.worker();
      await scene.db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(4711)`);
        await shareMeeting(scene.db, OPERATOR, meetingId, boris.userId);
        const locks = sql`select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event = 'advisory'`;
        await expect.poll(() => scene.db.execute(locks)).toMatchObject([{ waiting: 1 }]);
        await tagMeeting(scene.db, OPERATOR, meetingId, "New");
        await expect.poll(() => names("slow")).toEqual(["meeting.updated"]);
      });
      await expect
        .poll(() => ordered("slow"))
        .toMatchObject([
          { event: "meeting.shared", data: { tags: [] } },
          { event: "meeting.updated", data: { tags: [{ name: "New" }] } },
        ]);
      await other.stop();
      await scene.db.execute(sql`drop trigger waits on webhook_events`);
    },
  );

  test("an event that can't be written is retried and does not block others", async () => {
    const anna = await scene.given.person();
    await personal(anna, "unreadable", ["meeting.updated"]);
    const [broken, whole] = [await completed(anna), await completed(anna)];
    await scene.db.execute(
      sql.raw(`create function refuse_event() returns trigger language plpgsql as $$ begin
        if new.meeting_id = '${broken}' then raise exception 'a server is away'; end if; return new; end $$`),
    );
    await scene.db.execute(
      sql`create trigger refused before update on webhook_events for each row execute function refuse_event()`,
    );
    await scene.db.transaction(async (tx) => {
      for (const meetingId of [broken, whole]) await tagMeeting(tx, OPERATOR, meetingId, "A");
    });
    await expect.poll(() => bodies("unreadable").map(({ data }) => data.id)).toEqual([whole]);
    await scene.db.execute(sql`drop trigger refused on webhook_events`);
    await expect.poll(() => bodies("unreadable").map(({ data }) => data.id)).toEqual([whole, broken]);
    expect(scene.faults.splice(0).length).toBeGreaterThan(0);
  });

  test("a transaction that does not commit sends no event", async () => {
    const anna = await scene.given.person();
    const { id } = await personal(anna, "rolled-back", ["meeting.updated", "meeting.deleted"]);
    const meetingId = await completed(anna);
    const rolledBack = scene.db.transaction(async (tx) => {
      await tagMeeting(tx, OPERATOR, meetingId, "A");
      await recordUpdateEvents(tx, [meetingId]);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    expect(await scene.db.$count(webhookEvents, eq(webhookEvents.meetingId, meetingId))).toBe(0);
    expect(await scene.db.$count(deliveries, eq(deliveries.webhookId, id))).toBe(0);
  });

  test("meeting.shared is sent to the owner, the workspace and those it is shared with, even by a tag, while the share lasts", async () => {
    const company = await scene.given.company();
    const [anna, boris, clara] = [
      await scene.given.member(company),
      await scene.given.member(company),
      await scene.given.member(company),
    ];
    await personal(anna, "shared-owner", ["meeting.shared"]);
    await personal(boris, "shared-boris");
    await personal(clara, "shared-clara");
    await ofWorkspace(company, "shared-company", ["meeting.shared"]);
    const direct = await completed(anna);
    const undone = await completed(anna);
    await shareMeeting(scene.db, OPERATOR, direct, boris.userId);
    await shareMeeting(scene.db, OPERATOR, direct, boris.userId); // again
    await withoutWorker(async () => {
      await shareMeeting(scene.db, OPERATOR, undone, clara.userId);
      await unshareMeeting(scene.db, OPERATOR, undone, clara.userId);
    });
    await settled();
    await expect.poll(() => bodies("shared-owner").length).toBe(2);
    await expect.poll(() => bodies("shared-company").length).toBe(2);
    await expect.poll(() => bodies("shared-boris").map(({ data }) => data.id)).toEqual([direct]);
    expect(JSON.stringify(bodies("shared-boris"))).not.toContain(clara.email);

    const tagged = await completed(anna, { tags: [{ name: "Team" }] });
    const [tag] = await scene.db.select().from(tags).where(sql`user_id = ${anna.userId} and name = 'Team'`);
    await shareTag(scene.db, OPERATOR, tag?.id ?? "", clara.userId);
    await settled();
    await expect.poll(() => bodies("shared-clara").map(({ data }) => data.id)).toEqual([tagged]);
    // A meeting completed with a shared tag, or tagged with one, is shared as well.
    const born = await completed(anna, { tags: [{ name: "Team" }] });
    await tagMeeting(scene.db, OPERATOR, direct, "Team");
    await settled();
    await expect
      .poll(() =>
        bodies("shared-clara")
          .map(({ data }) => data.id)
          .sort(),
      )
      .toEqual([born, direct, tagged].sort());
    // Readers of a shared meeting get no events about others' changes to it.
    await deleteMeeting(scene.db, asUser(anna.userId), born);
    expect(new Set(names("shared-clara"))).toEqual(new Set(["meeting.shared"]));
  });

  test("a deletion cancels pending deliveries, erases every payload, and is sent with only the id", async () => {
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const others = await scene.given.person();
    await personal(anna, "deleted");
    await personal(others, "deleted-others");
    await ofWorkspace(company, "deleted-company", ["meeting.deleted"]);
    const meetingId = await completed(anna, { title: "Secret plans", tasks: [{ text: "Hide" }] });
    await withoutWorker(async () => {
      await tagMeeting(scene.db, OPERATOR, meetingId, "A");
      await deleteMeeting(scene.db, asUser(anna.userId), meetingId);
    });
    await expect.poll(() => bodies("deleted-company").map(({ data }) => data)).toEqual([{ id: meetingId }]);
    await expect.poll(() => names("deleted")).toContain("meeting.deleted");
    expect(names("deleted")).not.toContain("meeting.updated");
    expect(bodies("deleted-others")).toEqual([]);
    expect(await scene.db.$count(webhookEvents, sql`data like '%Secret plans%'`)).toBe(0);
    const log = await scene.db.select().from(deliveries).where(eq(deliveries.meetingId, meetingId));
    expect(log.map(({ event }) => event).sort()).toEqual([
      "meeting.completed",
      "meeting.deleted",
      "meeting.deleted",
    ]);
  });

  test("a workspace gets events about the meetings of an erased member", async () => {
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    await ofWorkspace(company, "erased", ["meeting.deleted"]);
    const gone = [await completed(anna), await completed(anna)];
    await eraseUser(scene.db, OPERATOR, anna.userId);
    await expect
      .poll(() =>
        bodies("erased")
          .map(({ data }) => data.id)
          .sort(),
      )
      .toEqual(gone.sort());
    expect(JSON.stringify(bodies("erased"))).not.toContain(anna.email);
  });

  test("recording.failed has neither reason nor title; unlocking a summary is an update", async () => {
    const company = await scene.given.company({ plan: "plus" });
    const { workspaceId } = company;
    const anna = await scene.given.member(company);
    await personal(anna, "failed", ["recording.failed", "meeting.updated"]);
    await scene.db
      .insert(recordings)
      .values({ id: "mtg_failed", workspaceId, externalId: "zoom-1", state: "failed" });
    await scene.db
      .insert(recordingDrafts)
      .values({ recordingId: "mtg_failed", userId: anna.userId, content: "{}", failure: "Private reason" });
    await scene.db.transaction((tx) =>
      recordFailureEvent(tx, { id: "mtg_failed", externalId: "zoom-1", userId: anna.userId }),
    );
    await expect
      .poll(() => bodies("failed").map(({ data }) => data))
      .toEqual([{ id: "mtg_failed", externalId: "zoom-1", userId: anna.userId }]);
    const meetingId = await completed(anna, { summary: { markdown: "Locked words" } });
    await scene.db
      .update(schema.summaries)
      .set({ locked: true })
      .where(eq(schema.summaries.meetingId, meetingId));
    await setPlan(scene.db, OPERATOR, workspaceId, "enterprise");
    await expect.poll(() => names("failed")).toEqual(["recording.failed", "meeting.updated"]);
    expect(bodies("failed")[1]?.data).toMatchObject({ summary: { markdown: "Locked words" } });
  });

  test("the chosen events can be changed, and a pending event is not sent to those who lost access to the meeting", async () => {
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const { id } = await ofWorkspace(company, "changed", ["meeting.updated"]);
    const meetingId = await completed(anna);
    await withoutWorker(async () => {
      await tagMeeting(scene.db, OPERATOR, meetingId, "A");
      await scene.given.leaves(anna);
    });
    await settled();
    expect(await scene.db.$count(webhookEvents, eq(webhookEvents.meetingId, meetingId))).toBe(0);
    const changed = await updateWebhook(scene.db, scene.settings, OPERATOR, id, {
      events: ["meeting.deleted"],
    });
    expect(changed.events).toEqual(["meeting.deleted"]);
    await scene.given.joins(anna, company);
    await tagMeeting(scene.db, OPERATOR, meetingId, "B");
    await deleteMeeting(scene.db, asUser(anna.userId), meetingId);
    await expect.poll(() => names("changed")).toEqual(["meeting.deleted"]);
    expect(await scene.db.$count(meetings, eq(meetings.id, meetingId))).toBe(0);
  });
});

describe("a webhook limited to tags", () => {
  test("gets the events of a meeting while it has one of the tags, and no others", async () => {
    const company = await scene.given.company();
    const [anna, boris] = [await scene.given.member(company), await scene.given.member(company)];
    await personal(anna, "tagged", ALL, ["Hiring", "Budget"]);
    await ofWorkspace(company, "tagged-company", ["meeting.completed"], ["Hiring"]);
    const later = await completed(anna, { tags: [{ name: "hiring" }], tasks: [{ text: "One" }] });
    const tagged = await completed(anna, {
      tags: [{ name: "Hiring" }, { name: "Other" }],
      tasks: [{ text: "Two" }],
    });
    const colleagues = await completed(boris, { tags: [{ name: "Hiring" }] });
    for (const meetingId of [later, tagged]) {
      const [taskId = ""] = await taskIds(meetingId);
      await api.askFor(anna, "tasks.update", { taskId, completed: true });
    }
    await settled();
    await tagMeeting(scene.db, OPERATOR, later, "Budget");
    await settled();
    const expected = [
      ["meeting.completed", tagged],
      ["task.updated", tagged],
      ["meeting.updated", later],
    ];
    const arrived = (name: string) => ordered(name).map(({ event, data }) => [event, data.id]);
    await expect.poll(() => arrived("tagged")).toEqual(expected);
    await untag(anna, tagged, "Hiring");
    await settled();
    await scene.db.transaction((tx) =>
      recordFailureEvent(tx, { id: "mtg_untagged", externalId: null, userId: anna.userId }),
    );
    for (const meetingId of [tagged, later]) await deleteMeeting(scene.db, asUser(anna.userId), meetingId);
    await expect.poll(() => arrived("tagged")).toEqual([...expected, ["meeting.deleted", later]]);
    await expect
      .poll(() => arrived("tagged-company"))
      .toEqual([
        ["meeting.completed", tagged],
        ["meeting.completed", colleagues],
      ]);
  });

  test("gets nothing that waits of a meeting that lost its tag, and gets tests", async () => {
    const anna = await scene.given.person();
    const { id } = await personal(anna, "untagged", ALL, ["Hiring"]);
    let meetingId = "";
    await withoutWorker(async () => {
      meetingId = await completed(anna, { tags: [{ name: "Hiring" }] });
      expect(await scene.states(id)).toEqual(["pending"]);
      await untag(anna, meetingId, "Hiring");
      await sendTest(scene.db, OPERATOR, id);
    });
    await expect.poll(() => scene.states(id)).toEqual(["delivered", "skipped"]);
    const { tags: none } = await updateWebhook(scene.db, scene.settings, OPERATOR, id, { tags: [] });
    expect(none).toEqual([]);
    await tagMeeting(scene.db, OPERATOR, meetingId, "Other");
    await expect.poll(() => bodies("untagged").at(-1)).toMatchObject({ event: "meeting.updated" });
  });
});
