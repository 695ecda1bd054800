import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, mutation, NoInput, query, Success } from "./operation.js";

const days = z
  .int()
  .min(1)
  .max(LIMITS.keptAudioDaysMax)
  .nullable()
  .describe("Days for which audio is kept; null: it is deleted when the meeting is stored.");

/** Parameters of `keptAudio.*`. @see docs/decisions/0388-kept-audio.md */
export const KeptAudioInput = { days: z.strictObject({ days }) };

export const KeptAudioSetting = z
  .object({
    days,
    bytes: z.number().describe("Bytes of audio that the workspace keeps now."),
    maxBytes: z.number().describe("Quota in bytes. Audio that would exceed it is not kept."),
  })
  .meta({ id: "KeptAudioSetting", description: "How long a workspace keeps the audio of its meetings." });
export type KeptAudioSetting = z.infer<typeof KeptAudioSetting>;

const OF_WORKSPACE = { callers: ["user", "workspace"], session: true, operator: {} } as const;

export const getKeptAudio = query("keptAudio.get", {
  ...OF_WORKSPACE,
  rest: { at: "GET /kept-audio", id: "getKeptAudio" },
  input: NoInput,
  output: KeptAudioSetting,
  summary: "Get how long audio is kept",
  description:
    "Whether the workspace keeps the audio of uploaded recordings, for how long, and the room it takes.",
  example: {},
  refuses: [],
});

export const setKeptAudio = mutation("keptAudio.set", {
  ...OF_WORKSPACE,
  rest: { at: "PUT /kept-audio", id: "setKeptAudio" },
  input: KeptAudioInput.days,
  output: Success,
  summary: "Keep audio",
  description:
    "Keeps the audio of recordings that are uploaded from now on. Fewer days also shorten what is kept; null deletes it, except that of meetings on hold. For admins.",
  example: { days: 30 },
  refuses: [createRefusal(403, MESSAGES.onlyAdmins)],
});

/** Answer of `meetings.recording`. */
export const MeetingRecording = z
  .object({
    address: z
      .string()
      .describe(
        "Path of the kept audio on this server, for `GET` and `HEAD` without a key, also of ranges; otherwise the recorder's `recordingUrl`.",
      ),
    expiresAt: InstantOut.nullable().describe(
      "When the path ends: ISO 8601, UTC, milliseconds; null for `recordingUrl`.",
    ),
    type: z.string().nullable().describe("Media type, such as `audio/mpeg`; null if unknown."),
    bytes: z.int().nullable().describe("Length in bytes; null if unknown."),
    seconds: z.number().nullable().describe("Length in seconds; null if unknown."),
  })
  .meta({ id: "MeetingRecording", description: "The recording of a meeting." });
export type MeetingRecording = z.infer<typeof MeetingRecording>;

export const getMeetingRecording = query("meetings.recording", {
  callers: ["user", "workspace"],
  rest: { at: "GET /meetings/{meetingId}/recording", id: "getMeetingRecording", redirects: "address" },
  input: MeetingRef,
  output: MeetingRecording,
  summary: "Get the recording of a meeting",
  description: `Redirects to the audio of a meeting, if its workspace keeps it. The address works for ${LIMITS.audioAddressMinutes} minutes without a key, while the caller can read the meeting. Otherwise redirects to the \`recordingUrl\` of its recorder, at another host; a call with \`x-api-key\` gets that with 200, because clients would send the key there.`,
  example: { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" },
  refuses: [
    createFieldRefusal("meetingId"),
    createRefusal(403, MESSAGES.noMeetingAccess),
    createRefusal(404, MESSAGES.meetingNotFound),
    createRefusal(404, MESSAGES.noRecording),
  ],
});
