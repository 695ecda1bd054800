import { eraseElsewhere, eraseFromMeetings, findSought, OPERATOR } from "@minutes/core";
import { getHead, nameId } from "./identify.js";
import { GUEST_ADDRESSES } from "./populate.js";
import { listCompleted } from "./rules.js";
import type { Step } from "./step.js";
import { type Content, ERASED, type Meeting, type World } from "./world.js";

/** What a person is known by, in the model. */
interface Sought {
  readonly emails: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
}

/** Erases a guest from all meetings, by an address or by the ID of somebody. */
export async function erasePerson({ random, world, db, idOf }: Step) {
  const guests = [...world.people].filter(([person]) => idOf(person) !== undefined);
  const [person] = random.any(guests) ?? [];
  const address = random.pick([...GUEST_ADDRESSES, "zoe@example.com"]);
  const byId = person !== undefined && random.chance(0.5) && isNoUser(world, person);
  const sought = await findSought(db, byId ? (idOf(person) ?? "") : address);
  while ((await eraseFromMeetings(db, OPERATOR, sought, 100)).length > 0);
  await eraseElsewhere(db, OPERATOR, sought);
  erase(
    world,
    byId ? findGroup(world, person) : { emails: new Set([address.toLowerCase()]), people: new Set() },
  );
}

/** Returns the IDs and addresses of a person, with those merged into one another. */
function findGroup(world: World, person: string): Sought {
  const head = getHead(world, person);
  const group = [...world.people].filter(([one]) => getHead(world, one) === head);
  return {
    people: new Set([person, ...group.map(([one]) => one)]),
    emails: new Set(group.flatMap(([, { email }]) => email ?? [])),
  };
}

/** Returns true if a person has no user's address: users are erased with their accounts. */
const isNoUser = (world: World, person: string): boolean =>
  [...findGroup(world, person).emails].every((email) => world.users.every((user) => user.email !== email));

function erase(world: World, sought: Sought): void {
  for (const meeting of listCompleted(world)) if (isNamed(meeting, sought)) eraseFrom(world, meeting, sought);
  for (const meeting of world.meetings) {
    if (meeting.state !== "recording") continue;
    const attendees = meeting.sent.calendarEvent?.attendees ?? [];
    const gone = attendees.filter(({ email }) => sought.emails.has(email.toLowerCase()));
    for (const { email } of gone) meeting.erasedAttendees.add(email.toLowerCase());
    if (gone.length > 0) meeting.erased = true;
  }
  for (const known of world.people.values())
    if (known.email !== null && sought.emails.has(known.email)) known.email = null;
}

const isThem = (
  { emails, people }: Sought,
  { email, person }: { readonly email: string | null; readonly person: string | null },
): boolean => (email !== null && emails.has(email)) || (person !== null && people.has(person));

/** Returns true if a meeting names a person, now or in an earlier version. */
function isNamed({ content, versions }: Meeting, sought: Sought): boolean {
  const { speakers, event, tasks } = content;
  const assigned = tasks.flatMap(({ assignee }) => assignee ?? []);
  if ([...speakers, ...assigned].some((one) => isThem(sought, one))) return true;
  if (event?.attendees.some(({ email }) => sought.emails.has(email))) return true;
  const replaced = versions.flatMap((version) => [...(version.replaced ?? [])]);
  const texts = replaced.flatMap(([field, value]) =>
    field === "participants" || field === "calendarEvent" || field.startsWith("task:")
      ? JSON.stringify(value)
      : [],
  );
  return [...sought.emails, ...sought.people].some((name) =>
    texts.some((text) => text.includes(JSON.stringify(name))),
  );
}

function eraseFrom(world: World, meeting: Meeting, sought: Sought): void {
  const { content, versions } = meeting;
  const spoken = content.speakers.filter((speaker) => isThem(sought, speaker));
  const invited = (content.event?.attendees ?? []).filter(({ email }) => sought.emails.has(email));
  const names = new Set([...spoken, ...invited].map(({ name }) => name));
  const isNamesake = ({ name, email }: { readonly name: string; readonly email: string | null }) =>
    email === null && names.has(name);
  const labels = new Set<string | null>(spoken.map(({ label }) => label));
  const speakers: Content["speakers"] = content.speakers.map((speaker) =>
    spoken.includes(speaker) || isNamesake(speaker)
      ? { ...speaker, name: ERASED.name, email: null, person: nameId(world), named: false, revision: null }
      : speaker,
  );
  const tasks = content.tasks.map((task) => {
    const { assignee } = task;
    const isTheirs =
      assignee && (isThem(sought, assignee) || labels.has(assignee.label) || isNamesake(assignee));
    return isTheirs ? { ...task, assignee: null } : task;
  });
  const { event } = content;
  meeting.content = {
    ...content,
    speakers,
    tasks,
    event: event && {
      ...event,
      attendees: event.attendees.map((one) => (invited.includes(one) ? { ...one, ...ERASED } : one)),
    },
  };
  meeting.versions = versions.slice(-1).map((version) => ({ ...version, replaced: null }));
  meeting.erased = true;
}
