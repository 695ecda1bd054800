import type { Sql } from "postgres";
import { createClient } from "./postgres-client.js";
import { withTimeout } from "./with-timeout.js";

interface Times {
  /** Milliseconds between two questions to a server. */
  readonly every: number;
  /** Milliseconds after which a server that has not answered counts as gone. */
  readonly patience: number;
}

/** As patient as a request is with its statements. */
const TIMES: Times = { every: 2_000, patience: 5_000 };

/**
 * Asks the server of a pool with several hosts for a sign of life. When none comes, drops the pool's connections, so that
 * the next statements find the server that has taken over. A server that is frozen, or whose machine is gone, closes
 * no connection itself.
 * @returns a function that stops asking
 * @see docs/decisions/0210-several-hosts.md
 */
export function watchServer(pool: Sql, url: string, { every, patience }: Times = TIMES): () => Promise<void> {
  const probe = createClient(url, { max: 1, backoff: () => every / 1_000 });
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const ask = async () => {
    // An error is an answer, too: the connection is closed already, and the next one finds its host.
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
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await probe.end({ timeout: 0 });
  };
}
