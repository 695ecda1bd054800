import { type BackgroundLoop, createWakeSignal, startLoop } from "@minutes/background";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Connection, type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";
import { enableChangeNotifications, findReaders, WAITS_ANNOUNCED_EVERY } from "./announce.js";

/**
 * The channel on which triggers announce changes: a transaction number and the affected scopes. A meeting or tag stands
 * for the users who can read it.
 */
export const CHANGES_CHANNEL = "minutes_changes";

/**
 * Poll interval while a notified change is not visible yet, as a fraction of its age: the change is found soon after it
 * becomes visible, and a long transaction costs few polls.
 */
const PART_OF_AGE = 1 / 8;
const SHORTEST_DELAY = 10;
const LONGEST_DELAY = 1_000;

/** Maximum number of changes remembered individually while they are not visible. */
const MOST_NOTICES = 10_000;

/** Pause in ms, ended early by a notification. */
const UNTIL_NOTIFIED = 3_600_000;

/** A caller waiting for changes. */
export interface Waiter {
  /** Resolves when a change affects its holder after it began or was last woken, or after the timeout in ms. */
  wait(milliseconds: number): Promise<void>;
  /** Ends the waiter and its current wait. */
  close(): void;
}

/** The progress of transactions. */
interface Transactions {
  /** All with lower numbers have ended. */
  readonly ended: number;
  /** None with this number or higher has begun to write. */
  readonly started: number;
}

interface Notice {
  readonly number: number;
  /** Null: everyone. */
  readonly scopes: readonly string[] | null;
  /** When it arrived, by the process's clock. */
  readonly at: number;
}

/**
 * Wakes callers that wait for changes. A process shares one listening connection, so a waiting caller needs no
 * connection of its own.
 */
export class ChangeSignal {
  readonly #connection: Connection;
  readonly #onFault: (error: unknown) => void;
  readonly #readTransactions: () => Promise<Transactions>;
  readonly #readReaders: (scopes: readonly string[]) => Promise<string[]>;
  /** Wake functions of the waiters, by key holder. */
  readonly #wakes = new Map<string, Set<() => void>>();
  #notices: Notice[] = [];
  #loop: BackgroundLoop | undefined;
  #listening: Promise<() => Promise<void>> | undefined;
  #announced: { readonly at: number; readonly done: Promise<void> } | undefined;
  #stopped = false;

  /**
   * @param onFault called when the database could not be read; the signal retries
   * @param readTransactions reads the progress of transactions
   * @param readReaders returns the users who can read these meetings or tags through a share
   */
  constructor(
    connection: Connection,
    onFault: (error: unknown) => void,
    readTransactions = () => selectTransactions(connection.db),
    readReaders = (scopes: readonly string[]) => findReaders(connection.db, scopes),
  ) {
    this.#connection = connection;
    this.#onFault = onFault;
    this.#readTransactions = readTransactions;
    this.#readReaders = readReaders;
  }

  /** Number of waiting callers. */
  get waiting(): number {
    let waiting = 0;
    for (const wakes of this.#wakes.values()) waiting += wakes.size;
    return waiting;
  }

  /** True once callers should stop waiting. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /**
   * Starts watching for a key holder, `user:<id>` or `workspace:<id>`. Changes that affect them and commit from now on
   * end a wait.
   * @throws ApiError 429 if the holder has too many waiters
   */
  async watch(holder: string): Promise<Waiter> {
    if ((this.#wakes.get(holder)?.size ?? 0) >= LIMITS.syncWaitsAtOnce) {
      throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManyWaits, { "Retry-After": "1" });
    }
    const { wake, wait } = createWakeSignal();
    addTo(this.#wakes, holder, wake);
    const close = () => {
      removeFrom(this.#wakes, holder, wake);
      wake();
    };
    try {
      await this.#listen();
      await this.#announce();
      // A change notified earlier may become visible only now.
      const { ended, started } = await this.#readTransactions();
      if (ended < started) this.#await(started - 1, [holder]);
    } catch (error) {
      close();
      throw error;
    }
    return {
      wait: async (milliseconds) => {
        if (!this.#stopped && milliseconds > 0) await wait(milliseconds);
      },
      close,
    };
  }

  /** Ends all current and future waits, and stops listening. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wakeAll();
    const stopListening = await this.#listening?.catch(() => undefined);
    await Promise.all([stopListening?.(), this.#loop?.stop()]);
  }

  /** Starts listening with the first waiter. */
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

  /** Makes writes notify for as long as a wait that begins now can last. */
  #announce(): Promise<void> {
    const now = performance.now();
    if (!this.#announced || now - this.#announced.at > WAITS_ANNOUNCED_EVERY) {
      const done = enableChangeNotifications(this.#connection.db);
      this.#announced = { at: now, done };
      done.catch(() => {
        this.#announced = undefined;
      });
    }
    return this.#announced.done;
  }

  #receive(payload: string | undefined): void {
    if (payload === undefined) {
      // Notifications may have been missed.
      this.#wakeAll();
      return;
    }
    if (this.#wakes.size === 0) return;
    const [number, ...scopes] = payload.split(" ");
    this.#await(Number(number), scopes);
  }

  /** Polls until a change is visible, starting immediately. */
  #await(number: number, scopes: readonly string[]): void {
    const at = performance.now();
    this.#notices.push({ number, scopes, at });
    if (this.#notices.length > MOST_NOTICES) {
      const last = this.#notices.reduce((highest, notice) => Math.max(highest, notice.number), 0);
      this.#notices = [{ number: last, scopes: null, at }];
    }
    this.#loop?.wake();
  }

  /** Wakes the waiters whose changes have become visible: a change waits for all older transactions. */
  async #release(): Promise<number> {
    if (this.#notices.length === 0) return UNTIL_NOTIFIED;
    const { ended } = await this.#readTransactions();
    const readable = new Set(this.#notices.filter(({ number }) => number < ended));
    if ([...readable].some(({ scopes }) => scopes === null)) this.#wakeAll();
    else await this.#wakeHolders(new Set([...readable].flatMap(({ scopes }) => scopes ?? [])));
    this.#notices = this.#notices.filter((notice) => !readable.has(notice));
    const youngest = this.#notices.at(-1);
    if (!youngest) return UNTIL_NOTIFIED;
    const delay = (performance.now() - youngest.at) * PART_OF_AGE;
    return Math.min(LONGEST_DELAY, Math.max(SHORTEST_DELAY, delay));
  }

  /** Wakes only the waiters affected by these scopes. */
  async #wakeHolders(scopes: ReadonlySet<string>): Promise<void> {
    const wakeHolder = (holder: string) => {
      for (const wake of this.#wakes.get(holder) ?? []) wake();
    };
    for (const scope of scopes) wakeHolder(scope);
    const isShareable = [...scopes].some((scope) => !isHolder(scope));
    if (!isShareable || [...this.#wakes.keys()].every((holder) => scopes.has(holder))) return;
    for (const reader of await this.#readReaders([...scopes])) wakeHolder(reader);
  }

  #wakeAll(): void {
    for (const wakes of this.#wakes.values()) for (const wake of wakes) wake();
  }
}

const isHolder = (scope: string): boolean => scope.startsWith("user:") || scope.startsWith("workspace:");

async function selectTransactions(db: Database): Promise<Transactions> {
  const statement = () => sql`
    select ended_transactions()::text as ended,
      (transaction_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)::text as started`;
  const [row] = await runNamedStatement<Record<keyof Transactions, string>>(
    db,
    "transactions",
    statement,
    {},
  );
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
