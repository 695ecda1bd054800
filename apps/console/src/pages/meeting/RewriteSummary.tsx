import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { LIMITS } from "@minutes/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { me, meClient, settings } from "../../api/clients";
import { EDITED } from "../../api/edits";
import { listLanguages } from "../../components/languages";
import { Query } from "../../components/Query";
import { useContractForm } from "../../components/use-contract-form";
import type { Instruction } from "../summaries/instruction";
import type { Detail } from "./editing";
import { describeOrigin } from "./new-summary";

interface RewriteProps {
  readonly meeting: Detail;
  readonly close: () => void;
}

/** Has the summary of a meeting written again, by an instruction and in a language. Says so if the meeting is too short. */
export default function RewriteSummary({ meeting, close }: RewriteProps) {
  const lists = useQuery(settings.instructions.list.queryOptions({}));
  const transcript = useQuery(me.meetings.transcript.queryOptions({ meetingId: meeting.id }));
  return (
    <Query query={lists}>
      {({ personal, team }) => (
        <Query query={transcript}>
          {({ segments }) =>
            countWords(segments) < LIMITS.summaryMinWords ? (
              <Text size="sm">A meeting needs {LIMITS.summaryMinWords} spoken words for a summary.</Text>
            ) : (
              <RewriteForm meeting={meeting} close={close} personal={personal} team={team} />
            )
          }
        </Query>
      )}
    </Query>
  );
}

const countWords = (segments: readonly { readonly text: string }[]): number =>
  segments.flatMap(({ text }) => text.match(/\S+/g) ?? []).length;

/** Values of the fields that are no ID and no language. */
const [CHOSEN, NONE, AS_SPOKEN] = ["", "none", "spoken"] as const;

interface Lists {
  readonly personal: readonly Instruction[];
  readonly team: readonly Instruction[];
}

function RewriteForm({ meeting, close, personal, team }: RewriteProps & Lists) {
  const form = useContractForm({
    schema: ({ SummarizeMeeting }) => SummarizeMeeting,
    initial: { instruction: CHOSEN, language: CHOSEN } as Record<"instruction" | "language", string>,
    toInput: ({ instruction, language }) => ({
      meetingId: meeting.id,
      ...(instruction === CHOSEN ? {} : { instruction: instruction === NONE ? null : instruction }),
      ...(language === CHOSEN ? {} : { language: language === AS_SPOKEN ? null : language }),
    }),
    send: meClient.meetings.summarize.mutate,
    failure: "Could not request a new summary",
    success: ({ instruction: name, language }) =>
      ["The summary will be rewritten", describeOrigin({ name, language })].join(" ").trim().concat("."),
    changes: EDITED,
    onSuccess: close,
  });
  const group = (title: string, instructions: readonly Instruction[]) =>
    instructions.length === 0
      ? []
      : [{ group: title, items: instructions.map(({ id, name }) => ({ value: id, label: name })) }];
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">
          The new summary replaces this one within minutes. This one stays under Versions. Title and tasks
          don't change.
        </Text>
        <NativeSelect
          label="Instruction"
          description={
            <>
              Create them under <Link to="/summaries">Settings, Summaries</Link>.
            </>
          }
          data={[
            { value: CHOSEN, label: "Chosen by tag and title" },
            { value: NONE, label: "None" },
            ...group("Yours", personal),
            ...group("Team", team),
          ]}
          {...form.getInputProps("instruction")}
        />
        <NativeSelect
          label="Language"
          data={[
            { value: CHOSEN, label: "As the instruction says" },
            { value: AS_SPOKEN, label: "As spoken" },
            ...listLanguages(),
          ]}
          {...form.getInputProps("language")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isPending}>
            Rewrite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
