import type { MeetingCompleted, WebhookEventName, WebhookFormat } from "@minutes/contract";
import { cutToLine } from "../../lib/cut-to-line.js";
import type { ClaimedDelivery } from "./claim.js";
import { toDeliveryBody } from "./payload.js";

/** What a chat shows of an event, as plain text. */
interface ChatMessage {
  /** What happened, such as `Meeting completed`. */
  readonly event: string;
  /** Title of the meeting; null for events without content. */
  readonly title: string | null;
  readonly summary: string;
  /** A line per task. */
  readonly tasks: readonly string[];
  /** The meeting's page; null if there is none. */
  readonly link: string | null;
}

const EVENTS: Readonly<Record<WebhookEventName, string>> = {
  "meeting.completed": "Meeting completed",
  "meeting.updated": "Meeting updated",
  "meeting.deleted": "Meeting deleted",
  "meeting.shared": "Meeting shared",
  "task.updated": "Tasks changed",
  "recording.failed": "Recording failed",
};

/** Maximum lengths in characters: within the limits of all three chats, even if each character has to be escaped. */
const LIMITS = { title: 100, summary: 600, task: 100, assignee: 30, tasks: 10 };

type Delivery = Pick<ClaimedDelivery, "id" | "created" | "data" | "event" | "format">;

/** Returns the body of a delivery in its webhook's format, byte for byte the same on every attempt. */
export function writeBody({ id, created, data, event, format }: Delivery, publicUrl: string): string {
  if (format === "json") return toDeliveryBody(id, created, data, event);
  return JSON.stringify(WRITERS[format](toMessage(event, JSON.parse(data), publicUrl)));
}

/** Data of any event: some have only a part of a meeting. */
type EventData = { readonly id: string } & Partial<MeetingCompleted["data"]>;

function toMessage(event: WebhookEventName, data: EventData, publicUrl: string): ChatMessage {
  const { id, title, summary, tasks = [] } = data;
  const hasPage = event !== "meeting.deleted" && event !== "recording.failed";
  return {
    event: EVENTS[event],
    title: title === undefined ? null : cutToLine(title, LIMITS.title),
    summary: cutToLine(summary?.short ?? "", LIMITS.summary),
    tasks: writeTasks(tasks),
    link: hasPage ? `${publicUrl}/meetings/${encodeURIComponent(id)}` : null,
  };
}

function writeTasks(tasks: MeetingCompleted["data"]["tasks"]): string[] {
  const lines = tasks.slice(0, LIMITS.tasks).map(({ content, completed, assignee }) => {
    const who = assignee ? ` (${cutToLine(assignee.name, LIMITS.assignee)})` : "";
    return `${completed ? "☑" : "☐"} ${cutToLine(content, LIMITS.task)}${who}`;
  });
  const more = tasks.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

const toHeading = ({ event, title }: ChatMessage) => (title === null ? event : `${event}: ${title}`);

/**
 * Writes the message in the words of each chat. Content goes where the chat doesn't interpret it, or is escaped: a title must not
 * mention everybody in a channel, nor hide where a link leads.
 */
const WRITERS: Readonly<Record<Exclude<WebhookFormat, "json">, (message: ChatMessage) => object>> = {
  /** @see https://docs.slack.dev/reference/block-kit/blocks */
  slack: (message) => {
    const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
    const section = (text: string) => ({ type: "section", text: plain(text) });
    const { title, summary, tasks, link } = message;
    return {
      // For notifications, where markup counts.
      text: escapeSlack(toHeading(message)),
      blocks: [
        { type: "header", text: plain(title || message.event) },
        ...(title ? [{ type: "context", elements: [plain(message.event)] }] : []),
        ...(summary ? [section(summary)] : []),
        ...(tasks.length > 0 ? [section(tasks.join("\n"))] : []),
        ...(link ? [{ type: "section", text: { type: "mrkdwn", text: `<${link}|Open in Minutes>` } }] : []),
      ],
    };
  },

  /** @see https://adaptivecards.io/explorer/RichTextBlock.html */
  teams: (message) => {
    // Unlike a TextBlock, a text run has no Markdown.
    const block = (text: string, style: object = {}) => ({
      type: "RichTextBlock",
      inlines: [{ type: "TextRun", text, ...style }],
    });
    const { summary, tasks, link } = message;
    return {
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              block(toHeading(message), { weight: "Bolder", size: "Medium" }),
              ...(summary ? [block(summary)] : []),
              ...tasks.map((task) => block(task)),
            ],
            actions: link ? [{ type: "Action.OpenUrl", title: "Open in Minutes", url: link }] : [],
          },
        },
      ],
    };
  },

  /** @see https://discord.com/developers/docs/resources/message#embed-object */
  discord: (message) => {
    const { summary, tasks, link } = message;
    return {
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: escapeMarkdown(toHeading(message)),
          ...(link && { url: link }),
          description: [summary, ...tasks].filter(Boolean).map(escapeMarkdown).join("\n"),
        },
      ],
    };
  },
};

const escapeSlack = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const escapeMarkdown = (text: string): string => text.replace(/[\\*_~`|>#[\]()<:@-]/g, "\\$&");
