import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import {
  jumpToPage,
  keepPlace,
  type ListFilters,
  listMeetings,
  PAGE_SIZE,
  type PageCursors,
  readPlace,
} from "../../api/meeting-pages";
import { toLocalStart } from "../../components/times";

type Meeting = Parameters<typeof toLocalStart>[0];

/** Returns the local day of a meeting. */
const toDay = (meeting: Meeting | undefined) => meeting && new Date(toLocalStart(meeting)).toDateString();

/**
 * Returns the indexes of rows that start a day: those among the loaded meetings, and the known ones of other pages.
 * @param firstRow index of the first loaded meeting
 */
export function findDays(
  meetings: readonly Meeting[],
  firstRow: number,
  known: readonly number[],
): ReadonlySet<number> {
  const days = new Set(known);
  meetings.forEach((meeting, at) => {
    const before = meetings[at - 1];
    if (at === 0 ? firstRow === 0 : toDay(before) !== toDay(meeting)) days.add(firstRow + at);
    // Whether the first loaded row starts a day depends on the row before it.
    else if (at > 0) days.delete(firstRow + at);
  });
  return days;
}

const NONE: PageCursors = [];

/** Distance in rows from the end of the loaded pages at which the next page is fetched. */
const MARGIN = 20;

/**
 * Loads the list of meetings around the visible rows. Keeps few pages, so reopening a list takes
 * few calls, however far the reader scrolled.
 */
export function usePages(filters: ListFilters) {
  const query = useInfiniteQuery(useMemo(() => listMeetings(filters), [filters]));
  const { data, hasNextPage, hasPreviousPage, isFetching, fetchNextPage, fetchPreviousPage, refetch } = query;
  const meetings = useMemo(() => data?.pages.flatMap((page) => page.meetings) ?? [], [data]);
  const params = (data?.pageParams ?? []) as readonly PageCursors[];
  const start = params[0] ?? NONE;
  const firstRow = start.length * PAGE_SIZE;
  const end = firstRow + meetings.length;
  // Rows and cursors loaded before: the list keeps its height when pages are dropped.
  const [kept] = useState(() => readPlace(filters));
  const seen = useRef(kept);
  const isComplete = data !== undefined && data.pages.length > 0 && !hasNextPage;
  const rows = isComplete ? end : Math.max(seen.current.rows, end);
  const furthest = params.at(-1) ?? NONE;
  const days = useMemo(() => findDays(meetings, firstRow, seen.current.days), [meetings, firstRow]);
  seen.current = {
    rows,
    days: [...days],
    cursors: furthest.length > seen.current.cursors.length ? furthest : seen.current.cursors,
  };
  useEffect(() => {
    if (data && data.pages.length > 0) keepPlace(filters, { cursors: start, rows, days: [...days] });
  }, [data, filters, start, rows, days]);

  /** Fetches missing pages for these rows. */
  const show = useCallback(
    async (first: number, last: number) => {
      if (data === undefined) return;
      const page = Math.min(Math.floor(first / PAGE_SIZE), seen.current.cursors.length);
      const isHere = first >= firstRow - PAGE_SIZE && first <= end + PAGE_SIZE;
      if (data.pages.length > 0 && !isHere && page !== start.length)
        return jumpToPage(filters, seen.current.cursors.slice(0, page));
      if (isFetching) return;
      if (first < firstRow + MARGIN && hasPreviousPage) {
        const { data: now } = await fetchPreviousPage();
        // New meetings arrived in between, so the pages no longer connect.
        const second = now?.pageParams[1] as PageCursors | undefined;
        if (now?.pages[0]?.nextCursor !== second?.at(-1)) await refetch();
      } else if (last >= end - MARGIN && hasNextPage) await fetchNextPage();
    },
    [
      data,
      end,
      fetchNextPage,
      fetchPreviousPage,
      filters,
      firstRow,
      hasNextPage,
      hasPreviousPage,
      isFetching,
      refetch,
      start.length,
    ],
  );
  return { query, meetings, firstRow, rows, days, show };
}
