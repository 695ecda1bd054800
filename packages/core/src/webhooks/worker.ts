import type { Connection } from "@minutes/db";
import { DEFAULT_RETRY_DELAYS, delayAfter, type RetryDelays } from "./backoff.js";
import {
  type Claim,
  claimDeliveries,
  extendLeases,
  type FailedDelivery,
  type Result,
  type Room,
  settle,
  untilDue,
} from "./claim.js";
import { DELIVERIES_CHANNEL } from "./enqueue.js";
import { LOG_DAYS, purgeLog, rotateSecrets } from "./keep.js";
import { type FailureNotice, notifyFailure } from "./notify-failure.js";
import { bodyOf } from "./payload.js";
import type { Keyring } from "./secrets.js";
import type { Sender } from "./send.js";
import { proof } from "./sign.js";

export interface WorkerOptions {
  readonly connection: Connection;
  readonly keyring: Keyring;
  /** Closed by the worker when it stops. */
  readonly sender: Sender;
  readonly notice: FailureNotice;
  /** Told what the log may say about a fault of ours. */
  readonly onFault: (error: unknown) => void;
  readonly retryDelays?: RetryDelays;
  /** Deliveries under way at once in this worker. */
  readonly concurrency?: number;
  /** Of these, how many to one webhook. */
  readonly perWebhook?: number;
  /** Days that the delivery log is kept. */
  readonly logDays?: number;
  /** Seconds after which others take over the deliveries of a worker that died. */
  readonly lease?: number;
  /** This machine's clock in Unix milliseconds, which signatures carry. */
  readonly now?: () => number;
}

export interface DeliveryWorker {
  /** Takes nothing more and waits for what is under way; resolves within 35 seconds. */
  stop(): Promise<void>;
}

const CONCURRENCY = 64;
const PER_WEBHOOK = 8;
/** About so many bytes of content are under way at once: a meeting can have 40 MB, and each is held several times over. */
const BYTES = 128 * 1024 * 1024;
const LEASE_SECONDS = 15;
/** Milliseconds between two claims: what becomes free meanwhile is claimed in one go. */
const CLAIM_PAUSE = 20;
/** Milliseconds to sleep at most: should a notification be lost, this is how late it can get. */
const LONGEST_SLEEP = 30_000;
/** Milliseconds to wait when the database is away. */
const FAULT_PAUSE = 500;
/** Milliseconds for what is under way when the worker stops: the time limit of an attempt, and room to record it. */
const STOP_PATIENCE = 33_000;
const HOUSEKEEPING = 3_600_000;

/**
 * Sends what is due until it is stopped. Any number of workers may run on one database.
 * @see docs/open-questions.md#q18
 * @see docs/open-questions.md#q19
 */
