import { z } from "zod";
import { InstantOut } from "./instants.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Id } from "./text.js";

const UnfinishedRecordings = z.object({
  recordings: z
    .array(
      z.object({
        id: z.string().describe("The recording's `recordingId`."),
        externalId: z.string().nullable().describe("The recorder's own ID; null if it sent none."),
        state: z
          .enum(["recording", "processing", "failed"])
          .describe("Running, waiting for its summary, or failed."),
        title: z.string().describe("Title."),
        startTime: InstantOut.describe("When it started."),
        ownerEmail: z.string().describe("E-mail address of the user who is recorded."),
        failure: z.string().nullable().describe("The recorder's reason; null unless it failed."),
        createdAt: InstantOut.describe("When it was announced."),
      }),
    )
    .describe("Oldest first."),
});
export type UnfinishedRecordings = z.infer<typeof UnfinishedRecordings>;

export const listRecordings = query("recordings.list", {
  callers: ["user"],
  session: true,
  operator: {},
  input: NoInput,
  output: UnfinishedRecordings,
  summary: "List unfinished recordings",
  description: "The caller's recordings that are not completed.",
  example: {},
  refuses: [],
});

export const listWorkspaceRecordings = query("recordings.listWorkspace", {
  callers: ["user", "workspace"],
  session: true,
  operator: {},
  input: NoInput,
  output: UnfinishedRecordings,
  summary: "List unfinished recordings of the workspace",
  description: "Those of all members; for admins.",
  example: {},
  refuses: [createRefusal(403, MESSAGES.onlyAdmins)],
});

export const deleteRecording = mutation("recordings.delete", {
  callers: ["user", "operator"],
  session: true,
  input: z.strictObject({ recordingId: Id.describe("The recording's `id`.") }),
  output: Success,
  summary: "Delete an unfinished recording",
  description: "Deletes it with title, attendees and failure; for its owner and admins.",
  example: { recordingId: "mtg_example" },
  refuses: [createRefusal(404, MESSAGES.recordingNotFound)],
});
