import { Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { listTasks, type TaskFilter } from "../../api/lists";
import { ShowMore } from "../../components/Query";
import { Empty, Failure, Loading } from "../../components/states";
import { formatDay } from "../../components/times";
import { MeetingLink, type Task, TaskRow } from "./TaskRow";

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
}

/** Filtered tasks, newest first; grouped by meeting or by the day they were created, unless they belong to one meeting. */
export function TaskList({ filter, byDay = false }: TaskListProps) {
  const pages = useInfiniteQuery(listTasks(filter));
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
