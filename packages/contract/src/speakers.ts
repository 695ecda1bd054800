import { z } from "zod";
import { BASE_VERSION, baseVersion, EditedMeeting, forEditors, STALE_VERSION } from "./editing.js";
import { LIMITS } from "./limits.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, mutation, query } from "./operation.js";
import { Email, Id, Name } from "./text.js";

const meetingId = Id.describe("The meeting's `id`.");
const speakerLabel = Id.describe("Label of the speaker within the meeting.");

const who = {
  personId: Id.optional().describe("ID of a person in a meeting that the caller can read."),
  name: Name.optional().describe(
    "Display name. With `personId`, the name in this meeting; without, the name of a new person.",
  ),
  email: Email.optional().describe(
    "E-mail address: the person who has it, or a new one. Without `name`, of somebody the caller knows.",
  ),
};
/** Who a speaker is. */
export interface Who {
  readonly personId?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}
const saysWho = ({ personId, name, email }: Who) => (personId ?? name ?? email) !== undefined;
const saysOne = ({ personId, email }: Who) => personId === undefined || email === undefined;

/** Parameters of `speakers.assign`. */
export const AssignSpeaker = z
  .strictObject({ meetingId, speakerLabel, baseVersion, ...who })
  .refine(saysWho, MESSAGES.whoIsMissing)
  .refine(saysOne, MESSAGES.whoIsBoth);
export type AssignSpeaker = z.output<typeof AssignSpeaker>;

/** Parameters of `speakers.merge`. */
export const MergeSpeakers = z
  .strictObject({
    meetingId,
    speakerLabel,
    baseVersion,
    intoLabel: Id.describe("Label of the speaker who gets the turns and tasks and stays."),
  })
  .refine(({ speakerLabel, intoLabel }) => speakerLabel !== intoLabel, MESSAGES.sameSpeaker);
export type MergeSpeakers = z.output<typeof MergeSpeakers>;

/** Parameters of `speakers.split`. */
export const SplitSpeaker = z
  .strictObject({
    meetingId,
    speakerLabel,
    baseVersion,
    turns: z
      .array(z.int().min(0).max(LIMITS.segmentsMax))
      .min(1)
      .max(LIMITS.segmentsMax)
      .describe("Positions of turns of this speaker, from 0, that another person said."),
    ...who,
  })
  .refine(saysWho, MESSAGES.whoIsMissing)
  .refine(saysOne, MESSAGES.whoIsBoth);
export type SplitSpeaker = z.output<typeof SplitSpeaker>;

/** Parameters of `people.confirm`. */
export const ConfirmPerson = z
  .strictObject({
    personId: Id.describe("ID of a person with `confirmed: false`, as in `people.list` or `participants`."),
    intoId: Id.optional().describe("ID of the person they are, in a meeting that the caller can read."),
    name: Name.optional().describe(
      "Display name. With `intoId`, the name in these meetings; without, of a new person.",
    ),
    email: Email.optional().describe("E-mail address: the person who has it, or a new one."),
  })
  .refine(({ intoId, name, email }) => saysWho({ personId: intoId, name, email }), MESSAGES.whoIsMissing)
  .refine(({ intoId, email }) => saysOne({ personId: intoId, email }), MESSAGES.whoIsBoth);
export type ConfirmPerson = z.output<typeof ConfirmPerson>;

/** Answer of `people.confirm`. */
export const ConfirmedPerson = z
  .object({
    personId: z.string().describe("ID of the person they are: `intoId` of the next call."),
    meetings: z
      .array(EditedMeeting)
      .describe(
        "The edited meetings, at most 50. `meetings.restoreVersion` with the version before undoes the edit of one.",
      ),
    remaining: z.int().describe("Number of the caller's meetings in which the name is still unconfirmed."),
    nextId: z
      .string()
      .nullable()
      .describe("`personId` of the next call, which edits further meetings; null if none remain."),
  })
  .meta({ id: "ConfirmedPerson", description: "A confirmed person, and the meetings that changed." });
