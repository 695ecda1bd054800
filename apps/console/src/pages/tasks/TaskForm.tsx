import { Autocomplete, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useAccount } from "../../api/account";
import { me, meClient, settings } from "../../api/clients";
import { notifyEdited, readVersion, refreshEdited } from "../../api/edits";
import { useAction } from "../../components/use-action";
import { useContractForm } from "../../components/use-contract-form";
import { type Task, toDraft, toNewDraft } from "./task";

interface Person {
  readonly name: string;
  readonly email: string | null;
}

/** Writes a person so that they can't be confused with another one. */
const toOption = ({ name, email }: Person) => (email === null ? name : `${name} (${email})`);

const listPeople = (meetingId: string) => me.speakers.list.queryOptions({ meetingId });

interface FormProps {
  readonly meetingId: string;
  /** Null adds a task. */
  readonly task: Task | null;
  /** Takes the saved text, if any. */
  readonly close: (text?: string) => void;
}

/** The form of a task, and the people who can be its assignee. */
function useTaskForm({ meetingId, task, close }: FormProps) {
  const { data } = useQuery(listPeople(meetingId));
  const options = new Map(
    [...(data?.speakers ?? []), ...(data?.suggestions ?? [])].map((one) => [toOption(one), one]),
  );
  const initial = {
    text: task?.text ?? "",
    assignee: task?.assignee ? toOption(task.assignee) : "",
    due: task?.due ?? "",
  };
  const toAssignee = (typed: string) => {
    const chosen = options.get(typed);
    if (!chosen) return typed.trim() === "" ? null : { name: typed.trim() };
    const { name, email } = chosen;
    return { name, ...(email === null ? {} : { email }) };
  };
  const toChanges = (values: typeof initial) => ({
    ...(values.text.trim() === initial.text ? {} : { text: values.text }),
    ...(values.assignee === initial.assignee ? {} : { assignee: toAssignee(values.assignee) }),
    ...(values.due === initial.due ? {} : { due: values.due === "" ? null : values.due }),
  });
  const form = useContractForm({
    schema: ({ CreateTask, UpdateMeetingTask }) => (task ? UpdateMeetingTask : CreateTask),
    initial,
    toInput: (values: typeof initial) => ({
      ...{ meetingId, baseVersion: 1, ...toChanges(values) },
      ...(task ? { taskId: task.id } : { text: values.text }),
    }),
    send: async (input) => {
      const base = { ...input, baseVersion: await readVersion(meetingId) };
      if (task) return meClient.meetings.updateTask.mutate({ ...base, taskId: task.id });
      return meClient.tasks.create.mutate({ ...base, text: input.text ?? "" });
    },
    draft: task ? toDraft(task) : toNewDraft(meetingId),
    failure: task ? "Could not edit the task" : "Could not add the task",
    onSuccess: async (edited, { text }) => {
      notifyEdited(task ? "Task edited." : "Task added.", edited);
      await refreshEdited();
      close(text.trim());
    },
  });
  const isChanged = (values: typeof initial) => Object.keys(toChanges(values)).length > 0;
  const assignee = options.get(form.values.assignee);
  return { form, people: [...options.keys()], isChanged, isBlind: useIsBlind(meetingId, assignee?.email) };
}

/** Returns true if an address belongs to a colleague who can't read the meeting of the signed-in user. */
function useIsBlind(meetingId: string, email: string | null | undefined): boolean {
  const account = useAccount();
  const enabled = typeof email === "string" && email !== account.email;
  const members = useQuery(settings.members.list.queryOptions({}, { enabled }));
  const readers = useQuery(settings.shares.readers.queryOptions({ meetingId }, { enabled }));
  if (!enabled || !members.data || !readers.data) return false;
  const isOneOf = (list: readonly { readonly email: string }[]) => list.some((one) => one.email === email);
  return isOneOf(members.data.members) && !isOneOf(readers.data.readers);
}

/** Deletes a task. */
const useRemoval = (meetingId: string, onDone: () => void) =>
  useAction(
    async ({ id: taskId }: Task) =>
      meClient.tasks.delete.mutate({ taskId, baseVersion: await readVersion(meetingId) }),
    {
      failure: "Could not delete the task",
      onSuccess: async (edited) => {
        notifyEdited("Task deleted.", edited);
        await refreshEdited();
        onDone();
      },
    },
  );

/** Edits a task's text, assignee and due date, or adds a task. Enter saves, Escape cancels. */
export default function TaskForm(props: FormProps) {
  const { meetingId, task, close } = props;
  const { form, people, isChanged, isBlind } = useTaskForm(props);
  const cancel = () => {
    form.discard();
    close();
  };
  const remove = useRemoval(meetingId, cancel);
  const field = useRef<HTMLInputElement>(null);
  // A restored draft does not take the focus when the page opens.
  useEffect(() => {
    if (!form.isRestored) field.current?.focus();
  }, [form.isRestored]);
  return (
    <form
      {...form.props}
      onSubmit={form.onSubmit((values) => (task && !isChanged(values) ? cancel() : form.send(values)))}
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && cancel()}
    >
      <Stack gap="xs" pb="xs">
        <TextInput {...form.getInputProps("text")} aria-label="Task text" ref={field} />
        <Group gap="xs" align="flex-end">
          <Autocomplete
            {...form.getInputProps("assignee")}
            label="Assignee"
            placeholder="Nobody"
            data={people}
            maxDropdownHeight={240}
            flex={1}
            miw={180}
          />
          <TextInput {...form.getInputProps("due")} label="Due" type="date" />
        </Group>
        {isBlind && (
          <Text size="sm" role="status">
            They can't read this meeting. Share it with them so that they see the task.
          </Text>
        )}
        <Group gap="xs">
          <Button type="submit" size="sm" loading={form.isPending}>
            {task ? "Save" : "Add"}
          </Button>
          <Button size="sm" variant="default" onClick={cancel}>
            Cancel
          </Button>
          {task && (
            <Button
              size="sm"
              variant="subtle"
              color="red"
              ml="auto"
              loading={remove.isPending}
              onClick={() => remove.run(task)}
            >
              Delete
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
