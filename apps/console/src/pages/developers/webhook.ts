import type { WebhookEventName, WebhookFormat } from "@minutes/contract";
import { settings, type settingsClient } from "../../api/clients";

/** A webhook as the settings API lists it. */
export type Webhook = Awaited<ReturnType<typeof settingsClient.webhooks.list.query>>["personal"][number];

/** Queries to invalidate when webhooks or deliveries change. */
export const WEBHOOK_QUERIES = [settings.webhooks.pathKey()];

/** Descriptions of the events that a webhook can receive. */
export const EVENTS: Readonly<Record<WebhookEventName, string>> = {
  "meeting.completed": "A meeting is completed",
  "meeting.updated": "A meeting's tags or summary changed",
  "meeting.deleted": "A meeting is deleted",
  "meeting.shared": "A meeting is shared",
  "task.updated": "Tasks changed",
  "recording.failed": "A recording failed",
};

/** Names of the formats of a webhook's deliveries. */
export const FORMATS: Readonly<Record<WebhookFormat, string>> = {
  json: "JSON",
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
};
