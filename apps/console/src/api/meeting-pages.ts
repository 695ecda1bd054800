import type { LIMITS } from "@minutes/contract/limits";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { toLocalInstant } from "../components/times";
import { me, meClient, queryClient } from "./clients";
import type { MeetingFilters } from "./filters";

/** Meetings per page of the list. */
export const PAGE_SIZE = 100;

/** Maximum number of pages kept around the scroll position. Only these are refetched when the list opens again. */
const PAGES_KEPT = 3;

/** Months that a search without dates covers. The type keeps it the contract's, whose other limits the first page doesn't need. */
const SEARCHED_MONTHS: (typeof LIMITS)["searchDefaultMonths"] = 6;

/** Key in session storage for the scroll position, which survives a reload. */
const STORED = "meetings-place";

export interface ListFilters {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly tag?: string;
  readonly whose?: "mine" | "shared";
}

/** Converts the URL's filters to those of the procedure. Dates are days in the reader's time zone. */
export const toListFilters = ({ from, to, tag, whose }: MeetingFilters): ListFilters => ({
  ...(from ? { startDate: toLocalInstant(from, "start") } : {}),
  ...(to ? { endDate: toLocalInstant(to, "end") } : {}),
  ...(tag ? { tag } : {}),
  ...(whose ? { whose } : {}),
});

/** Cursors of the pages up to this one; empty for the first page. */
export type PageCursors = readonly string[];

/** A scroll position in the list. */
interface Place {
  /** The first page kept. */
  readonly cursors: PageCursors;
  /** Number of rows loaded so far. */
  readonly rows: number;
  /** Indexes of rows that start a day. These are taller. */
  readonly days: readonly number[];
}

/** Returns the stored scroll position for these filters, or the top. */
export function readPlace(filters: ListFilters): Place {
  const kept = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as (Place & { filters: string }) | null;
  return kept?.filters === JSON.stringify(filters) ? kept : { cursors: [], rows: 0, days: [] };
}

/** Stores the scroll position for these filters. */
export const keepPlace = (filters: ListFilters, place: Place) =>
  sessionStorage.setItem(STORED, JSON.stringify({ ...place, filters: JSON.stringify(filters) }));

/** Creates the infinite query of the meeting list. */
export const listMeetings = (filters: ListFilters) =>
  infiniteQueryOptions({
    queryKey: me.meetings.browse.infiniteQueryKey({ limit: PAGE_SIZE, ...filters }),
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam.at(-1);
      const input = { limit: PAGE_SIZE, ...filters, ...(cursor === undefined ? {} : { cursor }) };
      return meClient.meetings.browse.query(input, { signal });
    },
    initialPageParam: readPlace(filters).cursors,
    getNextPageParam: ({ nextCursor }, _pages, cursors) =>
      nextCursor === null ? undefined : [...cursors, nextCursor],
    getPreviousPageParam: (_page, _pages, cursors) =>
      cursors.length === 0 ? undefined : cursors.slice(0, -1),
    maxPages: PAGES_KEPT,
  });

/** Replaces the pages of a list by one freshly fetched page. */
export async function jumpToPage(filters: ListFilters, cursors: PageCursors): Promise<void> {
  const { queryKey } = listMeetings(filters);
  queryClient.setQueryData<unknown>(queryKey, { pages: [], pageParams: [cursors] });
  await queryClient.refetchQueries({ queryKey });
}

/** The start of a search in all time. */
const ALL_TIME = "0001-01-01";

/** Returns the start of the local day so many months ago; of the month's last day if it is shorter. */
function startMonthsAgo(months: number, now: Date): Date {
  const [year, month] = [now.getFullYear(), now.getMonth() - months];
  return new Date(year, month, Math.min(now.getDate(), new Date(year, month + 1, 0).getDate()));
}

/**
 * Returns the filters of a search. Without dates it covers six months, and the matches before them are counted with the
 * filters `older`, which is null for a search with dates or in all time.
 */
export function toSearchRanges(
  filters: MeetingFilters,
  now = new Date(),
): { searched: ListFilters; older: ListFilters | null } {
  const given = toListFilters(filters);
  if (given.startDate ?? given.endDate ?? filters.all)
    return { searched: { startDate: ALL_TIME, ...given }, older: null };
  const start = startMonthsAgo(SEARCHED_MONTHS, now);
  return {
    searched: { ...given, startDate: start.toISOString() },
    older: { ...given, startDate: ALL_TIME, endDate: new Date(start.getTime() - 1).toISOString() },
  };
}
