import {
  createMeClient,
  createWorkspaceClient,
  MinutesError,
  paginate,
  type RateLimit,
} from "@minutes/client";
import { ExplainedError } from "@minutes/db";

/** A meeting in the source's list. */
export interface ListedMeeting {
  readonly id: string;
  /** ID there of the user who recorded it. */
  readonly userId: string;
  readonly startTime: string;
}

/** A service with this API that meetings are moved from. */
export interface Source {
  /** Lists all meetings that the keys can read, each once, newest first. */
  list(): AsyncGenerator<ListedMeeting>;
  /** Returns the answer of `meetings.get`; null if the meeting no longer exists or is no longer readable. */
  get(meetingId: string): Promise<unknown>;
}

export interface SourceOptions {
  /** Personal key: own and shared meetings. */
  readonly key?: string | undefined;
  /** Workspace key: all meetings of the workspace. */
  readonly workspaceKey?: string | undefined;
  /** Retries when the service does not answer, with growing delays of up to ten seconds; eight by default. */
  readonly retries?: number | undefined;
  /** Called when a call waits for the rate limit or before a retry. */
  readonly onWait?: ((milliseconds: number) => void) | undefined;
}

/** Timeout of a call in ms: a transcript can be megabytes long. */
const TIMEOUT = 120_000;
const RETRIES = 8;
/** Maximum wait for the rate limit to reset, in ms. */
const PATIENCE = 2 * 3_600_000;
const PAGE = 100;

/**
 * Connects to a service with this API. Calls stay within its rate limit, wait as it asks, and are retried.
 * @throws TypeError for a URL that is not the address of such a service
 */
export function openSource(
  baseUrl: string,
  { key, workspaceKey, retries = RETRIES, onWait }: SourceOptions,
): Source {
  const options = {
    ...{ baseUrl, timeout: TIMEOUT, retries, patience: PATIENCE },
    onWait: ({ milliseconds }: { milliseconds: number }) => onWait?.(milliseconds),
  };
  // A workspace key comes first: what a member's key can read, too, is read once.
  const clients = [
    ...(workspaceKey === undefined ? [] : [createWorkspaceClient({ ...options, apiKey: workspaceKey })]),
    ...(key === undefined ? [] : [createMeClient({ ...options, apiKey: key })]),
  ];
  const readers = new Map<string, (typeof clients)[number]>();
  return {
    async *list() {
      for (const client of clients)
        try {
          for await (const { id, userId, startTime } of paginate(client.meetings.list, { limit: PAGE })) {
            if (readers.has(id)) continue;
            readers.set(id, client);
            yield { id, userId, startTime };
          }
        } catch (error) {
          throw explain(error);
        }
    },
    async get(meetingId) {
      try {
        return await readers.get(meetingId)?.meetings.get.query({ meetingId });
      } catch (error) {
        if (error instanceof MinutesError && (error.code === "not_found" || error.code === "forbidden"))
          return null;
        throw explain(error);
      }
    },
  };
}

const CONTINUE = "Run the command again to continue.";

/** Turns a failed call into a sentence. */
function explain(error: unknown): unknown {
  if (!(error instanceof MinutesError)) return error;
  const { code, message, status, rateLimit } = error;
  if (code === "unauthorized") return new ExplainedError(`The source refuses the key: ${message}`);
  if (code === "rate_limited")
    return new ExplainedError(`The source's rate limit ${describeReset(rateLimit)}. ${CONTINUE}`);
  if (code === "network" || code === "timeout" || code === "unavailable")
    return new ExplainedError(`The source does not answer: ${message} ${CONTINUE}`);
  if (code === "unexpected_answer" || status === 404)
    return new ExplainedError(
      `The source does not have this API at this address: ${message} Check the URL; it has no /v1.`,
    );
  return new ExplainedError(`The source refuses: ${message}`);
}

const describeReset = (limit: RateLimit | null): string =>
  limit === null ? "is used up" : `resets at ${limit.reset.toISOString()}`;
