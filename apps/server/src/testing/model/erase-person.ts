import { eraseElsewhere, eraseFromDirectories, eraseFromMeetings, findSought, OPERATOR } from "@minutes/core";
import { compare } from "./compare.js";
import { settle } from "./edit-people.js";
import { getHead, identifyOpen, nameId } from "./identify.js";
import { GUEST_ADDRESSES } from "./populate.js";
import { listCompleted } from "./rules.js";
import type { Step } from "./step.js";
import { type Content, ERASED, type Meeting, type World } from "./world.js";

/** What a person is known by, in the model. */
interface Sought {
  readonly emails: ReadonlySet<string>;
  /** Those whose rows are the person's under whatever address. */
  readonly people: ReadonlySet<string>;
  /** Those who have one of the addresses, who may be merged with somebody else. */
  readonly known: ReadonlySet<string>;
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
  await eraseFromDirectories(db, sought);
  erase(
    world,
    addKnown(
      world,
      byId ? findGroup(world, person) : { emails: new Set([address.toLowerCase()]), people: new Set() },
    ),
  );
}

/** Adds the people who have one of the addresses in any directory. */
const addKnown = (world: World, group: Omit<Sought, "known">): Sought => ({
  ...group,
  known: new Set(
    [...world.people].flatMap(([one, { email }]) => (email !== null && group.emails.has(email) ? [one] : [])),
  ),
});

/** Returns the IDs and addresses of a person, with those merged into one another. */
function findGroup(world: World, person: string): Omit<Sought, "known"> {
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
  eraseFromDirectory(world, sought);
  // Only somebody merged with the person is left under their ID.
  const isOpen = (person: string | null) => person !== null && sought.known.has(person);
  for (const meeting of listCompleted(world))
    meeting.content = identifyOpen(world, meeting.owner.workspace, meeting.content, isOpen);
  settle(world);
}

/** Takes a person out of the directories. Whoever has the first address stands for those who were merged with them. */
function eraseFromDirectory(world: World, { people, known }: Sought): void {
  const gone = [...world.people].filter(([one]) => people.has(one) || known.has(one));
  for (const [one] of gone) world.people.delete(one);
  for (const [one, { mergedInto, revision }] of gone) {
    if (mergedInto !== null) continue;
    const [next, ...others] = [...world.people]
      .filter(([, other]) => other.mergedInto === one)
      .toSorted(([, a], [, b]) => compare(a.email ?? "~", b.email ?? "~"));
    if (!next) continue;
    Object.assign(next[1], { mergedInto: null, revision: revision + 1 });
    for (const [, other] of others) other.mergedInto = next[0];
  }
}

type Named = { readonly email: string | null; readonly person: string | null };

const isThem = ({ emails, people, known }: Sought, { email, person }: Named): boolean =>
  (email !== null && emails.has(email)) ||
  (person !== null && (people.has(person) || (email === null && known.has(person))));

/** Returns true for a different person who was merged with the one sought. */
const isDetached = (sought: Sought, one: Named): boolean =>
  !isThem(sought, one) && one.person !== null && sought.known.has(one.person);

/** Returns true if a meeting names a person, now or in an earlier version. */
function isNamed({ content, versions }: Meeting, sought: Sought): boolean {
  const { speakers, event, tasks } = content;
  const assigned = tasks.flatMap(({ assignee }) => assignee ?? []);
  if ([...speakers, ...assigned].some((one) => isThem(sought, one) || isDetached(sought, one))) return true;
  if (event?.attendees.some(({ email }) => sought.emails.has(email))) return true;
  const replaced = versions.flatMap((version) => [...(version.replaced ?? [])]);
  const texts = replaced.flatMap(([field, value]) =>
    field === "participants" || field === "calendarEvent" || field.startsWith("task:")
      ? JSON.stringify(value)
      : [],
  );
  return [...sought.emails, ...sought.people, ...sought.known].some((name) =>
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
