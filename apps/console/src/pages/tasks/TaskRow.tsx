import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconPoint } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useAccount } from "../../api/account";
import { me, meClient } from "../../api/clients";
import { CONFIRMED, confirmEverywhere } from "../../api/confirm-person";
import { loadWhenReachable } from "../../api/connection";
import { readDraft } from "../../api/drafts";
import { notifyEdited, readVersion } from "../../api/edits";
import { getStatus } from "../../api/transport";
import { Opening } from "../../components/Opening";
import { formatDate, toLocalDay } from "../../components/times";
import { useAction } from "../../components/use-action";
import { type Task, toDraft } from "./task";

/** Loaded by the first edit. */
export const loadTaskForm = () => import("./TaskForm");
export const TaskForm = lazy(() => loadWhenReachable(loadTaskForm));

interface RowProps {
  readonly task: Task;
  readonly withMeeting: boolean;
  /** True if it is assigned only to the person's name. */
  readonly isGuess: boolean;
}

const changes = [me.tasks.pathKey(), me.meetings.browse.pathKey()];

/** One task. The owner of its meeting ticks and edits it, its assignee ticks it; others only read it. */
export function TaskRow(props: RowProps) {
  const { task, withMeeting } = props;
  const { userId } = useAccount();
  if (task.userId === userId) return <OwnTask {...props} />;
  return (
    <Group wrap="nowrap" align="flex-start" className="task">
      {task.canComplete ? <Tick task={task} /> : <State task={task} />}
      <Stack gap={0} flex={1} dir="auto">
        <TaskText completed={task.completed}>{task.text}</TaskText>
        <TaskFacts task={task} withMeeting={withMeeting} />
      </Stack>
    </Group>
  );
}

export const MeetingLink = ({ task: { meetingId, meetingTitle } }: { task: Task }) => (
  <Link to="/meetings/$meetingId" params={{ meetingId }} className="quiet-link">
    {meetingTitle ?? "Untitled meeting"}
  </Link>
);

const TaskText = ({ completed, children }: { completed: boolean; children: string }) => (
  <Text size="sm" td={completed ? "line-through" : undefined} className="wrap-anywhere">
    {children}
  </Text>
);

/** The day by which a task should be done, marked if it has come or is over. Days are those of the reader. */
function Due({ due, completed }: { due: string; completed: boolean }) {
  const today = toLocalDay(new Date().toISOString());
  const isOverdue = !completed && due < today;
  const look: { className?: string; c?: string; fw?: number } = isOverdue
    ? { className: "overdue", fw: 600 }
    : !completed && due === today
      ? { c: "bright", fw: 600 }
      : { c: "dimmed" };
  return (
    <Text span size="xs" display="inline-block" {...look}>
      {isOverdue ? "Overdue since" : "Due"}{" "}
      <time dateTime={due}>{due === today ? "today" : formatDate(due)}</time>
    </Text>
  );
}

/** The assignee, the due date, and the meeting if asked for. */
const TaskFacts = ({ task, withMeeting }: Omit<RowProps, "isGuess">) => (
  <>
    {(task.assignee ?? task.due) && (
      <Text size="xs" c="dimmed" className="wrap-anywhere" component="div">
        {task.assignee && <bdi>{task.assignee.name}</bdi>}
        {task.assignee && task.due && " · "}
        {task.due && <Due due={task.due} completed={task.completed} />}
      </Text>
    )}
    {withMeeting && (
      <Text size="xs" c="dimmed" className="wrap-anywhere" component="div">
        <MeetingLink task={task} />
      </Text>
    )}
  </>
);

/** The state of a task that the user can't change: a mark that is no control. */
const State = ({ task: { completed } }: { task: Task }) =>
  completed ? (
    <IconCheck size={20} stroke={1.5} role="img" aria-label="Completed" className="task-state" />
  ) : (
    <IconPoint size={20} stroke={1.5} role="img" aria-label="Open" className="task-state" />
  );

