import { BASE, describeEdit, STALE } from "./correction-texts.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, type ProcedureReference } from "./procedure.js";

const SPEAKER = { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc", speakerLabel: "s1", baseVersion: 1 };
const LIST = {
  description:
    "Each speaker with the number of turns and the talk time, and suggestions who they are: people invited to the calendar " +
    "event, then speakers of earlier meetings with the same title or of the same series, then members.",
  example: { meetingId: SPEAKER.meetingId },
  addition: true,
} as const;
const NO_SPEAKER = createRefusal(404, MESSAGES.speakerNotFound);
const WHO = [
  createRefusal(400, MESSAGES.whoIsMissing),
  createRefusal(400, MESSAGES.whoIsBoth),
  createRefusal(404, MESSAGES.personNotFound),
];
const SUMMARY = `The summary stays as it is: the answer says how often the former name occurs in it. ${BASE}`;
const listRefusals = (message: string) => [
  createFieldRefusal("meetingId"),
  createRefusal(403, message),
  createRefusal(404, MESSAGES.meetingNotFound),
];

/** Reference texts of the speakers of a meeting. */
export const SPEAKER_TEXTS: Readonly<Record<string, ProcedureReference>> = {
  "me/speakers.list": {
    ...LIST,
    summary: "List the speakers of a meeting",
    refusals: listRefusals(MESSAGES.noMeetingAccess),
  },
  "workspace/speakers.list": {
    ...LIST,
    summary: "List the speakers of a meeting of the workspace",
    refusals: listRefusals(MESSAGES.noMeetingAccess),
  },
  ...describeEdit(
    "speakers.assign",
    "Say who a speaker is",
    `Assigns a speaker to a person: an existing one by \`personId\`, the one with an e-mail address, or a new one by name. With \`personId\` and \`name\`, renames the speaker in this meeting. A recorder's replacement keeps it. ${SUMMARY}`,
    { ...SPEAKER, name: "Ada Lovelace", email: "ada@example.com" },
    [...WHO, NO_SPEAKER, STALE],
  ),
  ...describeEdit(
    "speakers.merge",
    "Merge two speakers of a meeting",
    `Gives the turns and tasks of a speaker to another one of the same meeting. ${SUMMARY}`,
    { ...SPEAKER, intoLabel: "s2" },
    [createRefusal(400, MESSAGES.sameSpeaker), NO_SPEAKER, STALE],
  ),
  ...describeEdit(
    "speakers.split",
    "Move turns to a new speaker",
    `Moves some turns of a speaker to a new speaker of the same meeting. ${SUMMARY}`,
    { ...SPEAKER, turns: [0], name: "Ada Lovelace" },
    [
      ...WHO,
      createRefusal(400, MESSAGES.turnOfOther),
      createRefusal(400, MESSAGES.allTurns),
      NO_SPEAKER,
      STALE,
    ],
  ),
};
