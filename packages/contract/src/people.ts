import { z } from "zod";
import { meetingFacts, StartPrecision } from "./import.js";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { NextCursor, Page } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, mutation, query, type Refusal } from "./operation.js";
import { Id, Name, trimmedText } from "./text.js";

const personId = Id.describe("Person ID, as in `participants` and `assignee`.");

/** Parameters of `people.list`. */
export const ListPeople = z
  .strictObject({
    name: trimmedText(1, LIMITS.nameMax)
      .optional()
      .describe("A part of the name. Accents and case don't matter."),
    limit: Page.limit,
    cursor: Id.optional().describe("`nextCursor` of the previous page."),
  })
  .prefault({});
export type ListPeople = z.output<typeof ListPeople>;

/** Parameters of `people.get`. */
export const PersonRef = z.strictObject({ personId });
export type PersonRef = z.output<typeof PersonRef>;

/** Parameters of `people.update`. */
export const UpdatePerson = z.strictObject({
  personId,
  name: Name.describe("Display name in all meetings."),
});
export type UpdatePerson = z.output<typeof UpdatePerson>;

/** Parameters of `people.merge`. */
export const MergePeople = z
  .strictObject({
    personId,
    intoId: Id.describe("ID of the person who stays."),
    dryRun: z.boolean().default(false).describe("True only counts what would change."),
  })
  .refine(({ personId, intoId }) => personId !== intoId, MESSAGES.samePerson);
export type MergePeople = z.output<typeof MergePeople>;

/** Parameters of `people.unmerge`. */
export const UnmergePerson = z.strictObject({
  personId: Id.describe("ID of the person who was merged into another one."),
});
export type UnmergePerson = z.output<typeof UnmergePerson>;

/** A person of the directory. Everything counts only meetings that the caller can read. */
const person = {
  id: z.string().describe("Person ID."),
  name: z
    .string()
    .describe("Display name. If nobody has renamed or merged them, the one in the newest of these meetings."),
  emails: z.array(z.string()).describe("Their e-mail addresses in these meetings."),
  meetings: z.int().describe("Number of meetings in which they spoke."),
  openTasks: z.int().describe("Number of their tasks that are not completed."),
  lastMet: InstantOut.describe("Start of the latest meeting in which they spoke or have a task."),
  confirmed: z
    .boolean()
    .describe(
      "False for speakers without an address and not named by anybody: only their exact name groups them, so they can be " +
        "several people.",
    ),
};

/** Answer of `people.list`. */
export const PeoplePage = z
  .object({
    people: z.array(z.object(person)).describe("The people of this page, by name."),
    nextCursor: NextCursor,
  })
  .meta({ id: "PeoplePage", description: "One page of the people of a workspace." });
export type PeoplePage = z.infer<typeof PeoplePage>;

/** Answer of `people.get`. */
export const PersonDetail = z
  .object({
    ...person,
    confirmable: z
      .int()
      .describe(
        "Number of meetings in which the caller can say who they are with `people.confirm`; 0 once they are confirmed.",
      ),
    recentMeetings: z
      .array(
        z.object({
          id: z.string().describe("Meeting ID."),
          title: z.string().describe("Meeting title."),
          startTime: InstantOut.describe("When the meeting started."),
          startPrecision: StartPrecision.nullable().describe(meetingFacts.startPrecision.description ?? ""),
          turns: z.int().describe("Number of turns."),
          talkSeconds: z
            .number()
            .nullable()
            .describe("Seconds of the turns whose start and end are known; null if none are."),
        }),
      )
      .describe("The latest 50 meetings in which they spoke, newest first."),
  })
  .meta({ id: "PersonDetail", description: "A person of the workspace." });
export type PersonDetail = z.infer<typeof PersonDetail>;

/** Answer of `people.update`, `people.merge` and `people.unmerge`. */
export const ChangedPerson = z
  .object({
    personId: z.string().describe("ID of the person who stays."),
    meetings: z.int().describe("Number of meetings that change, of all members."),
    tasks: z.int().describe("Number of tasks that change, of all members."),
  })
  .meta({ id: "ChangedPerson", description: "A person who was renamed, merged or separated." });
