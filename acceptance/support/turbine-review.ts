import type { TestServer } from "@minutes/server/testing";
import { insertMeetings, type Person } from "@minutes/testing";

/** Returns the time some days ago, within the default search range. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Gives a person the meeting “Turbine review” and 120 later ones. @returns its ID */
export async function giveTurbineReview({ db, given }: TestServer, owner: Person): Promise<string> {
  const { meetingId } = await given.meeting(owner, {
    title: "Turbine review",
    startTime: daysAgo(30),
    summary: { markdown: "## Turbines\n\nThey are late." },
    transcript: [
      { speakerId: "a", speakerName: "Ada", text: "The turbines are late because of the gearbox." },
      { speakerId: "b", speakerName: "Ben", text: "We order a spare." },
    ],
    tasks: [{ text: "Order a spare gearbox" }],
  });
  await insertMeetings(db, owner, { count: 120, firstStart: daysAgo(10) });
  return meetingId;
}
