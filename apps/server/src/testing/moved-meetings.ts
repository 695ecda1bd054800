import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MeetingDetail } from "@minutes/contract";
import { connectEmbedded } from "@minutes/db";
import { type Company, givenOn, type MeetingFacts, type Person } from "@minutes/testing";
import { onTestFinished } from "vitest";
import { emptyDataDir, launchMinutes } from "./process.js";
import { serve } from "./same-answers.js";
import type { TestServer } from "./server.js";

/** Speech and names that Markdown could change. */
const TEXTS = [
  "Welcome to the review.",
  "**Boss**: not a new turn",
  "two lines\n**Boss**: still the same turn\n\n# and `code` <b> ~~x~~ \\*",
  "Windows line\r\nends, and \u2028 others",
  "  spaces around  ",
  "```\nopen code",
  "\\*\\* escaped \\n",
  "\u{1f600} دحوف 屋根 AT&amp;T <v Ann>",
  "4711",
  "0:03",
  "###### 00:07",
];
const NAMES = ["Ann", "An Nguyen", "Room 4: Lisbon", "*Star_ `X` \\", "王小明", "Zoë 🌻", "Two  Spaces"];

/** Creates a meeting whose fields differ by its number, with every kind of value that a field can have. */
function toMovedMeeting(number: number, owner: Person): MeetingFacts {
  const pick = <Item>(items: readonly Item[], at: number): Item => items[at % items.length] as Item;
  const start = Date.UTC(2025, 0, 1) + number * 3_600_000 + (number % 7);
  const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
  const speakers = [0, 1, 2].map((nth) => ({
    speakerId: `s${nth}`,
    speakerName: pick(NAMES, number + nth * (number % 3)),
    ...(nth === number % 3 ? { speakerEmail: `speaker${number % 5}.${nth}@example.com` } : {}),
  }));
  const order = Array.from({ length: number % 9 }, (_, turn) => (turn < 3 ? turn : (turn * number) % 3));
  return {
    externalId: `recorded-${number}`,
    title: `Meeting ${number} of *${owner.name}*`,
    startTime: at(0),
    ...(number % 4 === 0 ? {} : { endTime: at(30) }),
    ...(number % 3 === 0 ? {} : { generatedTitle: `Generated ${number}` }),
    transcript: order.map((speaker, turn) => ({
      ...(speakers[speaker] as (typeof speakers)[number]),
      text: pick(TEXTS, number + turn),
      ...(turn % 2 ? { start: turn, end: turn + 1 } : {}),
    })),
    ...(number % 5 === 0
      ? {}
      : { summary: { markdown: `# Summary ${number}\n\n- **one** <b>\n\n`, short: `Short ${number}` } }),
    tasks: Array.from({ length: number % 4 }, (_, task) => ({
      text: `Task ${number}.${task} **x**`,
      completed: task % 2 === 1,
      ...(task === 0 ? { assignee: { name: "Ann", email: "ann@example.com" } } : {}),
      ...(task === 2 ? { assignee: { name: "Somebody  Else" } } : {}),
    })),
    tags: Array.from({ length: number % 3 }, (_, tag) => ({
      name: `Tag ${(number + tag) % 6}`,
      color: `#10203${(number + tag) % 6}`,
    })),
    ...(number % 2
      ? {
          calendarEvent: {
            ...(number % 3 ? { externalId: `calendar-${number}` } : {}),
            ...(number % 5 ? { title: `Calendar ${number}`, scheduledTime: at(-5), endTime: at(25) } : {}),
            attendees: Array.from({ length: number % 4 }, (_, nth) => ({
              name: pick(NAMES, number + nth),
              email: `invited${nth}@example.com`,
              organizer: nth === 0,
              ...(nth ? { responseStatus: "tentative" as const } : {}),
            })),
          },
        }
      : {}),
  };
}

/** Creates a company with two members and meetings of both. */
export async function fillMoveSource(
  server: TestServer,
  count: number,
): Promise<{ company: Company; people: Person[]; meetingIds: string[] }> {
  const company = await server.given.company();
  const people = [company.admin, await server.given.member(company)];
  const meetingIds: string[] = [];
  for (let number = 1; number <= count; number++) {
    const owner = people[number % 2] as Person;
    meetingIds.push((await server.given.meeting(owner, toMovedMeeting(number, owner))).meetingId);
  }
  return { company, people, meetingIds };
}

