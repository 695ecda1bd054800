import { Button, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { useAccount } from "../../api/account";
import { readDraft } from "../../api/drafts";
import type { TaskGroup } from "../../api/filters";
import { listTasks, type TaskFilter } from "../../api/lists";
import { Opening } from "../../components/Opening";
import { ShowMore } from "../../components/Query";
import { Empty, Failure, Loading } from "../../components/states";
import { formatDay, toLocalDay } from "../../components/times";
import { loadTaskForm, MeetingLink, TaskForm, TaskRow } from "./TaskRow";
import { type Task, toNewDraft } from "./task";

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

/** Adds days to a day. */
const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the due-date group of a task, by the reader's local day. */
function nameDue({ due }: Task, areOpen: boolean): string {
  const today = toLocalDay(new Date().toISOString());
  if (due === null) return "No due date";
  if (due < today) return areOpen ? "Overdue" : "Before today";
  if (due === today) return "Today";
  return due <= addDays(today, 7) ? "Next 7 days" : "Later";
}

interface TaskListProps {
  readonly filter: TaskFilter;
  /** Absent: by meeting. */
  readonly by?: TaskGroup | undefined;
  /** True lets the person add tasks to the meeting. */
  readonly canAdd?: boolean;
  /** Shown if there are no tasks. */
  readonly empty?: ReactNode;
  /** True for tasks assigned only to the person's name: offers "This is me". */
  readonly isGuess?: boolean;
}

/** Filtered tasks, grouped by meeting, creation day or due date. Tasks of a single meeting are not grouped. */
export function TaskList({ filter, by, canAdd = false, empty, isGuess = false }: TaskListProps) {
  const pages = useInfiniteQuery(listTasks(filter));
  if (pages.isError) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.data === undefined) return <Loading />;
  const tasks = pages.data.pages.flatMap((page) => page.tasks);
  const ofMeeting = filter.meetingId !== undefined;
  const add = canAdd && filter.meetingId !== undefined && <AddTask meetingId={filter.meetingId} />;
  if (tasks.length === 0)
    return ofMeeting ? (
      <>
        <Text size="sm" c="dimmed">
          This meeting has no tasks.
        </Text>
        {add}
      </>
    ) : (
      (empty ?? (
        <Empty title="No tasks.">
          Tasks come from your meetings.{" "}
          {filter.mine
            ? "Choose “Everyone's” to see those of others."
            : filter.completed === false && "Choose “All” to see completed ones."}
        </Empty>
      ))
    );
  const toTitle = (task: Task) => {
    if (by === "due") return nameDue(task, filter.completed === false);
    return by === "day" ? formatDay(task.createdAt) : (task.meetingTitle ?? "Untitled meeting");
  };
  return (
    <Stack gap="md">
      {groupBy(tasks, by ? toTitle : ({ meetingId }) => meetingId).map((group) => {
        const [first] = group;
        const title = toTitle(first);
        return (
          // Without a name, because meetings can have the same one.
          <section key={by ? title : first.meetingId}>
            {!ofMeeting && (
              <Title order={isGuess ? 3 : 2} size="h3" mb={4}>
                {by ? title : <MeetingLink task={first} />}
              </Title>
            )}
            {group.map((task) => (
              <TaskRow key={task.id} task={task} withMeeting={by !== undefined} isGuess={isGuess} />
            ))}
          </section>
        );
      })}
      {add}
      <ShowMore pages={pages} />
    </Stack>
  );
}

/** A button that opens the form for a new task. */
function AddTask({ meetingId }: { meetingId: string }) {
  const { userId } = useAccount();
  const [opened, setOpened] = useState(() => readDraft(userId, toNewDraft(meetingId)) !== undefined);
  if (opened)
    return (
      <Suspense fallback={<Opening load={loadTaskForm} close={() => setOpened(false)} />}>
        <TaskForm meetingId={meetingId} task={null} close={() => setOpened(false)} />
      </Suspense>
    );
  return (
    <Button variant="subtle" color="gray" size="compact-sm" w="fit-content" onClick={() => setOpened(true)}>
      Add a task
    </Button>
  );
}
