import { me } from "./clients";
import type { TaskFilters } from "./filters";

const PAGE_SIZE = 50;

const getNextPageParam = (page: { nextCursor: string | null }) => page.nextCursor ?? undefined;

export interface TaskFilter {
  readonly completed?: boolean;
  readonly meetingId?: string;
  readonly mine?: true;
}

/** Converts the URL's filters to those of the procedure. */
export const toTaskFilter = ({ shown, whose }: TaskFilters): TaskFilter => ({
  ...(shown === "all" ? {} : { completed: shown === "completed" }),
  ...(whose === "mine" ? { mine: true } : {}),
});

/** Creates the infinite query of tasks, newest first. */
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
