import type { EditedMeeting, MeetingVersions } from "@minutes/contract";
import { schema } from "@minutes/db";
import type { TestServer } from "@minutes/server/testing";
import { createConsoleCalls, type Meeting, type Person } from "@minutes/testing";
import { eq } from "drizzle-orm";

const { meetingVersionContents } = schema;
const READS = ["meetings.versions", "meetings.version", "meetings.transcript", "tasks.list"];

/** Calls that edit and read a meeting. @param getServer returns the server, which may start after this call */
export function createCorrectionCalls(getServer: () => TestServer) {
  const { ask, askFor } = createConsoleCalls(getServer, READS);
  return {
    ask,
    askFor,
    listVersions: ({ owner, meetingId }: Meeting) =>
      askFor<MeetingVersions>(owner, "meetings.versions", { meetingId }),
    edit: ({ owner, meetingId }: Meeting, input: object) =>
      askFor<EditedMeeting>(owner, "meetings.edit", { meetingId, ...input }),
    read: ({ owner, meetingId }: Meeting) => getServer().data(owner.key, "me/meetings.get", { meetingId }),
    /** Searches all time. @returns the IDs of meetings with results */
    find: async (who: Person, query: string) => {
      const range = { query, startDate: "2000-01-01" };
      const { results } = await getServer().data(who.key, "me/meetings.search", range);
      return [...new Set(results.map(({ meetingId }) => meetingId))];
    },
    /** Counts the replaced values that are stored. */
    countContents: ({ meetingId }: Meeting) =>
      getServer().db.$count(meetingVersionContents, eq(meetingVersionContents.meetingId, meetingId)),
    /** Creates a company with a member and a meeting of theirs. */
    createMeeting: async () => {
      const { given } = getServer();
      const company = await given.company();
      const anna = await given.member(company);
      return { company, anna, meeting: await given.richMeeting(anna) };
    },
  };
}
