import { SegmentedControl } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { TaskFilters } from "../api/filters";
import { toTaskFilter } from "../api/lists";
import { Page } from "../components/states";
import { TaskList } from "./tasks/TaskList";

const route = getRouteApi("/signed-in/tasks");

/** Lists tasks of own and shared meetings by meeting or day, everyone's or only those assigned to the person. */
export function Tasks() {
  const filters = route.useSearch();
  const { shown = "open", by, whose } = filters;
  const navigate = useNavigate();
  const set = (change: TaskFilters) =>
    void navigate({ to: "/tasks", search: { ...filters, ...change }, replace: true });
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
          <SegmentedControl
            aria-label="Group by"
            value={by ?? "meeting"}
            onChange={(value) => set({ by: value === "day" ? "day" : undefined })}
            data={[
              { value: "meeting", label: "By meeting" },
              { value: "day", label: "By day" },
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
      <TaskList filter={toTaskFilter(filters)} byDay={by === "day"} />
    </Page>
  );
}
