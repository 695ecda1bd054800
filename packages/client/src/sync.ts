import { createTRPCClient } from "@trpc/client";
import type { inferRouterInputs } from "@trpc/server";
import { type Clock, realClock } from "./clock.js";
import { MinutesError } from "./errors.js";
import { createLink, isTransient, type RouteSet } from "./link.js";
import type { ClientOptions } from "./options.js";
import type { ChangePage, MySyncRouter } from "./routers.js";

/** A change of a meeting, task or tag: `upsert` with what it is now, or `removed`. */
export type Change = ChangePage["changes"][number];

type Input = inferRouterInputs<MySyncRouter>["changes"]["list"] & object;

/** What to read of the change feed. */
export interface ChangesOptions {
  /** Where an earlier run stopped; absent or null begins with everything. */
  readonly cursor?: string | null | undefined;
  /** True: changes of meetings have everything that `meetings.get` has. The same for all runs of a copy. */
  readonly detail?: boolean | undefined;
  /** False ends when everything was read. Otherwise it goes on and waits for changes, until `signal` is aborted. */
  readonly follow?: boolean | undefined;
  /** How many changes a page has at most, 1 to 100; 100 when absent. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What to do with the changes. */
export interface SyncOptions extends ChangesOptions {
  /** Called for each change, in order; the next one waits for it. A change may come again after a fault: apply it again. */
  readonly onChange: (change: Change) => void | Promise<void>;
  /** Called after the changes of each page. Keep the cursor together with the copy. */
  readonly onCursor?: ((cursor: string) => void | Promise<void>) | undefined;
}

/** Keeps a copy by the change feed. */
export interface ChangeFeed {
  /**
   * Reads changes, page by page, waits for more and tries again after faults of the network or the service.
   * @example
   * await client.sync({ cursor, onChange: apply, onCursor: save });
   * @returns the last cursor, once everything was read (`follow: false`) or the signal is aborted
   * @throws MinutesError `gone` when the cursor is no longer valid: empty the copy and start again without one
   */
  sync(options: SyncOptions): Promise<string | null>;
  /** Reads the same pages one by one: store the changes and `nextCursor` of each. */
  changes(options?: ChangesOptions): AsyncGenerator<ChangePage>;
}

/** Seconds that a call waits at most, well within the time that an attempt may take. */
const LONGEST_WAIT = 20;
/** Milliseconds before the first repetition after a fault while following; it doubles with each, up to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** Creates the change feed of a kind of key. */
export function createChangeFeed(
  routes: RouteSet,
  options: ClientOptions,
  clock: Clock = realClock,
): ChangeFeed {
  // Both kinds of key have the same procedure.
  const client = createTRPCClient<MySyncRouter>({
    links: [createLink<RouteSet, MySyncRouter>(clock, routes, options, "sync/v1")],
  });
  const wait = Math.max(1, Math.min(LONGEST_WAIT, Math.floor((options.timeout ?? 30_000) / 2_000)));

  async function read(input: Input, { follow = true, signal }: ChangesOptions): Promise<ChangePage> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        return await client.changes.list.query(input, signal ? { signal } : {});
      } catch (error) {
        if (!follow || !(error instanceof MinutesError) || !isTransient(error)) throw error;
        options.onWait?.({ reason: "retry", milliseconds: pause });
        await clock.sleep(pause, signal ?? null);
      }
    }
  }

  async function* changes(what: ChangesOptions = {}): AsyncGenerator<ChangePage> {
    const { detail = false, follow = true, limit = 100, signal } = what;
    let { cursor } = what;
    let page: ChangePage | undefined;
    while (!signal?.aborted) {
      const input: Input = {
        limit,
        ...(cursor ? { cursor } : {}),
        ...(detail ? { include: ["detail"] } : {}),
        ...(follow && page?.hasMore !== true ? { wait } : {}),
      };
      try {
        page = await read(input, what);
      } catch (error) {
        if (signal?.aborted) return;
        throw error;
      }
      cursor = page.nextCursor;
      yield page;
      if (!follow && !page.hasMore) return;
    }
  }

  async function sync({ onChange, onCursor, ...what }: SyncOptions): Promise<string | null> {
    let cursor = what.cursor ?? null;
    for await (const page of changes(what)) {
      for (const change of page.changes) await onChange(change);
      cursor = page.nextCursor;
      await onCursor?.(cursor);
    }
    return cursor;
  }

  return { changes, sync };
}