export function startWorker(options: WorkerOptions): DeliveryWorker {
  const { connection, sender, onFault } = options;
  const { db } = connection;
  const {
    concurrency = CONCURRENCY,
    perWebhook = PER_WEBHOOK,
    lease = LEASE_SECONDS,
    retryDelays = DEFAULT_RETRY_DELAYS,
    logDays = LOG_DAYS,
  } = options;
  const underWay = new Map<string, { claim: Claim; done: Promise<void> }>();
  const mails = new Set<Promise<void>>();
  const bell = doorbell();
  const record = recorder(options, () => stopped);
  let stopping = false;
  let stopped = false;

  const room = (): Room => {
    const busy: Record<string, number> = {};
    let bytes = BYTES;
    for (const { claim } of underWay.values()) {
      busy[claim.webhookId] = (busy[claim.webhookId] ?? 0) + 1;
      bytes -= claim.data.length;
    }
    return { slots: bytes > 0 ? concurrency - underWay.size : 0, bytes, perWebhook, busy };
  };

  const begin = (claim: Claim) => {
    const done = attempt(options, claim)
      .then(async (outcome) => {
        const { id, claims } = claim;
        const retryAfter = delayAfter(retryDelays, claim.round + 1);
        const failed = await record({ id, claims, ...outcome, retryAfter });
        if (failed) tell(failed);
        // Its next attempt may be due before anything that is slept for.
        if (outcome.error !== null) bell.ring();
      })
      .catch(
        // Its lease runs out, and it is tried again: nothing was counted.
        onFault,
      )
      .finally(() => {
        const { slots, busy } = room();
        const full = slots <= 0 || (busy[claim.webhookId] ?? 0) >= perWebhook;
        // Claimed once more after its lease had run out: the later one is in the books.
        if (underWay.get(claim.id)?.claim === claim) underWay.delete(claim.id);
        if (full) bell.ring();
      });
    underWay.set(claim.id, { claim, done });
  };
  const tell = (failed: FailedDelivery) => {
    const mail = notifyFailure(db, options.notice, failed)
      .catch(onFault)
      .finally(() => mails.delete(mail));
    mails.add(mail);
  };

  const run = async () => {
    while (!stopping) {
      try {
        const here = room();
        const claims = here.slots > 0 ? await claimDeliveries(db, here, lease) : [];
        for (const claim of claims) begin(claim);
        if (claims.length > 0 || here.slots === 0) {
          if (room().slots <= 0) await bell.wait(LONGEST_SLEEP);
          await pause(CLAIM_PAUSE);
          continue;
        }
        const next = await untilDue(db, here);
        if (next === null || next > 0) await bell.wait(Math.min(next ?? LONGEST_SLEEP, LONGEST_SLEEP));
        else await pause(CLAIM_PAUSE);
      } catch (error) {
        onFault(error);
        await pause(FAULT_PAUSE);
      }
    }
  };

  const heartbeat = setInterval(
    () => {
      const held = [...underWay.values()].map(({ claim }) => claim);
      if (held.length > 0) extendLeases(db, held, lease).catch(onFault);
    },
    (lease * 1000) / 3,
  );
  // Neither waits for the other: a secret that can't be read must not keep content beyond its days.
  const keepHouse = async () => {
    await purgeLog(db, logDays).catch(onFault);
    await rotateSecrets(db, options.keyring);
  };
  const housekeeping = setInterval(() => void keepHouse().catch(onFault), HOUSEKEEPING);
  const listening = listenTo(connection, bell.ring, onFault, () => stopping);
  const tidied = keepHouse().catch(onFault);
  const running = run();

  const stop = async () => {
    stopping = true;
    bell.ring();
    const patience = new Promise<void>((resolve) => setTimeout(resolve, STOP_PATIENCE).unref());
    clearInterval(housekeeping);
    await running;
    await Promise.race([Promise.all([...underWay.values()].map(({ done }) => done)), patience]);
    await Promise.race([Promise.all([tidied, ...mails]), patience]);
    stopped = true;
    clearInterval(heartbeat);
    const left = [...underWay.values()].map(({ claim }) => claim);
    if (left.length > 0) await extendLeases(db, left, 0).catch(onFault);
    await sender.close();
    await (await listening)?.().catch(onFault);
  };
  return { stop };
}

/** One attempt: the secret is opened, the body put together and signed, and sent. */
async function attempt({ keyring, sender, now = Date.now }: WorkerOptions, claim: Claim) {
  const { id, url, method, headerName, secretKeyId, secret: sealed } = claim;
  const secret = keyring.open({ secretKeyId, secret: sealed }, claim.webhookId);
  const body = bodyOf(id, claim.created, claim.data);
  return sender.send({
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Minutes-Webhooks/1",
      "service-event": "meeting.completed",
      "service-delivery": id,
      ...proof({ method, headerName, secret }, body, Math.floor(now() / 1000)),
    },
  });
}

/**
 * Records results, all those in one statement that came while the last one ran. What happened is worth keeping: while
 * the database is away it is tried again, until the worker has stopped.
 */
function recorder({ connection: { db }, onFault }: WorkerOptions, stopped: () => boolean) {
  interface Waiting {
    readonly result: Result;
    readonly resolve: (failed: FailedDelivery | undefined) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let busy = false;
  const flush = async () => {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const failed = await settle(
          db,
          batch.map(({ result }) => result),
        );
        for (const { result, resolve } of batch) {
          resolve(failed.find(({ deliveryId }) => deliveryId === result.id));
        }
      } catch (error) {
        if (stopped()) for (const { reject } of batch) reject(error);
        else {
          onFault(error);
          waiting = [...batch, ...waiting];
          await pause(FAULT_PAUSE);
        }
      }
    }
    busy = false;
  };
  return (result: Result): Promise<FailedDelivery | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ result, resolve, reject });
      if (!busy) void flush();
    });
}

/** Listens for new deliveries, and keeps trying while the database is away. */
async function listenTo(
  connection: Connection,
  ring: () => void,
  onFault: (error: unknown) => void,
  stopping: () => boolean,
) {
  while (!stopping()) {
    try {
      return await connection.listen(DELIVERIES_CHANNEL, ring);
    } catch (error) {
      onFault(error);
      await pause(FAULT_PAUSE);
    }
  }
  return undefined;
}

/** Something to wait for that is not lost when it happens before the wait. */
function doorbell() {
  let rung = false;
  let answer: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      answer?.();
    },
    wait: async (milliseconds: number) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          answer = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      answer = undefined;
      rung = false;
    },
  };
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
