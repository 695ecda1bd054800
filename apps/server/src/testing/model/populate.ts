import { createUser, createWorkspace, joinWorkspace, OPERATOR } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import type { Random } from "@minutes/testing";
import { createIngestKey, createPersonalKey, createWorkspaceKey } from "@minutes/testing";
import { eq } from "drizzle-orm";
import type { Meeting, Sent, Tag, User, Workspace, World } from "./world.js";

let worlds = 0;

/** Creates two companies and six people, in the database and in the model. */
export async function createWorld(db: Database): Promise<World> {
  const number = `${process.pid}-${++worlds}`;
  const users: User[] = [];
  for (const name of ["Anna", "Boris", "Chloe", "Dmitri", "Emma", "Farid"]) {
    const email = `${name.toLowerCase()}-${number}@example.com`;
    const { userId, workspaceId } = await createUser(db, OPERATOR, { email, name });
    const { key } = await createPersonalKey(db, userId, "model");
    const own: Workspace = { id: workspaceId, plan: "free", key: null, ingestKey: null };
    users.push({ id: userId, email, name, key, workspace: own, role: "admin", credits: 0 });
  }
  const companies: Workspace[] = [];
  for (const [at, admin] of [users[0], users[3]].entries()) {
    if (!admin) continue;
    const { id } = await createWorkspace(db, OPERATOR, { name: `Company ${number}-${at}`, plan: "team" });
    await joinWorkspace(db, OPERATOR, admin.id, id, "admin");
    const { key } = await createWorkspaceKey(db, admin.id, "Model");
    const { key: ingestKey } = await createIngestKey(db, admin.id, "Recorder");
    const company: Workspace = { id, plan: "team", key, ingestKey };
    companies.push(company);
    const people = users.slice(at * 3, at * 3 + 3);
    for (const user of people) {
      if (user !== admin) await joinWorkspace(db, OPERATOR, user.id, id, "member");
      user.workspace = company;
      user.role = user === admin ? "admin" : "member";
    }
  }
  return { users, companies, meetings: [], tags: [], completions: 0, people: new Map(), named: 0, words: [] };
}

/** Adds the tags that were sent with a meeting. */
export async function addTags(db: Database, world: World, { owner, sent, tags }: Meeting): Promise<void> {
  for (const { name, color } of sent.tags) tags.add(await readTag(db, world, owner, name, color));
}

/** Reads a tag by owner and name; a new one has its initial color. */
export async function readTag(
  db: Database,
  world: World,
  owner: User,
  name: string,
  color?: string,
): Promise<Tag> {
  const known = world.tags.find((tag) => tag.owner === owner && tag.name === name);
  if (known) return known;
  const rows = await db.select().from(schema.tags).where(eq(schema.tags.userId, owner.id));
  const row = rows.find((found) => found.name === name);
  if (!row) throw new Error(`The service has no tag ${name} of ${owner.name}'s.`);
  const tag: Tag = { id: row.id, name, color: color ?? row.color, owner, readers: new Set() };
  world.tags.push(tag);
  return tag;
}

const DAY = 86_400_000;
/** Few starts, so that many are equal. The last one is beyond the default search range. */
export const STARTS = [3, 10, 10.5, 400].map((days) =>
  new Date(Math.floor(Date.now() / DAY) * DAY - days * DAY + 9 * 3_600_000).toISOString(),
);
export const TAGS = ["Sales", "sales", "Zeta", "Ähre"];
/** One person's: addresses ignore case. */
const GUEST_ADDRESSES = ["guest@example.com", "Guest@Example.com"];
const MINUTES = [10, 30, 31, 120, 121, 300, 301];
let sentMeetings = 0;

/** Returns a word that nobody has said before. */
function generateWord({ words }: World): string {
  const letters = [...String(words.length)].map((digit) => "bcdfghjklm"[Number(digit)]);
  const word = `qu${letters.join("")}ix`;
  words.push(word);
  return word;
}

/** Generates a meeting of a user. */
export function generateMeeting(random: Random, world: World, owner: User): Sent {
  const number = ++sentMeetings;
  const word = generateWord(world);
  const startTime = random.pick(STARTS);
  const long = random.chance(0.8);
  const said = `${word} ${long ? "was what we all spoke about during this long and windy morning" : "was it"}`;
  const guests = random.int(3);
  const known = random.chance(0.5);
  return {
    externalId: `model-${process.pid}-${number}`,
    ownerEmail: owner.email,
    title: `Meeting ${number}`,
    startTime,
    ...(random.chance(0.3)
      ? {
          calendarEvent: {
            ...(random.chance(0.5) ? { externalId: `calendar-${number}` } : {}),
            ...(random.chance(0.5) ? { title: `Event ${number}` } : {}),
            ...(random.chance(0.5) ? { scheduledTime: random.pick(STARTS) } : {}),
            attendees: random.chance(0.5)
              ? [{ name: "Guest", email: random.pick(GUEST_ADDRESSES), organizer: random.chance(0.5) }]
              : [],
          },
        }
      : {}),
    endTime: new Date(Date.parse(startTime) + random.pick(MINUTES) * 60_000).toISOString(),
    ...(random.chance(0.5) ? { generatedTitle: `Generated ${number}` } : {}),
    transcript: [
      { speakerId: "s1", speakerName: owner.name, speakerEmail: owner.email, text: said },
      ...Array.from({ length: guests }, (_, at) => ({
        speakerId: `s${1 + ((at + 1) % 2)}`,
        speakerName: at % 2 === 0 ? "Guest" : owner.name,
        ...(at % 2 === 0 && known ? { speakerEmail: random.pick(GUEST_ADDRESSES) } : {}),
        text: "Yes.",
      })),
    ],
    ...(random.chance(0.8)
      ? {
          summary: {
            markdown: `They spoke of **${word}**.`,
            ...(random.chance(0.5) ? { short: `About ${word}` } : {}),
          },
        }
      : {}),
    tasks: Array.from({ length: random.int(4) }, (_, at) => ({
      text: `Task ${at} of ${number}`,
      completed: random.chance(0.3),
      ...(random.chance(0.5)
        ? {
            assignee: random.pick([
              { name: owner.name, email: owner.email },
              { name: "Guest", email: random.pick(GUEST_ADDRESSES) },
              { name: "Nobody" },
            ]),
          }
        : {}),
      ...(random.chance(0.2) ? { createdAt: random.pick(STARTS) } : {}),
    })),
    tags: TAGS.filter(() => random.chance(0.15)).map((name) => ({ name, color: "#112233" })),
  };
}
