import { LIMITS, MeetingSpeakers, PeoplePage, PersonDetail } from "@minutes/contract";
import { type Arguments, omit, readFlag, type ToolDefinition } from "./definition.js";
import { everythingParameter, type List, limitParameter, listPage, shorten, withNote } from "./size.js";

const PEOPLE: List = { key: "people", what: "people", most: 20 };
const MEETINGS: List = { key: "recentMeetings", what: "meetings", most: LIMITS.pageSizeMax };
const SUGGESTIONS: List = { key: "suggestions", what: "suggestions", most: LIMITS.pageSizeMax };

/** Runs the tool's procedure and keeps as many items of a list as fit, unless everything is asked for. */
const callShortened =
  (list: List): NonNullable<ToolDefinition["call"]> =>
  async (args, { run }) => {
    const everything = readFlag(args, "everything");
    const found = (await run(omit(args, "everything"))) as Arguments;
    return everything ? found : shorten(found, list, "Set everything to true for all.");
  };

/** Tools for the people of meetings. */
export const PEOPLE_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_people",
    title: "List people",
    description:
      "Lists the people of the meetings that the key can read, by name, in pages: ID, addresses, number of meetings and of open tasks, last " +
      "met. To find somebody, set name to part of their name. Speakers known only by name are not listed: use list_speakers of their meeting.",
    procedure: "people.list",
    extra: { limit: limitParameter(PEOPLE) },
    output: withNote(PeoplePage),
    call: (args, help) => listPage(help, args, PEOPLE, ""),
  },
  {
    name: "get_person",
    title: "Read about a person",
    description:
      "Returns a person's addresses, open tasks and the latest meetings in which they spoke, with their talk time. Take personId from list_people.",
    procedure: "people.show",
    extra: { everything: everythingParameter },
    output: withNote(PersonDetail),
    call: callShortened(MEETINGS),
  },
  {
    name: "list_speakers",
    title: "List a meeting's speakers",
    description:
      "Lists who spoke in a meeting, with label, turns and talk time, and suggests who an unnamed speaker could be.",
    procedure: "speakers.list",
    extra: { everything: everythingParameter },
    output: withNote(MeetingSpeakers),
    call: callShortened(SUGGESTIONS),
  },
  {
    name: "name_speaker",
    title: "Name a speaker",
    description:
      "Says who a speaker of a meeting is: a person by personId, or a new one by name, with their email if it is known. The version before is " +
      "kept. Take speakerLabel and baseVersion (`version`) from list_speakers. With a personal key, only the user's own meetings.",
    procedure: "speakers.assign",
  },
];