export type ChangedPerson = z.infer<typeof ChangedPerson>;

const PERSON = { personId: "per_7cXe2RtY5uJm9QpZ4wNs" };
const NO_PERSON = createRefusal(404, MESSAGES.personNotFound);
const ADMIN = createRefusal(403, MESSAGES.onlyAdmins);
const WHO_SEES =
  "Everybody who spoke, or has a task, in a meeting that the caller can read. Meetings that the caller can't read don't count. " +
  "Named speakers without an address are grouped by their exact name, with `confirmed: false`: one of their IDs stands for all.";
const FOLLOW = "Meetings, search and copies follow in the background.";
const withKey = (summary: string) => ({ user: summary, workspace: `${summary} with a workspace key` });
/** Leaves out the missing role for workspace keys, which need none. */
const orAdmin = (...refusals: Refusal[]) => ({
  user: refusals,
  workspace: refusals.filter((refusal) => refusal !== ADMIN),
});

export const listPeople = query("people.list", {
  callers: ["user", "workspace"],
  operator: { audit: "person.list" },
  rest: { at: "GET /people", id: "listPeople" },
  tool: {
    name: "list_people",
    title: "List people",
    description:
      "Lists the people of the meetings you can read, by name, in pages. Set name to find somebody. confirmed false: known only by this name, maybe several people.",
    list: "people",
  },
  input: ListPeople,
  output: PeoplePage,
  summary: withKey("List people"),
  description: `${WHO_SEES} By name; accents and case don't matter.`,
  example: {},
  refuses: ["limit", "cursor"].map(createFieldRefusal),
});

export const getPerson = query("people.get", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "personId", audit: "person.get" },
  rest: { at: "GET /people/{personId}", id: "getPerson" },
  tool: {
    name: "get_person",
    title: "Read about a person",
    description:
      "Returns a person's addresses, number of open tasks, and latest meetings in which they spoke, with their talk time. Take personId from list_people.",
    list: "recentMeetings",
  },
  input: PersonRef,
  output: PersonDetail,
  summary: withKey("Get a person"),
  description: `A person with their latest meetings, turns and talk time. ${WHO_SEES}`,
  example: PERSON,
  refuses: [NO_PERSON],
});

export const updatePerson = mutation("people.update", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "personId" },
  rest: { at: "PATCH /people/{personId}", id: "updatePerson" },
  input: UpdatePerson,
  output: ChangedPerson,
  summary: withKey("Rename a person"),
  description: `Renames a person in all meetings of the workspace. Only for admins. ${FOLLOW}`,
  example: { ...PERSON, name: "Ada Lovelace" },
  refuses: orAdmin(ADMIN, NO_PERSON),
});

export const mergePeople = mutation("people.merge", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "personId" },
  rest: { at: "POST /people/{personId}/merge", id: "mergePeople" },
  input: MergePeople,
  output: ChangedPerson,
  summary: withKey("Merge two people"),
  description: `Makes two people of the workspace one: at once the person who stays answers for both. Only for admins. With \`dryRun\`, only counts. ${FOLLOW}`,
  example: { ...PERSON, intoId: "per_3kVb8LdF6hTn1GsW0xQa" },
  refuses: orAdmin(createRefusal(400, MESSAGES.samePerson), ADMIN, NO_PERSON),
});

export const unmergePerson = mutation("people.unmerge", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "personId" },
  rest: { at: "POST /people/{personId}/unmerge", id: "unmergePerson" },
  input: UnmergePerson,
  output: ChangedPerson,
  summary: withKey("Undo a merge of people"),
  description: `Separates a person from the one they were merged into: they have their own meetings, addresses and name again. People merged into them before the merge stay with the other. Only for admins. ${FOLLOW}`,
  example: PERSON,
  refuses: orAdmin(createRefusal(409, MESSAGES.personNotMerged), ADMIN, NO_PERSON),
});
