import { isDeepStrictEqual } from "node:util";
import { identifyRemainingPeople, purgePeople, settlePeople } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { createRandom, readPayload } from "@minutes/testing";
import { and, eq } from "drizzle-orm";
import { onTestFinished } from "vitest";
import type { Caller, Expected } from "./answers.js";
import { forgetPeople } from "./identify.js";
import { compareRoutes } from "./look.js";
import { findNamedPeople } from "./named-people.js";
import { runOperation } from "./operations.js";
import { PeopleOfModel } from "./people.js";
import { createWorld } from "./populate.js";
import { isLocked, listCompleted } from "./rules.js";
import { callSettings, type ModelServer, type Step } from "./step.js";
import { startWebhooks } from "./webhooks.js";
import type { World } from "./world.js";

/** Steps per world. The next one uses the same database, and must not see the previous one's users. */
const STEPS_PER_WORLD = 250;

/** The service and the model differ. The message has the seed, the previous steps, and both answers. */
class Difference extends Error {
  override name = "Difference";
}

export interface ModelOptions {
  readonly seed: number;
  readonly steps: number;
}

const STEPS_PER_DELIVERY = 20;

/**
 * Does `steps` random things in the service and in the model; after each, two users and a company call all their
 * routes. Throws at the first different answer.
 */
export async function compareWithModel(server: ModelServer, { seed, steps }: ModelOptions): Promise<void> {
  const random = createRandom(seed);
  const { db } = server;
  let people = new PeopleOfModel();
  let world: World | undefined;
  const history: string[] = [];
  const webhooks = await startWebhooks(server.connection);
  onTestFinished(() => webhooks.close());
  for (let number = 0; number < steps; number++) {
    if (!world || number % STEPS_PER_WORLD === 0) {
      world = await createWorld(db);
      people = new PeopleOfModel();
      await webhooks.subscribe(world);
    }
    const step: Step = {
      server,
      db,
      world,
      random,
      expect: (what, { status, body: answered }, expected) => {
        const body = people.translate(answered, expected.body);
        if (isDeepStrictEqual({ status, body }, { status: expected.status, body: expected.body })) return;
        throw new Difference(
          [
            `Seed ${seed}, step ${number}, after ${history.slice(-8).join(", ")}: ${what}`,
            `answered ${status} ${JSON.stringify(body, null, 1)}`,
            `expected ${expected.status} ${JSON.stringify(expected.body, null, 1)}`,
          ].join("\n"),
        );
      },
    };
    forgetPeople(world);
    history.push(await runOperation(step));
    await followUp(db);
    const callers: Caller[] = [
      { user: random.pick(world.users) },
      { user: random.pick(world.users) },
      { workspace: random.pick(world.companies) },
    ];
    for (const caller of callers) await compareRoutes(step, caller);
    if (number % 10 === 0) {
      await requireOwnPeople(step);
      await compareLocks(step);
    }
    webhooks.note(world);
    if (number % STEPS_PER_DELIVERY === STEPS_PER_DELIVERY - 1) await webhooks.compare(step);
  }
}

/** Does what the service does in the background after a change. */
async function followUp(db: Database): Promise<void> {
  const { signal } = new AbortController();
  await identifyRemainingPeople(db, signal);
  await settlePeople(db, signal);
  await purgePeople(db, signal);
}

/** Requires that every named person belongs to the workspace of the row that names them. */
async function requireOwnPeople({ db, expect }: Step): Promise<void> {
  const named = await findNamedPeople(db);
  const strangers = named.filter((column) => column.strangers !== 0);
  expect("people of other workspaces", { status: 200, body: strangers }, { status: 200, body: [] });
}

/**
 * Compares locked summaries and charged credits, read from the database because plans without API access don't show
 * them.
 */
async function compareLocks(step: Step): Promise<void> {
  const { world, db } = step;
  for (const user of world.users) {
    const locked = await db
      .select({ id: schema.meetings.id })
      .from(schema.meetings)
      .innerJoin(schema.summaries, eq(schema.summaries.meetingId, schema.meetings.id))
      .where(and(eq(schema.summaries.locked, true), eq(schema.meetings.userId, user.id)));
    const answered = locked.map(({ id }) => id).sort();
    const expected = listCompleted(world).filter((meeting) => meeting.owner === user && isLocked(meeting));
    const as = (body: unknown): Expected => ({ status: 200, body });
    step.expect(`${user.name}'s locked summaries`, as(answered), as(expected.map(({ id }) => id).sort()));

    const usage = await callSettings(step, user, "plan.get");
    const { creditsUsed, plan } = readPayload<Record<string, unknown>>(usage);
    step.expect(
      `${user.name}'s usage`,
      as({ creditsUsed, plan }),
      as({ creditsUsed: user.credits, plan: user.workspace.plan }),
    );
  }
}
