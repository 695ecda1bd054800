import type { EditedSpeaker, MeetingSpeakers } from "@minutes/contract";
import type { Meeting, MeetingFacts, Person, TestApi } from "@minutes/testing";

export const said = (speakerId: string, speakerName: string, start: number, end: number) => ({
  ...{ speakerId, speakerName, start, end, text: "The wombat sleeps." },
});

/** A meeting with three speakers, whose names nobody knows. */
export const FACTS: MeetingFacts = {
  title: "Weekly",
  startTime: "2025-03-14T09:00:00.000Z",
  transcript: [
    said("s1", "Speaker 1", 0, 2),
    said("s2", "Speaker 2", 2, 5),
    said("s1", "Speaker 1", 5, 9),
    said("s3", "Speaker 3", 9, 10),
  ],
  summary: { markdown: "Speaker 1 asked, Speaker 2 answered Speaker 1 and Speaker 10." },
  tasks: [{ text: "Feed it", assignee: { name: "Speaker 1" } }, { text: "Nobody's" }],
  calendarEvent: {
    externalId: "series_20250314T090000Z",
    attendees: [{ name: "Ada Lovelace", email: "ada.calendar@example.com" }],
  },
};

/** Calls that name speakers and read the result. @param getApi returns the API, which may open after this call */
export function createSpeakerCalls(getApi: () => TestApi) {
  const ask: TestApi["ask"] = (...call) => getApi().ask(...call);
  const askFor: TestApi["askFor"] = (...call) => getApi().askFor(...call);
  return {
    ask,
    askFor,
    read: ({ owner, meetingId }: Meeting) => getApi().data(owner.key, "me/meetings.get", { meetingId }),
    /** Searches all time. @returns the IDs of meetings with results */
    find: async (who: Person, query: string) => {
      const range = { query, startDate: "2000-01-01" };
      const { results } = await getApi().data(who.key, "me/meetings.search", range);
      return [...new Set(results.map(({ meetingId }) => meetingId))];
    },
    edit: ({ owner, meetingId }: Meeting, procedure: string, input: object) =>
      askFor<EditedSpeaker>(owner, `speakers.${procedure}`, { meetingId, ...input }),
    listSpeakers: ({ owner, meetingId }: Meeting) =>
      askFor<MeetingSpeakers>(owner, "speakers.list", { meetingId }),
    /** Lists the person's meetings in which this person speaks. */
    findByPerson: async (who: Person, person: string) => {
      const { results } = await askFor<{ results: { meetingId: string }[] }>(who, "meetings.search", {
        ...{ query: "wombat", person, startDate: "2000-01-01" },
      });
      return [...new Set(results.map(({ meetingId }) => meetingId))];
    },
    assigneesOf: async (who: Person) =>
      (await getApi().data(who.key, "me/tasks.list")).tasks.map(({ assignee }) => assignee),
    annaWithMeeting: async (facts: MeetingFacts = {}) => {
      const { given } = getApi();
      const company = await given.company();
      const anna = await given.member(company, { name: "Anna" });
      return { company, anna, meeting: await given.meeting(anna, { ...FACTS, ...facts }) };
    },
  };
}
