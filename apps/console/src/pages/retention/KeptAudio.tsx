import { Button, Group, Text, TextInput } from "@mantine/core";
import type { KeptAudioSetting } from "@minutes/contract";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";
import { useContractForm } from "../../components/use-contract-form";

const changes = [settings.keptAudio.pathKey()];
const GIGABYTE = 1024 ** 3;

/** Says how long the workspace keeps the audio of recordings, and changes it. */
export function KeptAudio() {
  const query = useQuery(settings.keptAudio.get.queryOptions({}));
  return (
    <Section
      title="Audio of recordings"
      about="Audio is deleted once its meeting is stored, unless you keep it. Then anyone who can read the transcript can play it, and the upload page says so. Make sure everyone recorded agrees."
    >
      <Query query={query}>
        {(kept) => (
          <>
            <Text size="sm">{describe(kept)}</Text>
            <Days />
            {kept.days !== null && (
              <Group>
                <ConfirmButton
                  label="Keep no audio"
                  title="Delete the kept audio?"
                  confirm="Delete"
                  failure="Could not delete the audio"
                  success="No audio is kept."
                  changes={changes}
                  act={() => settingsClient.keptAudio.set.mutate({ days: null })}
                >
                  The audio of all meetings is deleted for good, except that of meetings on hold. The meetings
                  stay.
                </ConfirmButton>
              </Group>
            )}
          </>
        )}
      </Query>
    </Section>
  );
}

const describe = ({ days, bytes, maxBytes }: KeptAudioSetting): string =>
  days === null
    ? "Audio is not kept."
    : `Audio is kept for ${days === 1 ? "a day" : `${days} days`}. ${(bytes / GIGABYTE).toLocaleString(
        undefined,
        { maximumFractionDigits: 1 },
      )} of ${maxBytes / GIGABYTE} GB are taken.`;

function Days() {
  const form = useContractForm({
    schema: ({ KeptAudioInput }) => KeptAudioInput.days,
    initial: { days: "" },
    toInput: ({ days }) => ({ days: Number(days) }),
    send: settingsClient.keptAudio.set.mutate,
    draft: "retention/audio",
    failure: "Could not keep audio",
    success: "Audio of recordings is kept from now on.",
    changes,
  });
  return (
    <form {...form.props}>
      <Group align="flex-end">
        <TextInput
          label="Days to keep audio"
          description="Fewer days also delete what is older."
          w={260}
          inputMode="numeric"
          {...form.getInputProps("days")}
        />
        <Button type="submit" variant="default" loading={form.isPending}>
          Keep audio
        </Button>
      </Group>
    </form>
  );
}
