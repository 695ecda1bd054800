import { Button, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useAccount } from "../../api/account";
import { readDraft } from "../../api/drafts";
import { listTasks, type TaskFilter } from "../../api/lists";
import { Opening } from "../../components/Opening";
import { ShowMore } from "../../components/Query";
import { Empty, Failure, Loading } from "../../components/states";
import { formatDay } from "../../components/times";
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

interface TaskListProps {
  readonly filter: TaskFilter;
  readonly byDay?: boolean;
  /** True lets the person add tasks to the meeting. */
  readonly canAdd?: boolean;
}

/** Filtered tasks, newest first; grouped by meeting or by the day they were created, unless they belong to one meeting. */
export function TaskList({ filter, byDay = false, canAdd = false }: TaskListProps) {
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
      <Empty title="No tasks.">
        Tasks come from your meetings.{" "}
        {filter.mine ? "Choose “Everyone's” to see those of others." : "Choose “All” to see completed ones."}
      </Empty>
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
