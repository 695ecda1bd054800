import { NativeSelect, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useAccount } from "../api/account";
import type { TaskFilters, TaskGroup } from "../api/filters";
import { listTasks, type TaskFilter, toTaskFilters } from "../api/lists";
import { Empty, Page, Section } from "../components/states";
import { TaskList } from "./tasks/TaskList";

const route = getRouteApi("/signed-in/tasks");

/** Lists tasks of own and shared meetings by meeting, day or due date, everyone's or only those assigned to the person. */
export function Tasks() {
  const filters = route.useSearch();
  const { shown = "open", by, whose } = filters;
  const navigate = useNavigate();
  const set = (change: TaskFilters) =>
    void navigate({ to: "/tasks", search: { ...filters, ...change }, replace: true });
  const [filter, guess] = toTaskFilters(filters);
  return (
    <Page
      actions={
        <>
          <SegmentedControl
            aria-label="Whose tasks"
            value={whose ?? "all"}
            onChange={(value) => set({ whose: value === "mine" ? "mine" : undefined })}
            data={[
              { value: "all", label: "Everyone's" },
              { value: "mine", label: "Mine" },
            ]}
          />
          <NativeSelect
            aria-label="Group by"
            value={by ?? "meeting"}
            onChange={({ currentTarget: { value } }) =>
              set({ by: value === "meeting" ? undefined : (value as TaskGroup) })
            }
            data={[
              { value: "meeting", label: "By meeting" },
              { value: "day", label: "By day added" },
              { value: "due", label: "By due date" },
            ]}
          />
          <SegmentedControl
            aria-label="Which tasks"
            value={shown}
            onChange={(value) =>
              set({ shown: value === "open" ? undefined : (value as "completed" | "all") })
            }
            data={[
              { value: "open", label: "Open" },
              { value: "completed", label: "Completed" },
              { value: "all", label: "All" },
            ]}
          />
        </>
      }
    >
      {guess ? <Mine filter={filter} guess={guess} by={by} /> : <TaskList filter={filter} by={by} />}
    </Page>
  );
}

interface MineProps {
  readonly filter: TaskFilter;
  readonly guess: TaskFilter;
  readonly by: TaskGroup | undefined;
}

/** The person's tasks, then those assigned only to their name. */
function Mine({ filter, guess, by }: MineProps) {
  const { userId, name, email } = useAccount();
  const { data, isError } = useInfiniteQuery(listTasks(guess));
  const guessed = data?.pages.flatMap(({ tasks }) => tasks) ?? [];
  // The list of guesses says what failed.
  const hasGuesses = guessed.length > 0 || isError;
  return (
    <>
      <div className="section">
        <TaskList
          filter={filter}
          by={by}
          empty={
            hasGuesses ? <Empty title="No tasks.">No task here is assigned to {email}.</Empty> : undefined
          }
        />
      </div>
      {hasGuesses && (
        <Section
          title="Possibly yours"
          about={
            <>
              Assigned to “{name}” without an e-mail address, so they might be someone else’s.
              {guessed.some((task) => task.userId !== userId) &&
                " In meetings of others, only the owner can assign a task to you."}
            </>
          }
        >
          <TaskList filter={guess} by={by} isGuess />
        </Section>
      )}
    </>
  );
}
