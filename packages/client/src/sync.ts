import { createTRPCClient } from "@trpc/client";
import type { inferRouterInputs } from "@trpc/server";
import { type Clock, realClock } from "./clock.js";
import { MinutesError } from "./errors.js";
import { createLink, DEFAULTS, isTransient, type RouteSet } from "./link.js";
import type { ClientOptions } from "./options.js";
import type { ChangePage, SyncRouter } from "./routers.js";

/** A change of a meeting, task or tag: `upsert` with its current state, or `removed`. */
export type Change = ChangePage["changes"][number];

type MeetingUpsert = Extract<Change, { readonly type: "meeting"; readonly op: "upsert" }>;
/** A change read with `detail: true`: a meeting has everything that `meetings.get` returns. */
export type DetailedChange =
  | Exclude<Change, MeetingUpsert>
  | (Omit<MeetingUpsert, "data"> & { data: Present<MeetingUpsert["data"]> });
/** Unlike `Required`, also with `exactOptionalPropertyTypes`. */
type Present<Fields> = { [Name in keyof Fields]-?: Exclude<Fields[Name], undefined> };

type Input = inferRouterInputs<SyncRouter>["changes"]["list"] & object;

/** Which part of the change feed to read. */
export interface ChangesOptions {
  /** Where an earlier run stopped. Absent or null starts with everything. */
  readonly cursor?: string | null | undefined;
  /** True includes everything that `meetings.get` returns. Must be the same for all runs of a copy. */
  readonly detail?: boolean | undefined;
  /** False ends once everything was read. Otherwise waits for further changes until `signal` aborts. */
  readonly follow?: boolean | undefined;
  /** Maximum number of changes per page, 1 to 100; 100 by default. */
  readonly limit?: number | undefined;
  /** Stops reading changes. */
  readonly signal?: AbortSignal | undefined;
}

/** How to process the changes. */
export interface SyncOptions extends ChangesOptions {
  /**
   * Called for each change in order; the next one waits for it. After a fault a change can be delivered again, so apply
   * it idempotently.
   */
  readonly onChange: (change: Change) => void | Promise<void>;
  /** Called after the changes of each page. Save the cursor together with the copy. */
  readonly onCursor?: ((cursor: string) => void | Promise<void>) | undefined;
}

/** How to process changes with details. */
export interface DetailedSyncOptions extends Omit<SyncOptions, "onChange"> {
  readonly detail: true;
  /** Called for each change in order, as without details. */
  readonly onChange: (change: DetailedChange) => void | Promise<void>;
}

/** Keeps the cursor of a copy between runs. */
export interface CursorStore {
  /** Returns the last saved cursor; null before the first run. */
  load(): string | null | Promise<string | null>;
  save(cursor: string): void | Promise<void>;
}

/** How to iterate over the changes. */
export interface IterateOptions extends ChangesOptions {
  /** Where the cursor is kept. Used unless `cursor` is set. */
  readonly store?: CursorStore | undefined;
  readonly onChange?: never;
}

/** Methods that keep a copy up to date. */
export interface ChangeFeed {
  /**
   * Reads changes page by page, waits for more, and retries after network and service faults.
   *
   * @example await client.sync({ cursor, onChange: apply, onCursor: save });
   * @returns the last cursor, once everything was read (`follow: false`) or the signal aborts
   * @throws MinutesError `gone` if the cursor is no longer valid: empty the copy and start again without one
   */
  sync(options: DetailedSyncOptions): Promise<string | null>;
  sync(options: SyncOptions): Promise<string | null>;
  /**
   * Yields the same changes one by one. The cursor is saved after the last change of a page was processed, so a change
   * can come again after a fault: apply it idempotently.
   *
   * @example for await (const change of client.sync({ store })) await apply(change);
   * @throws MinutesError as above
   */
  sync(options: IterateOptions & { readonly detail: true }): AsyncGenerator<DetailedChange, void, undefined>;
  sync(options?: IterateOptions): AsyncGenerator<Change, void, undefined>;
  /** Yields the same pages one by one. Store the changes and the `nextCursor` of each. */
  changes(options?: ChangesOptions): AsyncGenerator<ChangePage, void, undefined>;
}

/** Long-poll wait in seconds, added to the timeout of an attempt. */
const WAIT = 15;
/** Delay before the first retry while following, in ms. It doubles with each retry, up to a cap. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** Creates the change feed for a kind of key. */
export function createChangeFeed(
  routes: RouteSet,
  options: ClientOptions,
  clock: Clock = realClock,
): ChangeFeed {
  // The procedure is the same for both kinds of key.
  const timeout = WAIT * 1000 + (options.timeout ?? DEFAULTS.timeout);
  const client = createTRPCClient<SyncRouter>({
    links: [createLink<SyncRouter>(clock, `sync/v1/${routes}`, { ...options, timeout })],
  });

  async function read(input: Input, { follow = true, signal }: ChangesOptions): Promise<ChangePage> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        return await client.changes.list.query(input, signal ? { signal } : {});
      } catch (error) {
        if (!follow || !(error instanceof MinutesError) || !isTransient(error)) throw error;
        const reason = error.code === "rate_limited" ? "rate_limit" : "retry";
        options.onWait?.({ reason, milliseconds: pause });
        await clock.sleep(pause, signal ?? null);
      }
    }
  }

  async function* changes(what: ChangesOptions = {}): AsyncGenerator<ChangePage, void, undefined> {
    const { detail = false, follow = true, limit = 100, signal } = what;
    let { cursor } = what;
    let page: ChangePage | undefined;
    while (!signal?.aborted) {
      const input: Input = {
        limit,
        ...(cursor ? { cursor } : {}),
        ...(detail ? { include: ["detail"] } : {}),
        ...(follow && page?.hasMore !== true ? { wait: WAIT } : {}),
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

  const sync = (options: SyncOptions | IterateOptions = {}) =>
    options.onChange ? apply(changes, options) : iterate(changes, options);

  return { changes, sync: sync as ChangeFeed["sync"] };
}

type ReadPages = ChangeFeed["changes"];

async function* iterate(
  changes: ReadPages,
  { store, ...what }: IterateOptions,
): AsyncGenerator<Change, void, undefined> {
  const cursor = what.cursor === undefined ? await store?.load() : what.cursor;
  for await (const page of changes({ ...what, cursor })) {
    yield* page.changes;
    await store?.save(page.nextCursor);
  }
}

async function apply(
  changes: ReadPages,
  { onChange, onCursor, ...what }: SyncOptions,
): Promise<string | null> {
  let cursor = what.cursor ?? null;
  for await (const page of changes(what)) {
    for (const change of page.changes) await onChange(change);
    cursor = page.nextCursor;
    await onCursor?.(cursor);
  }
  return cursor;
}
