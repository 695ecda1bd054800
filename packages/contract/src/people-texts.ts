import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, type ProcedureReference } from "./procedure.js";

const PERSON = { personId: "per_7cXe2RtY5uJm9QpZ4wNs" };
const NO_PERSON = createRefusal(404, MESSAGES.personNotFound);
const ADMIN = createRefusal(403, MESSAGES.onlyAdmins);
const WHO_SEES =
  "Everybody who spoke, or has a task, in a meeting that the caller can read. Meetings that the caller can't read don't count.";
const FOLLOW = "Meetings, search and copies follow in the background.";

/** Writes the texts of a procedure for both kinds of keys. */
const describe = (name: string, text: ProcedureReference): Record<string, ProcedureReference> => ({
  [`me/${name}`]: { ...text, addition: true },
  [`workspace/${name}`]: {
    ...text,
    summary: `${text.summary} with a workspace key`,
    refusals: text.refusals.filter((refusal) => refusal !== ADMIN),
    addition: true,
  },
});

/** Reference texts of the directory of people. */
export const PEOPLE_TEXTS: Readonly<Record<string, ProcedureReference>> = {
  ...describe("people.list", {
    summary: "List people",
    description: `${WHO_SEES} By name; accents and case don't matter.`,
    example: {},
    refusals: ["limit", "cursor"].map(createFieldRefusal),
  }),
  ...describe("people.show", {
    summary: "Get a person",
    description: `A person with their latest meetings, turns and talk time. ${WHO_SEES}`,
    example: PERSON,
    refusals: [NO_PERSON],
  }),
  ...describe("people.rename", {
    summary: "Rename a person",
    description: `Renames a person in all meetings of the workspace. Only for admins. ${FOLLOW}`,
    example: { ...PERSON, name: "Ada Lovelace" },
    refusals: [ADMIN, NO_PERSON],
  }),
  ...describe("people.merge", {
    summary: "Merge two people",
    description: `Makes two people of the workspace one: at once the person who stays answers for both. Only for admins. With \`dryRun\`, only counts. ${FOLLOW}`,
    example: { ...PERSON, intoId: "per_3kVb8LdF6hTn1GsW0xQa" },
    refusals: [createRefusal(400, MESSAGES.samePerson), ADMIN, NO_PERSON],
  }),
  ...describe("people.unmerge", {
    summary: "Undo a merge of people",
    description: `Separates a person from the one they were merged into: they have their own meetings, addresses and name again. People merged into them before the merge stay with the other. Only for admins. ${FOLLOW}`,
    example: PERSON,
    refusals: [createRefusal(409, MESSAGES.personNotMerged), ADMIN, NO_PERSON],
  }),
};
