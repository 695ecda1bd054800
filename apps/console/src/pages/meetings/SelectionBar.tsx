import { Button, List, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import type { MeetingOverview } from "@minutes/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me, settings, settingsClient } from "../../api/clients";
import { deleteMeetings } from "../../api/deletions";
import { readImport } from "../../api/meeting-files";
import { saveText } from "../../api/save";
import { getSentence } from "../../api/transport";
import { useAction } from "../../components/use-action";

/** Result for one meeting. */
interface Outcome {
  readonly title: string;
  /** Null on success. */
  readonly error: string | null;
}

interface BarProps {
  readonly meetings: readonly MeetingOverview[];
  readonly userId: string;
  readonly clear: () => void;
}

const countMeetings = (count: number) => `${count} ${count === 1 ? "meeting" : "meetings"}`;

/** Actions on the selected meetings: tag, share, export, delete. Reports the result of each. */
export default function SelectionBar({ meetings, userId, clear }: BarProps) {
  const [form, setForm] = useState<"tag" | "share" | null>(null);
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  const own = meetings.filter((meeting) => meeting.userId === userId);
  const members = useQuery(settings.members.list.queryOptions({}, { enabled: form === "share" }));
  const [value, setValue] = useState("");
  const apply = useAction(
    async (act: (meetingId: string) => Promise<unknown>) => {
      const done: Outcome[] = [];
      for (const { id, title } of own)
        done.push(
          await act(id).then(
            () => ({ title, error: null }),
            (error: unknown) => ({ title, error: getSentence(error) }),
          ),
        );
      return done;
    },
    {
      failure: "Could not change the meetings",
      changes: [me.meetings.pathKey(), settings.tags.pathKey(), settings.shares.pathKey()],
      onSuccess: (done) => {
        setForm(null);
        setOutcomes(done);
      },
    },
  );
  const download = useAction(
    async () => {
      const list = [];
      for (const { id } of meetings) list.push(await readImport(id));
      saveText("meetings.json", "application/json", JSON.stringify(list, null, 2));
    },
    { failure: "Could not export the meetings", success: `${countMeetings(meetings.length)} exported.` },
  );
  const others = meetings.length - own.length;
  return (
    <section className="selection-bar" aria-label="Selected meetings">
      <Text size="sm" fw={600} role="status">
        {countMeetings(meetings.length)} selected
      </Text>
      {own.length > 0 && (
        <>
          <Button size="xs" variant="default" onClick={() => setForm("tag")}>
            Tag
          </Button>
          <Button size="xs" variant="default" onClick={() => setForm("share")}>
            Share
          </Button>
        </>
      )}
      <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.run()}>
        Export
      </Button>
      {own.length > 0 && (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            deleteMeetings(own.map(({ id }) => id));
            clear();
          }}
        >
          Delete
        </Button>
      )}
      <Button size="xs" variant="subtle" color="gray" onClick={clear}>
        Clear
      </Button>
      {others > 0 && (
        <Text size="xs" c="dimmed">
          {countMeetings(others)} of others can only be exported.
        </Text>
      )}
      <Modal
        opened={form !== null}
        onClose={() => setForm(null)}
        title={`${form === "share" ? "Share" : "Tag"} ${countMeetings(own.length)}`}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (value.trim() === "") return;
            apply.run((meetingId) =>
              form === "tag"
                ? settingsClient.meetings.tag.mutate({ meetingId, name: value })
                : settingsClient.meetings.share.mutate({ meetingId, email: value }),
            );
          }}
        >
          <Stack>
            {form === "share" ? (
              <Select
                label="Share with"
                placeholder="A member of the workspace"
                data={(members.data?.members ?? [])
                  .filter((member) => member.userId !== userId)
                  .map(({ name, email }) => ({ value: email, label: `${name} (${email})` }))}
                onChange={(email) => setValue(email ?? "")}
              />
            ) : (
              <TextInput
                label="Tag"
                value={value}
                onChange={(event) => setValue(event.currentTarget.value)}
                data-autofocus
              />
            )}
            <Button type="submit" loading={apply.isPending} disabled={value.trim() === ""}>
              {form === "share" ? "Share" : "Tag"}
            </Button>
          </Stack>
        </form>
      </Modal>
      <Modal opened={outcomes !== null} onClose={() => setOutcomes(null)} title="Result">
        <List size="sm">
          {outcomes?.map(({ title, error }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
            <List.Item key={at}>
              {title}: {error ?? "done"}
            </List.Item>
          ))}
        </List>
      </Modal>
    </section>
  );
}
