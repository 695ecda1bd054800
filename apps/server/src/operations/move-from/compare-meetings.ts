import { MeetingDetail } from "@minutes/contract";
import { readJson } from "@minutes/transcripts";

/** Names the fields of `meetings.get` that differ between two servers, apart from IDs, which every server assigns. */
export function listDifferences(source: unknown, stored: MeetingDetail): string[] {
  const [there, here] = [toFields(readValid(source)), toFields(stored)];
  const different = Object.keys(here).filter((field) => there[field] !== here[field]);
  // Another service can write the same turns in another way, for example with times.
  const same = different.includes("transcript") && readTurns(source) === readTurns(stored);
  return same ? different.filter((field) => field !== "transcript") : different;
}

const PartialDetail = MeetingDetail.partial();
type PartialDetail = ReturnType<typeof PartialDetail.parse>;

/** Returns the fields that are as the contract says; others count as different. */
function readValid(source: unknown): PartialDetail {
  const read = PartialDetail.safeParse(source);
  if (read.success) return read.data;
  const invalid = new Set(read.error.issues.map(({ path: [field] }) => field));
  const valid = Object.entries(source ?? {}).filter(([field]) => !invalid.has(field));
  return PartialDetail.safeParse(Object.fromEntries(valid)).data ?? {};
}

/** Lists the fields to compare as text. */
function toFields(meeting: PartialDetail): Record<string, string> {
  const {
    title,
    generatedTitle,
    startTime,
    endTime,
    user,
    summary,
    transcript,
    participants,
    tasks,
    tags,
    event,
  } = meeting;
  const fields = {
    title: title?.trim(),
    generatedTitle: generatedTitle?.trim() || null,
    startTime: toInstant(startTime),
    endTime: toInstant(endTime),
    "user.email": toAddress(user?.email),
    "summary.markdown": summary?.markdown ?? "",
    "summary.html": summary?.html ?? "",
    "summary.short": summary?.short?.trim() ?? "",
    transcript: transcript ?? "",
    participants: participants?.map(toPerson),
    tasks: tasks?.map(({ content, completed, assignee }) => ({
      ...{ content: content.trim(), completed },
      assignee: assignee && toPerson(assignee),
    })),
    tags: tags?.map(({ name, color }) => `${name} ${color.toLowerCase()}`).toSorted(),
    event: event && {
      linked: event.id !== null,
      externalId: event.externalId,
      title: event.title.trim(),
      scheduledTime: toInstant(event.scheduledTime),
      endTime: toInstant(event.endTime),
      attendees: event.attendees.map(({ responseStatus, organizer, ...person }) => ({
        ...toPerson(person),
        ...{ responseStatus: responseStatus ?? null, organizer },
      })),
    },
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value ?? null)]),
  );
}

const toInstant = (time: string | null | undefined): number | null => (time ? Date.parse(time) : null);
const toAddress = (email: string | null | undefined): string | null => email?.toLowerCase() ?? null;
const toPerson = ({ name, email }: { readonly name: string; readonly email: string | null }) => ({
  name: name.trim(),
  email: toAddress(email),
});

/** Reads who said what. */
function readTurns(meeting: unknown): string {
  const { meetings } = readJson(meeting, { lenient: true });
  return JSON.stringify(
    meetings.map((one) =>
      "transcript" in one ? one.transcript.turns.map(({ speaker, text }) => [speaker, text]) : one,
    ),
  );
}
