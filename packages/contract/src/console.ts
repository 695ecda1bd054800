import { z } from "zod";

/** One turn of a transcript as the console shows it. */
const TimedTurn = z.object({
  speakerName: z.string().describe("Display name."),
  text: z.string().describe("What was said."),
  startSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
  endSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
});
export type TimedTurn = z.infer<typeof TimedTurn>;

/** Payload of the console's `meetings.transcript`. */
export const MeetingTranscript = z
  .object({ segments: z.array(TimedTurn).describe("The turns in the order in which they were said.") })
  .meta({ id: "MeetingTranscript", description: "A transcript turn by turn." });
export type MeetingTranscript = z.infer<typeof MeetingTranscript>;
