import { Button, List, Text } from "@mantine/core";
import type { MeetingOverview } from "@minutes/contract";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { deleteMeetings } from "../../api/deletions";
import { readImport } from "../../api/meeting-files";
import { saveText } from "../../api/save";
import type { Selection } from "../../api/use-selection";
import { ConfirmButton } from "../../components/actions";
import { Dialog } from "../../components/Dialog";
import { useAction } from "../../components/use-action";
import { countMeetings } from "../../components/words";
import type { Outcome } from "./apply-to-each";
import { ShareSelected } from "./ShareSelected";
import { TagSelected } from "./TagSelected";

/** Actions on the selected meetings: tag, share, export, delete. Reports the result of each. */
export default function SelectionBar({ selection: { meetings, clear } }: { selection: Selection }) {
  const { userId } = useAccount();
  const [form, setForm] = useState<"Tag" | "Share" | null>(null);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const own = meetings.filter((meeting) => meeting.userId === userId);
  const others = meetings.length - own.length;
  const onDone = (done: readonly Outcome[]) => {
    setForm(null);
    setOutcomes(done);
  };
  return (
    <section className="selection-bar" aria-label="Selected meetings">
      <Text size="sm" fw={600} role="status">
        {countMeetings(meetings.length)} selected
      </Text>
      {own.length > 0 && (
        <>
          <Button size="xs" variant="default" onClick={() => setForm("Tag")} aria-haspopup="dialog">
            Tag
          </Button>
          <Button size="xs" variant="default" onClick={() => setForm("Share")} aria-haspopup="dialog">
            Share
          </Button>
        </>
      )}
      <ExportSelected meetings={meetings} />
      {own.length > 0 && <DeleteSelected meetings={own} clear={clear} />}
      <Button size="xs" variant="subtle" color="gray" onClick={clear}>
        Clear
      </Button>
      {others > 0 && (
        <Text size="xs" c="dimmed">
          {countMeetings(others)} owned by others can only be exported.
        </Text>
      )}
      <Dialog
        opened={form !== null}
        onClose={() => setForm(null)}
        title={`${form ?? ""} ${countMeetings(own.length)}`}
      >
        {form === "Tag" && <TagSelected meetings={own} onDone={onDone} />}
        {form === "Share" && <ShareSelected meetings={own} onDone={onDone} />}
      </Dialog>
      <Dialog opened={outcomes.length > 0} onClose={() => setOutcomes([])} title="Result">
        <List size="sm">
          {outcomes.map(({ id, title, error }) => (
            <List.Item key={id}>
              {title}: {error ?? "done"}
            </List.Item>
          ))}
        </List>
      </Dialog>
    </section>
  );
}

function ExportSelected({ meetings }: { meetings: readonly MeetingOverview[] }) {
  const download = useAction(
    async () => {
      const list = [];
      for (const { id } of meetings) list.push(await readImport(id));
      saveText("meetings.json", "application/json", JSON.stringify(list, null, 2));
    },
    { failure: "Could not export the meetings", success: `${countMeetings(meetings.length)} exported.` },
  );
  return (
    <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.run()}>
      Export
    </Button>
  );
}

/** Maximum number of titles listed before a deletion is confirmed. */
const TITLES = 10;

function DeleteSelected({ meetings, clear }: { meetings: readonly MeetingOverview[]; clear: () => void }) {
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete ${countMeetings(meetings.length)}?`}
      confirm="Delete"
      failure="Could not delete the meetings"
      act={async () => {
        deleteMeetings(meetings);
        clear();
      }}
    >
      <List size="sm" mb="sm" className="wrap-anywhere">
        {meetings.slice(0, TITLES).map(({ id, title }) => (
          <List.Item key={id}>{title}</List.Item>
        ))}
        {meetings.length > TITLES && <List.Item>{meetings.length - TITLES} more</List.Item>}
      </List>
      Their summaries, transcripts, tasks and search entries are deleted for everyone who can read them. You
      can undo this for ten seconds.
    </ConfirmButton>
  );
}
