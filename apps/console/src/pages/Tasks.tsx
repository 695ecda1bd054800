import { Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useAccount } from "../api/account";
import { me, meClient } from "../api/clients";
import { keepDraft, readDraft } from "../api/drafts";
import type { TaskFilters } from "../api/filters";
import { ShowMore } from "../components/ShowMore";
import { Empty, Failure, Loading, Page } from "../components/states";
import { formatDay } from "../components/times";
import { useAction } from "../components/use-action";

const route = getRouteApi("/signed-in/tasks");
const changes = [me.tasks.pathKey(), me.meetings.browse.pathKey()];

/** Lists tasks of own and shared meetings by meeting or day; own tasks can be ticked and edited. */
export function Tasks() {
  const filters = route.useSearch();
  const { shown = "open", by } = filters;
  const navigate = useNavigate();
  const set = (change: TaskFilters) =>
    void navigate({ to: "/tasks", search: { ...filters, ...change }, replace: true });
  return (
    <Page
      actions={
        <>
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
      <TaskList filter={shown === "all" ? {} : { completed: shown === "completed" }} byDay={by === "day"} />
    </Page>
  );
}

interface Task {
  readonly id: string;
  readonly text: string;
  readonly completed: boolean;
  readonly assignee: { readonly name: string } | null;
  readonly meetingId: string;
  readonly meetingTitle: string | null;
  readonly createdAt: string;
}

/** Groups tasks by a key, in order of first appearance. */
function groupBy(tasks: readonly Task[], toKey: (task: Task) => string): [Task, ...Task[]][] {
  const groups = new Map<string, [Task, ...Task[]]>();
  for (const task of tasks) {
    const group = groups.get(toKey(task));
    if (group) group.push(task);
    else groups.set(toKey(task), [task]);
  }
  return [...groups.values()];
}

interface TaskListProps {
  readonly filter: { completed?: boolean; meetingId?: string };
  readonly byDay?: boolean;
}

/** Filtered tasks, newest first; grouped by meeting or by the day they were created, unless they belong to one meeting. */
export function TaskList({ filter, byDay = false }: TaskListProps) {
  const pages = useInfiniteQuery(
    me.tasks.list.infiniteQueryOptions(
      { limit: 50, ...filter },
      { getNextPageParam: (page) => page.nextCursor ?? undefined },
    ),
  );
  if (pages.isError) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.data === undefined) return <Loading />;
  const tasks = pages.data.pages.flatMap((page) => page.tasks);
  const ofMeeting = filter.meetingId !== undefined;
  if (tasks.length === 0)
    return ofMeeting ? (
      <Text size="sm" c="dimmed">
        This meeting has no tasks.
      </Text>
    ) : (
      <Empty title="No tasks.">Tasks come from your meetings. Choose “All” to see completed ones.</Empty>
    );
  return (
    <Stack gap="md">
      {groupBy(tasks, byDay ? ({ createdAt }) => formatDay(createdAt) : ({ meetingId }) => meetingId).map(
        (group) => {
          const [first] = group;
          const title = byDay ? formatDay(first.createdAt) : (first.meetingTitle ?? "Untitled meeting");
          return (
            <section key={byDay ? title : first.meetingId} aria-label={title}>
              {!ofMeeting && (
                <Title order={2} size="h3" mb={4}>
                  {byDay ? title : <MeetingLink task={first} />}
                </Title>
              )}
              {group.map((task) => (
                <TaskRow key={task.id} task={task} withMeeting={byDay} />
              ))}
            </section>
          );
        },
      )}
      <ShowMore pages={pages} />
    </Stack>
  );
}

const MeetingLink = ({ task: { meetingId, meetingTitle } }: { task: Task }) => (
  <Link to="/meetings/$meetingId" params={{ meetingId }} className="quiet-link">
    {meetingTitle ?? "Untitled meeting"}
  </Link>
);

function TaskRow({ task, withMeeting }: { task: Task; withMeeting: boolean }) {
  const { userId } = useAccount();
  const form = `tasks/${task.id}`;
  const taskId = task.id;
  const [editing, setEditing] = useState(() => readDraft(userId, form) !== undefined);
  const tick = useAction((completed: boolean) => meClient.tasks.update.mutate({ taskId, completed }), {
    failure: "Could not change the task",
    success: (_, completed) => (completed ? "Task completed." : "Task reopened."),
    undo: (completed) => meClient.tasks.update.mutate({ taskId, completed: !completed }),
    changes,
  });
  const edit = useAction((text: string) => meClient.tasks.update.mutate({ taskId, text }), {
    failure: "Could not edit the task",
    success: "Task edited.",
    undo: () => meClient.tasks.update.mutate({ taskId, text: task.text }),
    changes,
  });
  // Moves the focus into the field, and back to the button afterwards.
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(editing);
  useEffect(() => {
    if (!editing && wasEditing.current) button.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const save = (text: string) => {
    if (text.trim() !== "" && text.trim() !== task.text) edit.run(text);
  };
  const text = edit.isPending ? (edit.input ?? task.text) : task.text;
  return (
    <Group wrap="nowrap" align="flex-start" className="task">
      <Checkbox
        checked={tick.isPending ? (tick.input ?? task.completed) : task.completed}
        onChange={(event) => tick.run(event.currentTarget.checked)}
        aria-label={`Completed: ${task.text}`}
        mt={2}
      />
      <Stack gap={0} flex={1}>
        {editing ? (
          <TaskForm form={form} text={task.text} onSave={save} onClose={() => setEditing(false)} />
        ) : (
          <Text size="sm" td={task.completed ? "line-through" : undefined} className="wrap-anywhere">
            {text}
          </Text>
        )}
        {task.assignee && (
          <Text size="xs" c="dimmed" className="wrap-anywhere">
            {task.assignee.name}
          </Text>
        )}
        {withMeeting && (
          <Text size="xs" c="dimmed" className="wrap-anywhere" component="div">
            <MeetingLink task={task} />
          </Text>
        )}
      </Stack>
      {!editing && (
        <Button
          ref={button}
          variant="subtle"
          size="compact-sm"
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
  /** Key of the unsaved input. */
  readonly form: string;
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

/** Field for editing a task. Escape cancels. */
function TaskForm({ form, text, onSave, onClose }: TaskFormProps) {
  const { userId } = useAccount();
  const [kept] = useState(() => (readDraft(userId, form) as { text?: string } | undefined)?.text);
  const [value, setValue] = useState(kept ?? text);
  const field = useRef<HTMLInputElement>(null);
  // A restored draft does not take the focus when the page opens.
  useEffect(() => {
    if (kept === undefined) field.current?.focus();
  }, [kept]);
  const close = () => {
    keepDraft(userId, form, undefined);
    onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(value);
        close();
      }}
    >
      <Group gap="xs">
        <TextInput
          value={value}
          onChange={(event) => {
            setValue(event.currentTarget.value);
            keepDraft(userId, form, { text: event.currentTarget.value });
          }}
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