export type ConfirmedPerson = z.infer<typeof ConfirmedPerson>;

/** Answer of `speakers.list`. */
export const MeetingSpeakers = z
  .object({
    version: z.int().describe("The meeting's version: the base of an edit."),
    speakers: z
      .array(
        z.object({
          speakerLabel: z.string().describe("Label of the speaker within the meeting."),
          personId: z.string().describe("Person ID, as in the meeting's participants."),
          name: z.string().describe("Display name."),
          email: z.string().nullable().describe("E-mail address, if known."),
          named: z.boolean().describe("True if somebody named the speaker."),
          turns: z.int().describe("Number of turns."),
          talkSeconds: z
            .number()
            .nullable()
            .describe("Seconds of the turns whose start and end are known; null if none are."),
        }),
      )
      .describe("The speakers, in order of their first turn."),
    suggestions: z
      .array(
        z.object({
          personId: z
            .string()
            .nullable()
            .describe("Person ID; null for somebody who is in no meeting yet: assign them by `email`."),
          name: z.string().describe("Display name."),
          email: z.string().nullable().describe("E-mail address, if known."),
          reason: z
            .enum(["attendee", "series", "member"])
            .describe(
              "Invited to the calendar event, a speaker of an earlier meeting of the series or with the same title, " +
                "or a member of the workspace.",
            ),
        }),
      )
      .describe("Who the speakers could be, likeliest first; empty for callers who can't edit the meeting."),
  })
  .meta({ id: "MeetingSpeakers", description: "The speakers of a meeting." });
export type MeetingSpeakers = z.infer<typeof MeetingSpeakers>;

/** Answer of `speakers.assign`, `speakers.merge` and `speakers.split`. */
export const EditedSpeaker = EditedMeeting.extend({
  speakerLabel: z.string().describe("Label of the named, remaining or new speaker."),
  formerName: z.string().describe("Name of the speaker before; empty in a repeated answer."),
  formerNameInSummary: z
    .int()
    .describe(
      "Number of times the former name is in the summary, which stays as it is. 0 if they are still called so.",
    ),
}).meta({ id: "EditedSpeaker", description: "A speaker, and the meeting's version after an edit." });
export type EditedSpeaker = z.infer<typeof EditedSpeaker>;

