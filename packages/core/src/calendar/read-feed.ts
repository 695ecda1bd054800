import { askInPieces, type Piece, Thread, ThreadLimitError, type ThreadOptions } from "@minutes/background";
import { type CalendarFault, LIMITS } from "@minutes/contract";
import { ConnectError, createGuardedClient } from "../lib/http/guarded-connector.js";
import type { TargetPolicy } from "../lib/http/target-policy.js";
import { Pace } from "./pace.js";
import type { BytesAnswer, BytesQuestion, ReadEvents } from "./parse-thread.js";

/** Thrown if a calendar can't be read. Contains nothing of its address or content. */
export class CalendarError extends Error {
  override name = "CalendarError";
  constructor(readonly fault: CalendarFault) {
    super(fault);
  }
}

export interface FeedReaderOptions {
  readonly targetPolicy: TargetPolicy;
  /** PEM certificates trusted in addition to the well-known ones. */
  readonly extraCa?: string | undefined;
  /** What parsing a calendar can use: time in ms, and heap in MB. */
  readonly limits?: Pick<ThreadOptions, "deadline" | "memory">;
  /** Each user's share of the time. */
  readonly pace?: Pace;
}

/** What a server sent with a calendar, to ask only for a newer one. */
interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A calendar as its server sent it; null if it is not newer. */
export type SentFeed = (Validators & { readonly bytes: Uint8Array<ArrayBuffer> }) | null;

/** Reads calendars. */
export interface FeedReader {
  readonly pace: Pace;
  /** @throws CalendarError */
  fetch(url: string, known: Validators | null, signal: AbortSignal): Promise<SentFeed>;
  /**
   * Parses a calendar in a worker thread that nothing else uses: a hostile one can't block other work. Its memory moves there.
   * @param spend runs the work when it is its turn, and counts its time
   * @throws CalendarError
   */
  parse(bytes: Uint8Array<ArrayBuffer>, now: number, spend: Spend): Promise<ReadEvents>;
  /** Ends what is read. */
  close(): Promise<void>;
}

/** Runs work and counts its time. */
type Spend = <Result>(work: () => Promise<Result>) => Promise<Result>;

const DAY = 86_400_000;
/** Maximum length of a stored header, in characters. */
const HEADER_MAX = 1_000;
/** Maximum number of all attendees. */
const ALL_ATTENDEES = 20_000;
/** The longest calendar takes about two seconds. All calendars of a process share the thread. */
const PARSE_LIMITS = { deadline: 6_000, memory: 384 };
/** Time in ms for the thread to start. */
const STARTING = 60_000;

/** Creates a reader of calendars. It loads the HTTP client and the parser with the first calendar. */
export function createFeedReader({
  targetPolicy,
  extraCa,
  limits = PARSE_LIMITS,
  pace = new Pace(),
}: FeedReaderOptions): FeedReader {
  let client: ReturnType<typeof createGuardedClient> | undefined;
  const thread = new Thread<BytesQuestion | null, Piece>({
    file: new URL("./calendar-worker.js", import.meta.url),
    starting: STARTING,
    ...limits,
  });
  const fetch = async (url: string, known: Validators | null, signal: AbortSignal): Promise<SentFeed> => {
    client ??= createGuardedClient(targetPolicy, extraCa);
    const { request, agent } = await client;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.calendarTimeoutSeconds * 1_000)]);
    try {
      const { statusCode, headers, body } = await request(url, {
        ...{ dispatcher: agent, signal: timeout, headers: toHeaders(known) },
      });
      if (statusCode !== 200) {
        body.on("error", () => {}).destroy();
        if (statusCode === 304 && known) return null;
        throw new CalendarError(statusCode >= 300 && statusCode < 400 ? "redirect" : "status");
      }
      const bytes = await readBody(body);
      return { bytes, etag: toHeader(headers.etag), lastModified: toHeader(headers["last-modified"]) };
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      const isBlocked = error instanceof ConnectError && error.kind === "blocked";
      throw new CalendarError(isBlocked ? "blocked" : "connection");
    }
  };
  const parse: FeedReader["parse"] = async (bytes, now, spend) => {
    const question = {
      ...{
        bytes,
        now,
        from: now - LIMITS.calendarDaysBack * DAY,
        to: now + (LIMITS.calendarDaysAhead + 1) * DAY,
      },
      ...{ events: LIMITS.calendarEvents, attendees: LIMITS.calendarAttendees, allAttendees: ALL_ATTENDEES },
    };
    const answer = await thread.use(async (ask) => {
      // Starts the thread: that takes none of the calendar's time.
      await ask(null);
      return spend(() =>
        askInPieces<BytesQuestion, BytesAnswer>(ask, question, [bytes.buffer]).catch((error: unknown) => {
          throw error instanceof ThreadLimitError ? new CalendarError("tooComplex") : error;
        }),
      );
    });
    if ("fault" in answer) throw new CalendarError(answer.fault);
    return answer;
  };
  const close = async () => {
    thread.stop();
    await (await client)?.agent.destroy();
  };
  return { pace, fetch, parse, close };
}

const toHeaders = (known: Validators | null): Record<string, string> => ({
  accept: "text/calendar, */*;q=0.1",
  "user-agent": "Minutes",
  ...(known?.etag && { "if-none-match": known.etag }),
  ...(known?.lastModified && { "if-modified-since": known.lastModified }),
});

const toHeader = (value: string | string[] | undefined): string | null =>
  typeof value === "string" && value.length <= HEADER_MAX && /^[\x20-\x7e]+$/.test(value) ? value : null;

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LIMITS.calendarBytes) throw new CalendarError("tooLarge"); // Closes the connection.
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
