import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookFormat } from "@minutes/contract";
import {
  asUser,
  completeMeeting,
  createWebhookScene,
  type MeetingFacts,
  type WebhookScene,
} from "@minutes/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { getDeliveryRequest } from "../management/delivery-log.js";
import { writeBody } from "./chat.js";

const PUBLIC_URL = "https://minutes.example.com";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

type Chat = Exclude<WebhookFormat, "json">;
const CHATS = WEBHOOK_FORMATS.filter((format): format is Chat => format !== "json");

const text = (max: number) => z.string().min(1).max(max);
const plain = (max: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: text(max), emoji: z.boolean() });
const textRun = z.looseObject({ type: z.literal("TextRun"), text: text(4_000) });

/** What each chat accepts, by its documentation. */
const RULES: Readonly<Record<Chat, z.ZodType>> = {
  slack: z.strictObject({
    text: text(3_000).refine((written) => !/[<>]/.test(written)),
    blocks: z
      .array(
        z.union([
          z.strictObject({ type: z.literal("header"), text: plain(150) }),
          z.strictObject({ type: z.literal("context"), elements: z.array(plain(2_000)).min(1).max(10) }),
          z.strictObject({ type: z.literal("section"), text: plain(3_000) }),
          z.strictObject({
            type: z.literal("section"),
            text: z.strictObject({
              type: z.literal("mrkdwn"),
              text: z
                .string()
                .regex(/^<https:\/\/minutes\.example\.com\/meetings\/mtg_\w+\|Open in Minutes>$/),
            }),
          }),
        ]),
      )
      .min(1)
      .max(50),
  }),
  teams: z.strictObject({
    type: z.literal("message"),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal("application/vnd.microsoft.card.adaptive"),
        content: z.strictObject({
          $schema: z.url(),
          type: z.literal("AdaptiveCard"),
          version: z.literal("1.4"),
          body: z
            .array(z.strictObject({ type: z.literal("RichTextBlock"), inlines: z.tuple([textRun]) }))
            .min(1),
          actions: z.array(
            z.strictObject({ type: z.literal("Action.OpenUrl"), title: text(50), url: z.url() }),
          ),
        }),
      }),
    ]),
  }),
  discord: z.strictObject({
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
    embeds: z.tuple([
      z
        .strictObject({ title: text(256), url: z.url().optional(), description: z.string().max(4_096) })
        .refine(({ title, description }) => title.length + description.length <= 6_000),
    ]),
  }),
};

/** Completes a meeting that webhooks of all chats receive. @returns the parsed bodies */
async function send(facts: MeetingFacts): Promise<Record<Chat, unknown>> {
  const { url, received } = await scene.receiver();
  const anna = await scene.given.person();
  for (const format of CHATS) await scene.personalWebhook(anna, `${url}?${format}`, { format });
  await completeMeeting(scene.db, anna, facts);
  await expect.poll(() => received.length).toBe(CHATS.length);
  const bodyOf = (format: Chat) => received.find(({ path }) => path.endsWith(format))?.body ?? "";
  return Object.fromEntries(CHATS.map((format) => [format, JSON.parse(bodyOf(format))])) as Record<
    Chat,
    unknown
  >;
}

describe("a message in a chat", () => {
  test("has the title, short summary, tasks and a link", async () => {
    const bodies = await send({
      title: "Quarterly review",
      summary: { markdown: "The **turbines** arrive in May.", short: "Turbines arrive in May." },
      tasks: [
        { text: "Call the dock", assignee: { name: "Zoë" } },
        { text: "Write", completed: true },
      ],
    });
    for (const format of CHATS) {
      const body = JSON.stringify(RULES[format].parse(bodies[format]));
      expect(body).toContain("Meeting completed");
      expect(body).toContain("Quarterly review");
      expect(body).toContain("Turbines arrive in May.");
      expect(body).toMatch(/☐ Call the dock \\*\(Zoë\\*\)/);
      expect(body).toContain("☑ Write");
      expect(body).toMatch(/https:\/\/minutes\.example\.com\/meetings\/mtg_\w+/);
    }
  });

  test("is within the chat's limits, and content neither mentions nor links", async () => {
    const hostile = "<!channel> @everyone [x](https://evil.example) *b* <@U1>";
    const bodies = await send({
      title: `${hostile} ${"🎉".repeat(60)}`,
      summary: { markdown: "x", short: `${hostile}\n# big\n${"long ".repeat(2_000)}`.slice(0, 1_000) },
      tasks: Array.from({ length: 60 }, () => ({ text: `${hostile} ${"word ".repeat(90)}` })),
    });
    for (const format of CHATS) {
      const body = JSON.stringify(RULES[format].parse(bodies[format]));
      expect(body.length).toBeLessThan(10_000);
      expect(body).toContain("and 50 more");
      expect(body).not.toMatch(/\\ud[89ab]/i);
    }
    const embed = JSON.stringify((bodies.discord as { embeds: [object] }).embeds[0]);
    expect(embed).not.toMatch(/[^\\]@everyone|[^\\]\]\(/);
  });

  test.each(WEBHOOK_EVENTS)("of %s is within the limits, whatever characters its content has", (event) => {
    // Those with a meaning for a chat or in JSON, and long ones; nothing but spaces leaves texts empty.
    for (const character of ["*", "_", "<", "&", "@", "\\", '"', "\u0001", "二", "🎉", " ", ""]) {
      const fill = (length: number) => character.repeat(length);
      const task = {
        id: "tsk_1",
        content: fill(300),
        completed: false,
        assignee: { name: fill(200), email: null },
      };
      const data = JSON.stringify({
        ...{ id: "mtg_1", title: fill(400), tasks: Array.from({ length: 60 }, () => task) },
        summary: { markdown: fill(10), html: "", short: fill(2_000) },
      });
      for (const format of CHATS) {
        const body = writeBody({ ...{ id: "1", created: 0, event, format }, data }, PUBLIC_URL);
        const parsed = RULES[format].safeParse(JSON.parse(body));
        expect([character, format, parsed.error?.issues]).toEqual([character, format, undefined]);
        // What Teams takes is the least of the three.
        expect(Buffer.byteLength(body)).toBeLessThan(28 * 1024);
      }
    }
  });

  test("is what the delivery's log shows", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    await scene.personalWebhook(anna, url, { format: "slack" });
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(1);
    const deliveryId = String(received[0]?.headers["service-delivery"]);
    const { body } = await getDeliveryRequest(scene.db, asUser(anna.userId), deliveryId, PUBLIC_URL);
    expect(body).toBe(received[0]?.body);
  });
});
