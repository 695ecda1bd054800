import { MinutesError } from "@minutes/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "./api.js";

/** The caller's meetings, newest first, a page at a time. */
export function Meetings() {
  const trpc = useTRPC();
  const meetings = useInfiniteQuery(
    trpc.meetings.list.infiniteQueryOptions(
      { limit: 20 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  if (meetings.isPending) return <p>Loading…</p>;
  if (meetings.isError) return <p role="alert">{explain(meetings.error)}</p>;
  return (
    <>
      <h1>Meetings</h1>
      <ul>
        {meetings.data.pages.flatMap((page) =>
          page.meetings.map(({ id, title, startTime }) => (
            <li key={id}>
              {title} <time dateTime={startTime}>{new Date(startTime).toLocaleString()}</time>
            </li>
          )),
        )}
      </ul>
      {meetings.hasNextPage && (
        <button type="button" onClick={() => meetings.fetchNextPage()} disabled={meetings.isFetchingNextPage}>
          More
        </button>
      )}
    </>
  );
}

const explain = (error: unknown): string =>
  error instanceof MinutesError && error.code === "unauthorized"
    ? "This key is not valid."
    : error instanceof Error
      ? error.message
      : "Something went wrong.";
