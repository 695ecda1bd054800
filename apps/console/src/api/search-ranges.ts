import { LIMITS } from "@minutes/contract/limits";
import type { MeetingFilters } from "./filters";
import { type ListFilters, toListFilters } from "./meeting-pages";

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
  const start = startMonthsAgo(LIMITS.searchDefaultMonths, now);
  return {
    searched: { ...given, startDate: start.toISOString() },
    older: { ...given, startDate: ALL_TIME, endDate: new Date(start.getTime() - 1).toISOString() },
  };
}
