import { Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { useAccount } from "../api/account";
import { me, queryClient } from "../api/clients";
import { hasDraft, useDraft } from "../api/drafts";
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
  const { userId } = useAccount();
  const pages = useInfiniteQuery(
    me.tasks.list.infiniteQueryOptions(
      { limit: 50, ...filter },
      { getNextPageParam: (page) => page.nextCursor ?? undefined },
    ),
  );
  // Drawn in small steps: fifty tasks at once would keep the browser busy.
  const data = useDeferredValue(pages.data);
  if (pages.isError) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (data === undefined) return <Loading />;
  const tasks = data.pages.flatMap((page) => page.tasks);
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
        <TaskRow key={task.id} task={task} userId={userId} withMeeting={filter.meetingId === undefined} />
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
function TaskRow({ task, userId, withMeeting }: { task: Task; userId: string; withMeeting: boolean }) {
  const form = `tasks/${task.id}`;
  const [editing, setEditing] = useState(() => hasDraft(userId, form));
  const update = useMutation(
    me.tasks.update.mutationOptions({
      onError: tellFailure,
      onSettled: () => queryClient.invalidateQueries({ queryKey: me.tasks.pathKey() }),
    }),
  );
  // The keyboard goes on where it was: into the field, and back to the button.
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(editing);
  useEffect(() => {
    if (!editing && wasEditing.current) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const save = (text: string) => {
    if (text.trim() !== "" && text.trim() !== task.text) update.mutate({ taskId: task.id, text });
  };
  return (
    <Group wrap="nowrap" align="flex-start">
      <Checkbox
        checked={update.isPending ? (update.variables.completed ?? task.completed) : task.completed}
        onChange={(event) => update.mutate({ taskId: task.id, completed: event.currentTarget.checked })}
        aria-label={`Completed: ${task.text}`}
        mt={2}
      />
      <Stack gap={2} flex={1}>
        {!editing ? (
          <Text td={task.completed ? "line-through" : undefined} className="wrap-anywhere">
            {task.text}
          </Text>
        ) : (
          <TaskForm form={form} text={task.text} onSave={save} onClose={() => setEditing(false)} />
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
      {!editing && (
        <Button
          ref={edit}
          variant="subtle"
          size="xs"
          onClick={() => setEditing(true)}
          aria-label={`Edit: ${task.text}`}
        >
          Edit
        </Button>
      )}
    </Group>
  );
}

interface TaskFormProps {
  /** Name of the form, under which what is typed is kept. */
  readonly form: string;
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

/** The field in which a task is put in other words. Escape leaves it as it is. */
function TaskForm({ form, text, onSave, onClose }: TaskFormProps) {
  const { fields, change, discard, isRestored } = useDraft(form, { text });
  const field = useRef<HTMLInputElement>(null);
  // A page that opens with what was typed before leaves the focus where it is.
  useEffect(() => {
    if (!isRestored) field.current?.focus();
  }, [isRestored]);
  const close = () => {
    discard();
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(fields.text);
        close();
      }}
    >
      <Group gap="xs">
        <TextInput
          value={fields.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
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
  );
}
