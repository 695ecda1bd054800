import { type BackgroundLoop, startLoop } from "@minutes/background";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Connection, type Database, selectOne } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../errors.js";

/** The channel on which triggers tell of changes: a transaction's number, then the scopes that it concerns. */
const CHANGES_CHANNEL = "minutes_changes";

/** Milliseconds until it is looked again whether a notified change can be read; doubled up to the longest. */
const FIRST_DELAY = 10;
const LONGEST_DELAY = 1_000;

/** Milliseconds of a pause that a notification ends. */
const UNTIL_NOTIFIED = 3_600_000;

/** A caller that waits for changes. */
export interface Waiter {
  /** Resolves at a change of its scopes since it began or was last woken, at the latest after so many milliseconds. */
  wait(milliseconds: number): Promise<void>;
  /** Ends it, and a wait under way. */
  close(): void;
}

/** How far the transactions are. */
interface Transactions {
  /** All with lower numbers have ended. */
  readonly ended: number;
  /** None with this number or a higher one has begun to write. */
  readonly started: number;
}

interface Notice {
  readonly number: number;
  readonly scopes: readonly string[];
}

/**
 * Wakes callers that wait for changes. All of a process share one listening connection; a waiting caller holds nothing
 * but its place here.
 */
export class ChangeSignal {
  readonly #connection: Connection;
  readonly #onFault: (error: unknown) => void;
  readonly #readTransactions: () => Promise<Transactions>;
  readonly #wakes = new Map<string, Set<() => void>>();
  readonly #waits = new Map<string, number>();
  #notices: Notice[] = [];
  #delay = FIRST_DELAY;
  #loop: BackgroundLoop | undefined;
  #listening: Promise<() => Promise<void>> | undefined;
  #stopped = false;

  /**
   * @param onFault Called with what made the database unreadable; the signal tries again.
   * @param readTransactions Reads how far the transactions are.
   */
  constructor(
    connection: Connection,
    onFault: (error: unknown) => void,
    readTransactions = () => selectTransactions(connection.db),
  ) {
    this.#connection = connection;
    this.#onFault = onFault;
    this.#readTransactions = readTransactions;
  }

  /** Number of callers that wait. */
  get waiting(): number {
    let waiting = 0;
    for (const count of this.#waits.values()) waiting += count;
    return waiting;
  }

  /** True once callers should not wait any more. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /**
   * Begins to watch scopes for a holder of keys. Changes that commit from now on end a wait.
   * @throws ApiError 429 when the holder has too many waiters
   */
  async watch(holder: string, scopes: readonly string[]): Promise<Waiter> {
    const waiting = this.#waits.get(holder) ?? 0;
    if (waiting >= LIMITS.syncWaitsAtOnce) {
      throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManyWaits, { "Retry-After": "1" });
    }
    this.#waits.set(holder, waiting + 1);
    let woken = false;
    let endWait: (() => void) | undefined;
    const wake = () => {
      woken = true;
      endWait?.();
    };
    for (const scope of scopes) addTo(this.#wakes, scope, wake);
    let closed = false;
    const close = () => {
      if (closed) return;
      closed = true;
      for (const scope of scopes) removeFrom(this.#wakes, scope, wake);
      const left = (this.#waits.get(holder) ?? 1) - 1;
      if (left > 0) this.#waits.set(holder, left);
      else this.#waits.delete(holder);
      wake();
    };
    try {
      await this.#listen();
      // A change that was notified before may become readable only now.
      const { ended, started } = await this.#readTransactions();
      if (ended < started) this.#await({ number: started - 1, scopes });
    } catch (error) {
      close();
      throw error;
    }
    const wait = async (milliseconds: number) => {
      if (!woken && !this.#stopped && milliseconds > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      endWait = undefined;
      woken = false;
    };
    return { wait, close };
  }

  /** Ends all waits, also those that begin later, and stops listening. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeAll();
    const stopListening = await this.#listening?.catch(() => undefined);
    await Promise.all([stopListening?.(), this.#loop?.stop()]);
  }

  /** Listens from the first waiter on. */
  #listen(): Promise<() => Promise<void>> {
    this.#loop ??= startLoop({ step: () => this.#release(), onFault: this.#onFault });
    this.#listening ??= this.#connection
      .listen(CHANGES_CHANNEL, (payload) => this.#receive(payload))
      .catch((error: unknown) => {
        this.#listening = undefined;
        throw error;
      });
    return this.#listening;
  }

  #receive(payload: string | undefined): void {
    if (payload === undefined) {
      // Notifications may have been missed.
      this.#wakeAll();
      return;
    }
    const [number, ...scopes] = payload.split(" ");
    const watched = scopes.filter((scope) => this.#wakes.has(scope));
    if (watched.length === 0) return;
    this.#await({ number: Number(number), scopes: watched });
  }

  /** Looks at once, and then again and again, whether a change can be read. */
  #await(notice: Notice): void {
    this.#notices.push(notice);
    this.#delay = FIRST_DELAY;
    this.#loop?.wake();
  }

  /** Wakes those whose changes can be read: a change waits for all transactions that are older than its own. */
  async #release(): Promise<number> {
    if (this.#notices.length === 0) return UNTIL_NOTIFIED;
    const { ended } = await this.#readTransactions();
    const readable = this.#notices.filter(({ number }) => number < ended);
    this.#notices = this.#notices.filter(({ number }) => number >= ended);
    for (const scope of new Set(readable.flatMap(({ scopes }) => scopes))) {
      for (const wake of this.#wakes.get(scope) ?? []) wake();
    }
    if (this.#notices.length === 0) return UNTIL_NOTIFIED;
    this.#delay = Math.min(LONGEST_DELAY, this.#delay * 2);
    return this.#delay;
  }

  #wakeAll(): void {
    for (const wakes of this.#wakes.values()) for (const wake of wakes) wake();
  }
}

async function selectTransactions(db: Database): Promise<Transactions> {
  const statement = () => sql`
    select ended_transactions()::text as ended,
      (transaction_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)::text as started`;
  const row = await selectOne<Record<keyof Transactions, string>>(db, "transactions", statement, {});
  return { ended: Number(row?.ended ?? 0), started: Number(row?.started ?? 0) };
}

function addTo<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
