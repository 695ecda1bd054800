import { Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { me, queryClient } from "../api/clients";
import { tellFailure } from "../components/actions";
import { Empty, Failure, Loading, Page } from "../components/states";

const route = getRouteApi("/signed-in/tasks");

/** Lists tasks of own and shared meetings; own tasks can be ticked and edited. */
export function Tasks() {
  const { shown = "open" } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page
      title="Tasks"
      actions={
        <SegmentedControl
          aria-label="Which tasks"
          value={shown}
          onChange={(value) =>
            void navigate({
              to: "/tasks",
              search: { shown: value === "open" ? undefined : (value as "completed" | "all") },
              replace: true,
            })
          }
          data={[
            { value: "open", label: "Open" },
            { value: "completed", label: "Completed" },
            { value: "all", label: "All" },
          ]}
        />
      }
    >
      <TaskList filter={shown === "all" ? {} : { completed: shown === "completed" }} />
    </Page>
  );
}

/** The tasks that a filter names, newest first. */
export function TaskList({ filter }: { filter: { completed?: boolean; meetingId?: string } }) {
  const pages = useInfiniteQuery(
    me.tasks.list.infiniteQueryOptions(
      { limit: 50, ...filter },
      { getNextPageParam: (page) => page.nextCursor ?? undefined },
    ),
  );
  if (pages.isPending) return <Loading />;
  if (pages.isError) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  const tasks = pages.data.pages.flatMap((page) => page.tasks);
  if (tasks.length === 0)
    return (
      <Empty title="No tasks here.">
        {filter.meetingId === undefined
          ? "Tasks come in with meetings. Choose “All” to see the completed ones too."
          : "This meeting came without tasks."}
      </Empty>
    );
  return (
    <Stack gap="sm">
      {tasks.map((task) => (
        <TaskRow key={task.id} task={task} withMeeting={filter.meetingId === undefined} />
      ))}
      {pages.hasNextPage && (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Stack>
  );
}

interface Task {
  readonly id: string;
  readonly text: string;
  readonly completed: boolean;
  readonly assignee: { readonly name: string } | null;
  readonly meetingId: string;
  readonly meetingTitle: string | null;
}

/** One task; it names its meeting except on the meeting's own page. */
function TaskRow({ task, withMeeting }: { task: Task; withMeeting: boolean }) {
  const [draft, setDraft] = useState<string | null>(null);
  const update = useMutation(
    me.tasks.update.mutationOptions({
      onError: tellFailure,
      onSettled: () => queryClient.invalidateQueries({ queryKey: me.tasks.pathKey() }),
    }),
  );
  const save = () => {
    if (draft !== null && draft.trim() !== "" && draft.trim() !== task.text)
      update.mutate({ taskId: task.id, text: draft });
    close();
  };
  // The keyboard goes on where it was: into the field, and back to the button.
  const field = useRef<HTMLInputElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const editing = draft !== null;
  const wasEditing = useRef(false);
  useEffect(() => {
    if (editing) field.current?.focus();
    else if (wasEditing.current) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const close = () => setDraft(null);
  return (
    <Group wrap="nowrap" align="flex-start">
      <Checkbox
        checked={update.isPending ? (update.variables.completed ?? task.completed) : task.completed}
        onChange={(event) => update.mutate({ taskId: task.id, completed: event.currentTarget.checked })}
        aria-label={`Completed: ${task.text}`}
        mt={2}
      />
      <Stack gap={2} flex={1}>
        {draft === null ? (
          <Text td={task.completed ? "line-through" : undefined} className="wrap-anywhere">
            {task.text}
          </Text>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              save();
            }}
          >
            <Group gap="xs">
              <TextInput
                value={draft}
                onChange={(event) => setDraft(event.currentTarget.value)}
                onKeyDown={(event) => event.key === "Escape" && close()}
                aria-label="Text of the task"
                maxLength={10_000}
                ref={field}
                flex={1}
              />
              <Button type="submit" size="xs">
                Save
              </Button>
            </Group>
          </form>
        )}
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {task.assignee?.name}
          {task.assignee && withMeeting && " · "}
          {withMeeting && (
            <Link to="/meetings/$meetingId" params={{ meetingId: task.meetingId }}>
              {task.meetingTitle ?? "Untitled meeting"}
            </Link>
          )}
        </Text>
      </Stack>
      {draft === null && (
        <Button
          ref={edit}
          variant="subtle"
          size="xs"
          onClick={() => setDraft(task.text)}
          aria-label={`Edit: ${task.text}`}
        >
          Edit
        </Button>
      )}
    </Group>
  );
}
