import { setTimeout as sleep } from "node:timers/promises";
import type { PersonDetail } from "@minutes/contract";
import { generateSecretsKey } from "@minutes/core";
import { connectEmbedded, type Database, schema } from "@minutes/db";
import { createTestDatabase, engine, givenOn, onPostgres, send } from "@minutes/testing";
import { and, eq, sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { isConnectionFault } from "../testing/index.js";
import { emptyDataDir, startProcess } from "../testing/process.js";

const MEETINGS = Number(process.env.MEETINGS ?? 10_000);
/** Interval in ms at which locks are looked at. */
const LOOK = 20;

const { meetings, participants, people, tasks } = schema;

/** An installation whose database can be read while no server runs. */
interface Installation {
  readonly settings: Readonly<Record<string, string>>;
  /** Null: the embedded engine's database belongs to the server's process. */
  readonly db: Database | null;
  read<Result>(work: (db: Database) => Promise<Result>): Promise<Result>;
}

async function createInstallation(): Promise<Installation> {
  const settings = { DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000000", LOG_LEVEL: "info" };
  if (onPostgres) {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const { db, url } = database;
    const secrets = { DATABASE_URL: url ?? "", SECRETS_KEY: generateSecretsKey() };
    return { settings: { ...settings, ...secrets }, db, read: (work) => work(db) };
  }
  const dataDir = await emptyDataDir();
  return {
    settings: { ...settings, DATA_DIR: dataDir },
    db: null,
    read: async (work) => {
      const connection = await connectEmbedded({ dataDir });
      try {
        return await work(connection.db);
      } finally {
        await connection.close();
      }
    },
  };
}

/** Stores meetings in which two people speak, each with a task of the first one. @returns the IDs of both, and a key */
async function fill(db: Database) {
  const given = givenOn(db);
  const company = await given.company();
  const owner = await given.member(company);
  const text = "The wombat sleeps.";
  for (let number = 0; number < MEETINGS; number++) {
    await given.meeting(owner, {
      transcript: [
        { speakerId: "a", speakerName: "Zoe", speakerEmail: "zoe@a.example", text },
        { speakerId: "b", speakerName: "Zoe B.", speakerEmail: "zoe@b.example", text },
      ],
      tasks: [{ text: "Feed it", assignee: { name: "Zoe" } }],
    });
  }
  const rows = await db.select({ id: people.id, name: people.name }).from(people);
  const idOf = (name: string) => rows.find((row) => row.name === name)?.id ?? "";
  return { from: idOf("Zoe"), into: idOf("Zoe B."), key: company.key };
}

/** Counts the meetings with the former name, and those that are neither old nor new in all their parts. */
async function count(db: Database) {
  const isOld = eq(participants.name, "Zoe");
  const [halves] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(meetings)
    .innerJoin(participants, and(eq(participants.meetingId, meetings.id), eq(participants.id, "a")))
    .innerJoin(tasks, eq(tasks.meetingId, meetings.id))
    .where(
      sql`${tasks.assigneeName} <> ${participants.name} or (${isOld}) <> (${meetings.updatedAt} = ${meetings.createdAt})`,
    );
  return { left: await db.$count(participants, isOld), halves: halves?.count };
}

/** Reads for how many ms the oldest writing transaction of the database has been open: the most that a lock was held. */
async function readOldest(db: Database): Promise<number> {
  const [found] = await db
    .select({
      age: sql<number | null>`(extract(epoch from max(clock_timestamp() - a.xact_start)) * 1000)::float8`,
    })
    .from(sql`pg_stat_activity a`)
    .where(sql`a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_xid is not null`);
  return found?.age ?? 0;
}

test(`a merge of two people of ${MEETINGS} meetings is done or not after kill -9, and reaches each meeting as a whole`, {
  timeout: 7_200_000,
}, async () => {
  const installation = await createInstallation();
  const { from, into, key } = await installation.read(fill);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  let server = await startProcess(installation.settings);
  const show = async () =>
    (await send(server.url, `/rest/v1/workspace/people/${from}`, { headers })).body as PersonDetail;

  // On the embedded engine, which has one connection, a call waits for every lock.
  let longest = 0;
  let isLooking = true;
  const looking = (async () => {
    for (; isLooking; await sleep(LOOK)) {
      const began = performance.now();
      const waited = installation.db
        ? readOldest(installation.db)
        : send(server.url, "/rest/v1/workspace/meetings?limit=1", { headers }).then(
            () => performance.now() - began,
            (error: unknown) => {
              if (!isConnectionFault(error)) throw error;
              return 0;
            },
          );
      longest = Math.max(longest, await waited);
    }
  })();

  const stopLooking = () => {
    isLooking = false;
    return looking;
  };
  onTestFinished(stopLooking);

  let cut = 0;
  const [both, merge] = [{ meetings: MEETINGS, openTasks: MEETINGS }, JSON.stringify({ intoId: into })];
  const restart = async () => {
    await server.stop("SIGKILL");
    const counts = await installation.read(count);
    server = await startProcess(installation.settings);
    return counts;
  };
  while ((await show()).id === from) {
    expect(await show()).toMatchObject({ name: "Zoe", ...both });
    const call = send(server.url, `/rest/v1/workspace/people/${from}/merge`, {
      method: "POST",
      headers,
      body: merge,
    }).catch(() => null);
    // Longer each time: a fixed limit would end no merge that takes longer.
    await sleep(Math.random() * 60 * (cut + 1));
    await restart();
    await call;
    cut++;
  }

  const began = performance.now();
  const left = [MEETINGS];
  for (let halves: number | undefined = 0; (left.at(-1) ?? 0) > 0; ) {
    expect(await show()).toMatchObject({ id: into, name: "Zoe B.", ...both });
    await sleep(1_000 + Math.random() * 15_000);
    const counts = await restart();
    ({ halves } = counts);
    expect(halves).toBe(0);
    left.push(counts.left);
  }
  const seconds = (performance.now() - began) / 1_000;
  await stopLooking();
  // A kill loses nothing that was written before.
  expect(left).toEqual(left.toSorted((one, other) => other - one));
  expect(await show()).toMatchObject({ id: into, name: "Zoe B.", ...both });
  console.log(
    engine,
    JSON.stringify({
      ...{ meetings: MEETINGS, cut, kills: left.length - 1, left, seconds: Math.round(seconds) },
      longestMilliseconds: Math.round(longest),
    }),
  );
  await server.stop();
});
