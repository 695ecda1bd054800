import type { MeetingVersions } from "@minutes/contract";
import { findPayload } from "@minutes/testing";
import { type Caller, isUser } from "./answers.js";
import { getMeetingVersion, listVersions } from "./answers-of-edits.js";
import { callBeyond, type Step } from "./step.js";
import { getVersion } from "./versions.js";
import type { Meeting } from "./world.js";

/** Compares the versions of a meeting, and what it said at one of them. */
export async function compareVersions(step: Step, caller: Caller, meeting: Meeting | null): Promise<void> {
  const who = isUser(caller) ? caller.user.name : "a workspace";
  const meetingId = meeting?.id ?? "mtg_unknown";
  const listed = await callBeyond(step, caller, "meetings.listVersions", { meetingId });
  const versions = findPayload<MeetingVersions>(listed)?.versions ?? [];
  const times = new Map(versions.map(({ version, at }) => [version, at]));
  step.expect(`${who} lists versions of ${meetingId}`, listed, listVersions(caller, meeting, times));

  const version = 1 + step.random.int(meeting ? getVersion(meeting) + 1 : 1);
  const answer = await callBeyond(step, caller, "meetings.getVersion", { meetingId, version });
  step.expect(
    `${who} reads version ${version} of ${meetingId}`,
    answer,
    getMeetingVersion(caller, meeting, version),
  );
}
