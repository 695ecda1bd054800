import {
  answerIfAdmitted,
  type Caller,
  canSee,
  canWrite,
  type Expected,
  isInRange,
  isUser,
  type ListInput,
  ok,
  refuse,
} from "./answers.js";
import { compare } from "./compare.js";
import { canRead, compareByStart, listCompleted } from "./rules.js";
import type { Meeting, User, World } from "./world.js";

export const listMeetings = (world: World, caller: Caller, input: ListInput): Expected =>
  answerIfAdmitted(caller, () => {
    const [time, id] = input.cursor?.split("::") ?? [];
    const after = listCompleted(world)
      .filter((meeting) => canSee(caller, meeting))
      .filter(({ content }) => isInRange(content.startTime, input))
      .filter(({ owner }) => input.userEmail === undefined || owner.email === input.userEmail.toLowerCase())
      .filter(
        ({ tags }) =>
          input.tag === undefined ||
          [...tags].some(
            (tag) =>
              isUser(caller) &&
              tag.name === input.tag &&
              (tag.owner === caller.user || tag.readers.has(caller.user)),
          ),
      )
      .sort(compareByStart)
      .filter(
        ({ content, id: own }) =>
          time === undefined ||
          id === undefined ||
          compare(content.startTime, time) < 0 ||
          (content.startTime === time && compare(own, id) < 0),
      );
    const page = after.slice(0, input.limit ?? 50);
    const last = page.at(-1);
    return ok({
      meetings: page.map(toItem),
      nextCursor: last && after.length > page.length ? `${last.content.startTime}::${last.id}` : null,
    });
  });

export const toItem = ({ id, owner, content }: Meeting) => ({
  id,
  title: content.title,
  generatedTitle: content.generatedTitle,
  startTime: content.startTime,
  endTime: content.endTime,
  calendarEventId: content.event?.id ?? null,
  userId: owner.id,
});

export const getMeeting = (world: World, caller: Caller, meetingId: string): Expected =>
  answerIfAdmitted(caller, () => {
    const meeting = listCompleted(world).find(({ id }) => id === meetingId);
    if (!meeting) return refuse(404, "Meeting not found");
    if (!canSee(caller, meeting))
      return refuse(403, "Access denied. You do not have access to this meeting.");
    return ok(toDetail(meeting));
  });

/** Returns a person as answers show them. */
const toName = <Named extends { readonly name: string; readonly email: string | null }>({
  name,
  email,
}: Named) => ({
  name,
  email,
});

export function toDetail(meeting: Meeting) {
  const { id, owner, tags, content } = meeting;
  const { title, generatedTitle, startTime, endTime, speakers, turns, tasks, event } = content;
  const names = new Map(speakers.map(({ label, name }) => [label, name]));
  return {
    ...{ id, title, generatedTitle, startTime, endTime },
    user: { id: owner.id, email: owner.email },
    summary: summary(meeting),
    transcript: turns.map(({ label, text }) => `**${names.get(label)}**: ${text}`).join("\n\n"),
    participants: speakers.map(({ person, name, email }) => ({ id: person, name, email })),
    tasks: tasks.map(({ text, completed, assignee }) => ({
      content: text,
      completed,
      assignee: assignee && toName(assignee),
    })),
    tags: [...tags]
      .sort((one, other) => compare(one.name, other.name))
      .map(({ name, color }) => ({ name, color })),
    event: {
      id: event?.id ?? null,
      externalId: event?.externalId ?? null,
      title: event?.title ?? title,
      scheduledTime: event?.scheduledTime ?? startTime,
      endTime,
      attendees: (event?.attendees ?? []).map((attendee) => ({ ...attendee, responseStatus: null })),
    },
  };
}

/**
 * Builds a summary. The model's summaries are one paragraph with one bold word, so their HTML is known without a
 * renderer.
 */
function summary({ content }: Meeting) {
  if (!content.summary || content.summary.locked) return { markdown: "", html: "", short: "" };
  const { markdown, short } = content.summary;
  return { markdown, html: `<p>${markdown.replace(/\*\*(.*)\*\*/, "<strong>$1</strong>")}</p>`, short };
}

/** Answers a deletion. @returns the answer, and the deleted meeting */
export function deleteMeeting(
  world: World,
  caller: Caller,
  meetingId: string,
): Expected & { gone?: Meeting } {
  let gone: Meeting | undefined;
  const answer = answerIfAdmitted(caller, () => {
    const meeting = listCompleted(world).find(({ id }) => id === meetingId);
    if (!meeting) return refuse(404, "Meeting not found");
    if (!canWrite(caller, meeting)) {
      return refuse(
        403,
        isUser(caller)
          ? "Access denied. You can only delete your own meetings."
          : "Access denied. This meeting does not belong to your workspace.",
      );
    }
    gone = meeting;
    return ok({ success: true, message: "Meeting deleted", deletedMeetingId: meetingId });
  });
  return gone ? { ...answer, gone } : answer;
}

export interface SearchInput {
  query: string;
  startDate?: string;
  endDate?: string;
}

/** Lists the meetings a search can find. */
export const listSearchable = (
  world: World,
  user: User,
  input: SearchInput,
  sixMonthsAgo: string,
): Meeting[] =>
  listCompleted(world).filter(
    (meeting) =>
      canRead(user, meeting) &&
      isInRange(
        meeting.content.startTime,
        input.startDate === undefined && input.endDate === undefined ? { startDate: sixMonthsAgo } : input,
      ),
  );

/** Refuses a search by a user whose plan has no API access; null for others. */
export function refuseSearch(user: User): Expected | null {
  const answer = answerIfAdmitted({ user }, () => ok(null));
  return answer.status === 200 ? null : answer;
}
