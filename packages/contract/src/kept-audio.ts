import { z } from "zod";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";

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
    maxBytes: z.number().describe("Maximum number of bytes. Audio for which there is no room is not kept."),
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