function Tick({ task: { id: taskId, text, completed } }: { task: Task }) {
  const tick = useAction((completed: boolean) => meClient.tasks.update.mutate({ taskId, completed }), {
    failure: "Could not change the task",
    success: (_, completed) => (completed ? "Task completed." : "Task reopened."),
    undo: (completed) => meClient.tasks.update.mutate({ taskId, completed: !completed }),
    changes,
  });
  return (
    <Checkbox
      checked={tick.isPending ? (tick.input ?? completed) : completed}
      onChange={(event) => tick.run(event.currentTarget.checked)}
      aria-label={`Completed: ${text}`}
      className="target"
    />
  );
}

/**
 * A button that assigns a task to the person. If the assignee is a speaker, names the person as that speaker in all their
 * meetings, as "Who is this?" does.
 */
function ThisIsMe({ task: { id: taskId, meetingId, text, assignee } }: { task: Task }) {
  const { name, email } = useAccount();
  const isPressed = useRef(false);
  // The task leaves the list, and the focus goes on to the next one like it, or to the heading of the page.
  useEffect(
    () => () => {
      if (!isPressed.current || document.activeElement !== document.body) return;
      const next = ["[data-claim]", "main h1"].flatMap(
        (one) => document.querySelector<HTMLElement>(one) ?? [],
      );
      next[0]?.focus();
    },
    [],
  );
  const claim = useAction(
    async () => {
      if (typeof assignee?.id === "string")
        try {
          return await confirmEverywhere(assignee.id, { email });
        } catch (error) {
          // Somebody has named the speaker, or the meeting no longer has them: the task can still be theirs.
          if (![403, 404, 409].includes(getStatus(error) ?? 0)) throw error;
        }
      const baseVersion = await readVersion(meetingId);
      const edit = { meetingId, taskId, baseVersion, assignee: { name, email } };
      notifyEdited("Task assigned to you.", await meClient.meetings.updateTask.mutate(edit));
    },
    { failure: "Could not assign the task", changes: CONFIRMED },
  );
  return (
    <Button
      variant="light"
      size="compact-sm"
      mt={4}
      w="fit-content"
      loading={claim.isPending}
      data-claim
      onClick={() => {
        isPressed.current = true;
        claim.run();
      }}
      aria-label={`This is me: ${text}`}
    >
      This is me
    </Button>
  );
}

function OwnTask({ task, withMeeting, isGuess }: RowProps) {
  const { userId } = useAccount();
  const [editing, setEditing] = useState(() => readDraft(userId, toDraft(task)) !== undefined);
  // The saved text, until the list has it.
  const [saved, setSaved] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list has another text
  useEffect(() => setSaved(null), [task.text]);
  // Moves the focus back to the button when the field closes.
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(editing);
  useEffect(() => {
    if (!editing && wasEditing.current) button.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const close = (text?: string) => {
    setEditing(false);
    setSaved(text ?? null);
  };
  return (
    <Group wrap="nowrap" align="flex-start" className="task">
      <Tick task={task} />
      <Stack gap={0} flex={1} dir="auto">
        {editing ? (
          <Suspense
            fallback={
              <Opening load={loadTaskForm} close={close}>
                <TaskText completed={task.completed}>{task.text}</TaskText>
              </Opening>
            }
          >
            <TaskForm meetingId={task.meetingId} task={task} close={close} />
          </Suspense>
        ) : (
          <TaskText completed={task.completed}>{saved ?? task.text}</TaskText>
        )}
        <TaskFacts task={task} withMeeting={withMeeting} />
        {isGuess && !editing && <ThisIsMe task={task} />}
      </Stack>
      {!editing && (
        <Button
          ref={button}
          className="task-edit"
          variant="subtle"
          color="gray"
          size="compact-sm"
          data-shortcut="e"
          onClick={() => setEditing(true)}
          aria-label={`Edit: ${task.text}`}
        >
          Edit
        </Button>
      )}
    </Group>
  );
}
