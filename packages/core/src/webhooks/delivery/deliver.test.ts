import { MeetingCompleted } from "@minutes/contract";
import { schema } from "@minutes/db";
import { completeMeeting, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

describe("meeting.completed", () => {
  test("the payload has exactly the specified fields", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const facts = {
      title: "Quarterly review",
      startTime: "2025-03-14T09:30:00.250Z",
      endTime: "2025-03-14T10:15:00Z",
      transcript: [
        {
          speakerId: "s1",
          speakerName: "Zoë",
          speakerEmail: "zoe@example.com",
          text: 'Said "hi" 🎉\u2028\n',
        },
        {
          speakerId: "s2",
          speakerName: "Guest",
          text: "Thanks. The turbines arrive in May, and not a day later.",
        },
      ],
      summary: { markdown: "# Review\n\nThe **turbines**.", short: "Turbines." },
      tasks: [
        { text: "Call", assignee: { name: "Guest" } },
        { text: "Write", completed: true },
      ],
      tags: [{ name: "Review", color: "#112233" }],
      calendarEvent: {
        externalId: "cal",
        title: "Review (calendar)",
        attendees: [{ name: "Absent", email: "absent@example.com", responseStatus: "declined" as const }],
      },
    };
    const { meetingId, enqueued } = await completeMeeting(scene.db, anna, facts);
    expect(enqueued).toBe(1);
    await expect.poll(() => received.length).toBe(1);
    const body = MeetingCompleted.parse(JSON.parse(received[0]?.body ?? ""));
    expect(JSON.parse(received[0]?.body ?? "")).toEqual(body);
    const [zoe, guest] = body.data.participants.map(({ id: person }) => person);
    expect([zoe, guest]).toEqual([expect.stringMatching(/^per_/), expect.stringMatching(/^per_/)]);
    expect(body).toEqual({
      metadata: {
        id: expect.stringMatching(/^[1-9]\d{0,18}$/),
        event: "meeting.completed",
        created: expect.any(Number),
      },
      data: {
        id: meetingId,
        title: "Quarterly review",
        startTime: "2025-03-14T09:30:00.250Z",
        endTime: "2025-03-14T10:15:00.000Z",
        user: { id: anna.userId, email: anna.email },
        summary: {
          markdown: "# Review\n\nThe **turbines**.",
          html: "<h1>Review</h1>\n<p>The <strong>turbines</strong>.</p>",
          short: "Turbines.",
        },
        transcript: [
          { speakerId: zoe, speakerName: "Zoë", text: 'Said "hi" 🎉\u2028\n' },
          {
            speakerId: guest,
            speakerName: "Guest",
            text: "Thanks. The turbines arrive in May, and not a day later.",
          },
        ],
        participants: [
          { id: zoe, name: "Zoë", email: "zoe@example.com" },
          { id: guest, name: "Guest", email: null },
        ],
        tasks: [
          { content: "Call", completed: false, assignee: { name: "Guest", email: null } },
          { content: "Write", completed: true, assignee: null },
        ],
        tags: [{ name: "Review", color: "#112233" }],
        event: {
          id: expect.stringMatching(/^evt_/),
          externalId: "cal",
          title: "Review (calendar)",
          scheduledTime: "2025-03-14T09:30:00.250Z",
          endTime: "2025-03-14T10:15:00.000Z",
          attendees: [
            { name: "Absent", email: "absent@example.com", responseStatus: "declined", organizer: false },
          ],
        },
      },
    });
    await expect.poll(() => scene.states(id)).toEqual(["delivered"]);
  });

  test("is sent to the owner's personal webhooks and their workspace's webhooks, and to no others", async () => {
    const { url, received } = await scene.receiver();
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const other = await scene.given.member(company);
    const stranger = await scene.given.person();
    await scene.personalWebhook(anna, `${url}/anna`);
    await scene.personalWebhook(other, `${url}/other`);
    await scene.personalWebhook(stranger, `${url}/stranger`);
    await scene.workspaceWebhook(company, `${url}/company`);
    expect((await completeMeeting(scene.db, anna)).enqueued).toBe(2);
    await expect.poll(() => received.map(({ path }) => path).sort()).toEqual(["/hook/anna", "/hook/company"]);
    await scene.given.leaves(anna);
    expect((await completeMeeting(scene.db, anna)).enqueued).toBe(1); // her own
  });

  test("a locked summary is empty", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    await scene.personalWebhook(anna, url);
    await scene.db.transaction(async (tx) => {
      const { importMeeting, enqueueDeliveries } = await import("../../index.js");
      const { MeetingImport } = await import("@minutes/contract");
      const { meetingId } = await importMeeting(
        tx,
        MeetingImport.parse({
          externalId: "locked",
          ownerEmail: anna.email,
          title: "Locked",
          startTime: "2025-03-14T09:30:00Z",
          summary: { markdown: "secret words" },
        }),
      );
      await tx.update(schema.summaries).set({ locked: true }).where(sql`meeting_id = ${meetingId}`);
      expect(await enqueueDeliveries(tx, meetingId)).toBe(1);
      // Only once.
      expect(await enqueueDeliveries(tx, meetingId)).toBe(0);
    });
    await expect.poll(() => received.length).toBe(1);
    expect(JSON.parse(received[0]?.body ?? "").data.summary).toEqual({ markdown: "", html: "", short: "" });
    expect(received[0]?.body).not.toContain("secret words");
  });

  test("a transaction that does not commit sends nothing", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const rolledBack = scene.db.transaction(async (tx) => {
      await completeMeeting(tx, anna);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(1);
    expect(await scene.states(id)).toHaveLength(1);
  });
});
