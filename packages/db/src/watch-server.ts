import type { Sql } from "postgres";
import { createClient } from "./postgres-client.js";
import { withTimeout } from "./with-timeout.js";

interface Times {
  /** Interval between probes, in ms. */
  readonly every: number;
  /** Timeout in ms after which a silent server counts as gone. */
  readonly patience: number;
}

/** The same timeout as a request's statements. */
const TIMES: Times = { every: 2_000, patience: 5_000 };

/**
 * Probes the server of a pool with several hosts. If it stays silent, drops the pool's connections, so that the next
 * statements find the server that has taken over. A frozen or lost machine does not close connections itself.
 * @returns a function that stops probing
 * @see docs/decisions/0210-failover.md
 */
export function watchServer(pool: Sql, url: string, { every, patience }: Times = TIMES): () => Promise<void> {
  const probe = createClient(url, { max: 1, backoff: () => every / 1_000 });
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const ask = async () => {
    // An error is also an answer: the connection is already closed, and the next one finds its host.
    const answer = probe.unsafe("select 1").then(
      () => true,
      () => true,
    );
    const isAlive = await withTimeout(answer, patience, () => false);
    if (isStopped) return;
    if (!isAlive) {
      pool.drop();
      probe.drop();
    }
    schedule();
  };
  const schedule = () => {
    timer = setTimeout(ask, every);
    timer.unref();
  };
  // At once, while the pool's own host answers: a probe that first connects to a silent one moves on to another host alone.
  void ask();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await probe.end({ timeout: 0 });
  };
}
