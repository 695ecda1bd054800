import { z } from "zod";
import { InstantInput } from "./instants.js";
import { KeyRestrictions } from "./keys.js";
import { LIMITS } from "./limits.js";
import { MeetingRef } from "./meetings.js";
import { Email, Id, Name, trimmedText } from "./text.js";
import { VocabularyList, VocabularyTerm } from "./vocabulary.js";
import { DeliveryId, ListDeliveries, NewWebhook, WebhookChange } from "./webhooks.js";

/** Whether removing or demoting a member also revokes the credentials they created for the workspace. */
const Revoke = z
  .boolean()
  .default(false)
  .describe("True revokes the keys and deletes the webhooks that the member created for the workspace.");

const webhookId = Id.describe("The webhook's `id`.");

/** Parameters of the settings API's procedures, `/settings/v1/*`. */
export const SettingsInput = {
  memberRole: z.strictObject({ userId: Id, role: z.enum(["admin", "member"]), revokeCredentials: Revoke }),
  user: z.strictObject({ userId: Id }),
  memberRemoval: z.strictObject({ userId: Id, revokeCredentials: Revoke }),
  meetingShare: z.strictObject({ meetingId: Id, email: Email }),
  meetingTag: z.strictObject({ meetingId: Id, name: trimmedText(1, LIMITS.tagNameMax) }),
  meetingUntag: z.strictObject({ meetingId: Id, tagId: Id }),
  meeting: MeetingRef,
  recording: z.strictObject({
    recordingId: Id.describe("The `meetingId` returned by `recordings.start`."),
  }),
  tag: z.strictObject({ tagId: Id }),
  tagShare: z.strictObject({ tagId: Id, email: Email }),
  term: z.strictObject({ list: VocabularyList, term: VocabularyTerm }),
  newKey: z
    .strictObject({
      kind: z
        .enum(["personal", "workspace", "ingest"])
        .describe("`personal` reads the caller's meetings, `workspace` all; `ingest` is for recorders."),
      name: Name.describe("Display name of the key."),
      ...KeyRestrictions,
    })
    .refine(({ kind, access, expiresAt }) => kind !== "ingest" || (access ?? expiresAt) === undefined, {
      path: ["kind"],
      message: "an ingest key takes neither access nor expiresAt",
    }),
  key: z.strictObject({ keyId: Id.describe("The key's `id`.") }),
  newWebhook: NewWebhook.safeExtend({
    kind: z.enum(["personal", "workspace"]).describe("Whose meetings it reports."),
  }),
  webhook: z.strictObject({ webhookId }),
  webhookResume: z.strictObject({
    webhookId,
    replay: z
      .boolean()
      .describe("True sends the held deliveries, oldest first. False skips them and sends only new ones."),
  }),
  webhookChange: WebhookChange.extend({ webhookId }),
  deliveries: ListDeliveries,
  delivery: z.strictObject({ deliveryId: DeliveryId.describe("The delivery's `id`.") }),
  failedDeliveries: z.strictObject({
    webhookId,
    from: InstantInput.describe("Created at this time or later."),
    to: InstantInput.describe("Created at this time or earlier."),
  }),
};
