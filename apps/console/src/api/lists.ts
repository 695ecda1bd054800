import { me } from "./clients";
import type { TaskFilters } from "./filters";

const PAGE_SIZE = 50;

const getNextPageParam = (page: { nextCursor: string | null }) => page.nextCursor ?? undefined;

export interface TaskFilter {
  readonly completed?: boolean;
  readonly meetingId?: string;
  readonly mine?: true;
  readonly namedLikeMe?: true;
  readonly order?: "due";
}

/**
 * Converts the URL's filters to those of the procedure.
 * @returns the list's filter and, for the person's own tasks, the filter of tasks that may be theirs
 */
export function toTaskFilters({ shown, whose, by }: TaskFilters): [TaskFilter, TaskFilter?] {
  const filter: TaskFilter = {
    ...(shown === "all" ? {} : { completed: shown === "completed" }),
    ...(by === "due" ? { order: "due" } : {}),
  };
  return whose === "mine"
    ? [
        { ...filter, mine: true },
        { ...filter, namedLikeMe: true },
      ]
    : [filter];
}

/** Creates the infinite query of tasks, newest first unless the filter has an order. */
export const listTasks = (filter: TaskFilter) =>
  me.tasks.list.infiniteQueryOptions({ limit: PAGE_SIZE, ...filter }, { getNextPageParam });

/** Creates the infinite query of people. @param name empty for all */
export const listPeople = (name = "") =>
  me.people.list.infiniteQueryOptions(
    { limit: PAGE_SIZE, ...(name === "" ? {} : { name }) },
    { getNextPageParam },
  );

/** Creates the query of the calendar's next events. */
export const listUpcoming = () => me.upcoming.list.queryOptions({ limit: 100 });