/** An answer instead of the source's. */
export interface GateAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Starts an HTTP server in front of another one until the test ends.
 * @param onCall called for each call with the number of calls so far; its answer replaces the source's
 */
export async function startGate(
  target: string,
  onCall: (path: string, calls: number) => GateAnswer | undefined,
): Promise<string> {
  let calls = 0;
  const gate = createServer(async (request, response) => {
    const own = onCall(request.url ?? "", ++calls);
    if (own) {
      response.writeHead(own.status, { "content-type": "application/json", ...own.headers });
      response.end(JSON.stringify(own.body));
      return;
    }
    const key = String(request.headers["x-api-key"] ?? "");
    const answer = await fetch(`${target}${request.url}`, { headers: { "x-api-key": key } });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    gate.closeAllConnections();
    gate.close();
  });
  return `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
}

/** Removes the IDs that every server assigns, and the number of edits that the command line adds. */
export const withoutIds = ({
  id: _,
  version: __,
  user,
  participants,
  event,
  ...meeting
}: MeetingDetail & { readonly version?: number }) => ({
  ...meeting,
  user: { email: user.email },
  participants: participants.map(({ id: ___, ...participant }) => participant),
  event: { ...event, id: event.id !== null },
});

/**
 * Moves meetings into an empty installation, and kills the command at random calls; the last one may end.
 * @returns counts, and the titles of meetings that differ in any field of `meetings.get`
 */
export async function moveWithKills(
  source: TestServer,
  { company, meetingIds }: Awaited<ReturnType<typeof fillMoveSource>>,
  { kills }: { readonly kills: number },
) {
  const dataDir = await emptyDataDir();
  const before = await connectEmbedded({ dataDir });
  const here = await givenOn(before.db).company({ name: "Here" });
  await before.close();

  let killed = 0;
  let running: ReturnType<typeof launchMinutes> | undefined;
  let calls = 0;
  let killAt = Number.POSITIVE_INFINITY;
  const url = await startGate(source.url, (path) => {
    if (path.includes("meetings.get") && ++calls === killAt)
      setTimeout(() => running?.child.kill("SIGKILL"), Math.random() * 20);
    return undefined;
  });
  const started = performance.now();
  for (;;) {
    // Each attempt comes on average as far as its share, and none can come to the end. Each reads one meeting per owner first.
    const remaining = meetingIds.length - calls + 2 * killed;
    const share = remaining / (kills - killed + 1);
    killAt =
      killed < kills
        ? calls + 3 + Math.floor(Math.random() * 2 * Math.max(0, share - 6))
        : Number.POSITIVE_INFINITY;
    running = launchMinutes(
      ["move-from", url, "--workspace-key", company.key, "--create-owners", "Here", "--json"],
      { DATA_DIR: dataDir },
    );
    const { signal, code, stdout, stderr } = await running.ended;
    if (signal === "SIGKILL") killed++;
    else if (code !== 0) throw new Error(`minutes move-from ended with ${code}: ${stdout}${stderr}`);
    else break;
  }
  const seconds = Math.round((performance.now() - started) / 1000);

  const connection = await connectEmbedded({ dataDir });
  const server = await serve(connection);
  const [there, moved] = await Promise.all([readAll(source, company.key), readAll(server, here.key)]);
  await server.close();
  await connection.close();
  const byTitle = new Map(moved.map((meeting) => [meeting.title, JSON.stringify(withoutIds(meeting))]));
  const differences = there.flatMap((meeting) =>
    byTitle.get(meeting.title) === JSON.stringify(withoutIds(meeting)) ? [] : meeting.title,
  );
  return { killed, differences, there: there.length, here: moved.length, seconds };
}

/** Reads all meetings of a workspace. */
export async function readAll(server: TestServer, key: string): Promise<MeetingDetail[]> {
  const all: MeetingDetail[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: { meetings: { id: string }[]; nextCursor: string | null } = await server.data(
      key,
      "workspace/meetings.list",
      { limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    );
    for (const { id } of page.meetings)
      all.push(await server.data(key, "workspace/meetings.get", { meetingId: id }));
    cursor = page.nextCursor;
  }
  return all;
}
