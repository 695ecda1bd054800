import type { FeedRouter } from "@minutes/core";
import { createTRPCClient } from "@trpc/client";
import { me, queryClient, settings } from "./clients";
import { getRetryAfter, getStatus, sessionLink } from "./transport";

const feed = createTRPCClient<FeedRouter>({ links: [sessionLink("/console/v1/feed")] });

/** Time in ms before the first wait, so that it doesn't compete with what a page loads. */
const QUIET = 5_000;
/** Minimum time in ms between two reads of what has changed, however much does. The cursor misses nothing meanwhile. */
const PAUSE = 1_000;
/** Time in ms before the next attempt after a failure. */
const AFTER_FAILURE = 15_000;
/** Length of a wait in seconds. */
const WAIT = 30;

/** Queries that show a kind of object. */
const SHOWN = {
  meeting: [me.meetings.pathKey(), me.people.pathKey(), me.speakers.pathKey()],
  task: [me.tasks.pathKey(), me.meetings.pathKey()],
  tag: [me.tags.pathKey(), settings.tags.pathKey(), me.meetings.pathKey()],
} as const;

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Resolves when the page is visible: hidden ones wait for nothing, and read again when they are shown. */
const untilVisible = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (document.visibilityState === "visible") return resolve();
    const check = () => document.visibilityState === "visible" && resolve();
    document.addEventListener("visibilitychange", check, { signal });
    signal.addEventListener("abort", () => resolve());
  });

/** Reads again what is shown of these kinds. */
function refresh(kinds: readonly (keyof typeof SHOWN)[]): void {
  const keys = new Map(kinds.flatMap((kind) => SHOWN[kind]).map((key) => [JSON.stringify(key), key]));
  for (const queryKey of keys.values()) void queryClient.invalidateQueries({ queryKey });
}

/** Follows the user's changes, so that an open page shows what arrives by itself. Ends with the signal, or with the session. */
export async function followChanges(signal: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  while (!signal.aborted) {
    await untilVisible(signal);
    if (signal.aborted) return;
    try {
      const input = cursor === undefined ? {} : { cursor, wait: WAIT };
      const { changed, nextCursor } = await feed.changes.follow.query(input, { signal });
      refresh(changed);
      await pause(cursor === undefined ? QUIET : PAUSE, signal);
      cursor = nextCursor;
    } catch (error) {
      const status = getStatus(error);
      if (status === 401) return;
      if (status === 410) {
        cursor = undefined;
        refresh(["meeting", "task", "tag"]);
      }
      await pause(Math.max(AFTER_FAILURE, getRetryAfter(error) * 1000), signal);
    }
  }
}
