import type { EditedMeeting, MeetingVersions } from "@minutes/contract";
import { schema } from "@minutes/db";
import type { Meeting, Person, TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";

const { meetingVersionContents } = schema;

/** Calls that edit and read a meeting. @param getApi returns the API, which may open after this call */
export function createCorrectionCalls(
  getApi: () => Pick<TestApi, "ask" | "askFor" | "data" | "db" | "given">,
) {
  const ask: TestApi["ask"] = (...call) => getApi().ask(...call);
  const askFor: TestApi["askFor"] = (...call) => getApi().askFor(...call);
  return {
    ask,
    askFor,
    listVersions: ({ owner, meetingId }: Meeting) =>
      askFor<MeetingVersions>(owner, "meetings.listVersions", { meetingId }),
    edit: ({ owner, meetingId }: Meeting, input: object) =>
      askFor<EditedMeeting>(owner, "meetings.update", { meetingId, ...input }),
    read: ({ owner, meetingId }: Meeting) => getApi().data(owner.key, "me/meetings.get", { meetingId }),
    /** Searches all time. @returns the IDs of meetings with results */
    find: async (who: Person, query: string) => {
      const range = { query, startDate: "2000-01-01" };
      const { results } = await getApi().data(who.key, "me/meetings.search", range);
      return [...new Set(results.map(({ meetingId }) => meetingId))];
    },
    /** Counts the replaced values that are stored. */
    countContents: ({ meetingId }: Meeting) =>
      getApi().db.$count(meetingVersionContents, eq(meetingVersionContents.meetingId, meetingId)),
    /** Creates a company with a member and a meeting of theirs. */
    createMeeting: async () => {
      const { given } = getApi();
      const company = await given.company();
      const anna = await given.member(company);
      return { company, anna, meeting: await given.richMeeting(anna) };
    },
  };
}