const SPEAKER = { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc", speakerLabel: "s1", baseVersion: 1 };
const NO_SPEAKER = createRefusal(404, MESSAGES.speakerNotFound);
const WHO = [
  createRefusal(400, MESSAGES.whoIsMissing),
  createRefusal(400, MESSAGES.whoIsBoth),
  createRefusal(404, MESSAGES.personNotFound),
];
const SUMMARY = `The summary stays as it is: the answer says how often the former name occurs in it. ${BASE_VERSION}`;

export const listSpeakers = query("speakers.list", {
  callers: ["user", "workspace"],
  rest: { at: "GET /meetings/{meetingId}/speakers", id: "listSpeakers" },
  tool: {
    name: "list_speakers",
    title: "List a meeting's speakers",
    description:
      "Lists who spoke in a meeting, with label, turns and talk time, and suggests who an unnamed speaker could be.",
    list: "suggestions",
  },
  input: MeetingRef,
  output: MeetingSpeakers,
  summary: {
    user: "List the speakers of a meeting",
    workspace: "List the speakers of a meeting of the workspace",
  },
  description:
    "Each speaker with the number of turns and the talk time, and suggestions who they are: people invited to the calendar " +
    "event, then speakers of earlier meetings with the same title or of the same series, then members.",
  example: { meetingId: SPEAKER.meetingId },
  refuses: [
    createFieldRefusal("meetingId"),
    createRefusal(403, MESSAGES.noMeetingAccess),
    createRefusal(404, MESSAGES.meetingNotFound),
  ],
});

export const assignSpeaker = mutation("speakers.assign", {
  ...forEditors(
    "meeting",
    "speaker.assign",
    "Say who a speaker is",
    `Assigns a speaker to a person: an existing one by \`personId\`, the one with an e-mail address, or a new one by name. With \`personId\` and \`name\`, renames the speaker in this meeting. A recorder's replacement keeps it. ${SUMMARY}`,
    ...WHO,
    NO_SPEAKER,
    STALE_VERSION,
  ),
  rest: { at: "PATCH /meetings/{meetingId}/speakers/{speakerLabel}", id: "updateSpeaker" },
  tool: {
    name: "name_speaker",
    title: "Name a speaker",
    description:
      "Says who a speaker of a meeting is: a person by personId or email, or a new one by name and, if known, email. Take speakerLabel and baseVersion (`version`) from list_speakers.",
  },
  costly: true,
  input: AssignSpeaker,
  output: EditedSpeaker,
  example: { ...SPEAKER, name: "Ada Lovelace", email: "ada@example.com" },
});

export const mergeSpeakers = mutation("speakers.merge", {
  ...forEditors(
    "meeting",
    "speaker.merge",
    "Merge two speakers of a meeting",
    `Gives the turns and tasks of a speaker to another one of the same meeting. ${SUMMARY}`,
    createRefusal(400, MESSAGES.sameSpeaker),
    NO_SPEAKER,
    STALE_VERSION,
  ),
  rest: {
    at: "POST /meetings/{meetingId}/speakers/{speakerLabel}/merge",
    id: "mergeSpeakers",
    content: ["formerName"],
  },
  costly: true,
  input: MergeSpeakers,
  output: EditedSpeaker,
  example: { ...SPEAKER, intoLabel: "s2" },
});

export const splitSpeaker = mutation("speakers.split", {
  ...forEditors(
    "meeting",
    "speaker.split",
    "Move turns to a new speaker",
    `Moves some turns of a speaker to a new speaker of the same meeting. ${SUMMARY}`,
    ...WHO,
    createRefusal(400, MESSAGES.turnOfOther),
    createRefusal(400, MESSAGES.allTurns),
    NO_SPEAKER,
    STALE_VERSION,
  ),
  rest: {
    at: "POST /meetings/{meetingId}/speakers/{speakerLabel}/split",
    id: "splitSpeaker",
    content: ["formerName"],
  },
  costly: true,
  input: SplitSpeaker,
  output: EditedSpeaker,
  example: { ...SPEAKER, turns: [0], name: "Ada Lovelace" },
});

export const confirmPerson = mutation("people.confirm", {
  callers: ["user", "workspace"],
  rest: { at: "POST /people/{personId}/confirm", id: "confirmPerson" },
  operator: { ownerOf: "personId" },
  costly: true,
  input: ConfirmPerson,
  output: ConfirmedPerson,
  summary: {
    user: "Say who an unconfirmed person is",
    workspace: "Say who an unconfirmed person of the workspace is",
  },
  description: {
    user: "Assigns the unconfirmed speakers with this exact name to one person, in up to 50 meetings that the caller owns. Call it again with `nextId` and `intoId` until it is null.",
    workspace:
      "Assigns the unconfirmed speakers with this exact name to one person, in up to 50 meetings of members. Call it again with `nextId` and `intoId` until it is null.",
  },
  example: { personId: "per_7cXe2RtY5uJm9QpZ4wNs", name: "Ada Lovelace", email: "ada@example.com" },
  refuses: {
    user: [
      ...WHO,
      createRefusal(403, MESSAGES.notYourMeetingToEdit),
      createRefusal(409, MESSAGES.personConfirmed),
    ],
    workspace: [
      ...WHO,
      createRefusal(403, MESSAGES.notInWorkspace),
      createRefusal(409, MESSAGES.personConfirmed),
    ],
  },
});
