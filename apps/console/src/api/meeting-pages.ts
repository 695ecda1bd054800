import { infiniteQueryOptions } from "@tanstack/react-query";
import { toLocalInstant } from "../components/times";
import { me, meClient, queryClient } from "./clients";
import type { MeetingFilters } from "./filters";

/** Meetings on a page of the list. */
export const PAGE_SIZE = 100;

/** Pages that are kept, and fetched again when the list is opened again: those around the place that is shown. */
const PAGES_KEPT = 3;

/** The place in the list is kept under this name, in this tab alone, so that a reload comes back to it. */
const STORED = "meetings-place";

export interface ListFilters {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly tag?: string;
  readonly whose?: "mine" | "shared";
}

/** Turns the filters of the address into those of the list. Its dates are days in the reader's time zone. */
export const toListFilters = ({ from, to, tag, whose }: MeetingFilters): ListFilters => ({
  ...(from ? { startDate: toLocalInstant(from, "start") } : {}),
  ...(to ? { endDate: toLocalInstant(to, "end") } : {}),
  ...(tag ? { tag } : {}),
  ...(whose ? { whose } : {}),
});

/** A page of the list: the cursors of the pages up to it. The first page has none. */
export type PageCursors = readonly string[];

/** Where somebody is in the list. */
interface Place {
  /** The first of the pages that are kept. */
  readonly cursors: PageCursors;
  /** Rows of the list, as far as it was read. */
  readonly rows: number;
  /** The rows that begin a day, which are higher. */
  readonly days: readonly number[];
}

/** Reads the place in the list with these filters; its beginning where none is kept. */
export function readPlace(filters: ListFilters): Place {
  const kept = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as (Place & { filters: string }) | null;
  return kept?.filters === JSON.stringify(filters) ? kept : { cursors: [], rows: 0, days: [] };
}

/** Keeps the place in the list with these filters. */
export const keepPlace = (filters: ListFilters, place: Place) =>
  sessionStorage.setItem(STORED, JSON.stringify({ ...place, filters: JSON.stringify(filters) }));

/** Describes how the list of meetings is read, page by page. */
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

/** Forgets the pages of a list, and fetches one in their place. */
export async function jumpToPage(filters: ListFilters, cursors: PageCursors): Promise<void> {
  const { queryKey } = listMeetings(filters);
  queryClient.setQueryData<unknown>(queryKey, { pages: [], pageParams: [cursors] });
  await queryClient.refetchQueries({ queryKey });
}
