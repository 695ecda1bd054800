import { Button, Checkbox, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { LIMITS } from "@minutes/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { settings, settingsClient } from "../../api/clients";
import { SecretOnce } from "../../components/credentials";
import { formatDateTime } from "../../components/times";
import { useAction } from "../../components/use-action";
import { useContractForm } from "../../components/use-contract-form";
import { describeLink } from "../../components/words";

const changes = [settings.publicLinks.pathKey()];
const DAYS = [1, LIMITS.publicLinkDaysDefault, 14, LIMITS.publicLinkDaysMax];
const SCOPES = [
  { value: "summary", label: "Summary and tasks" },
  { value: "transcript", label: "Summary, tasks and transcript" },
];

/** Creates, lists and revokes links with which people outside read a meeting. For its owner. */
export function PublicLinks({ meetingId }: { meetingId: string }) {
  const { data } = useQuery(settings.publicLinks.list.queryOptions({ meetingId }));
  const revoke = useAction((linkId: string) => settingsClient.publicLinks.revoke.mutate({ linkId }), {
    failure: "Could not revoke the link",
    success: "The link has ended.",
    changes,
  });
  if (!data) return null;
  return (
    <section aria-label="Link for people outside">
      <Text size="sm" fw={600} mb={4}>
        Link for people outside
      </Text>
      {data.allowed ? (
        <Stack gap="sm">
          <NewLink meetingId={meetingId} />
          <ul className="readers">
            {data.links.map((link) => (
              <li key={link.id}>
                <Text size="sm" span>
                  {describeLink(link)}, until {formatDateTime(link.expiresAt)}
                </Text>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`Revoke the link until ${formatDateTime(link.expiresAt)}`}
                  onClick={() => revoke.run(link.id)}
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          Off in this workspace. An admin can allow them under Settings, Public links.
        </Text>
      )}
    </section>
  );
}

function NewLink({ meetingId }: { meetingId: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const form = useContractForm({
    schema: ({ PublicLinkInput }) => PublicLinkInput.link,
    initial: { scope: "summary", days: String(LIMITS.publicLinkDaysDefault), password: "", maskNames: false },
    toInput: ({ scope, days, password, maskNames }) => ({
      ...{ meetingId, scope: scope as "summary", days: Number(days), maskNames },
      ...(password === "" ? {} : { password }),
    }),
    send: settingsClient.publicLinks.create.mutate,
    failure: "Could not create the link",
    changes,
    onSuccess: (created) => setUrl(created.url),
  });
  if (url !== null)
    return (
      <SecretOnce name="link" value={url} onClose={() => setUrl(null)}>
        <Text size="sm">Anyone who has it can read the meeting until it ends.</Text>
      </SecretOnce>
    );
  return (
    <form {...form.props}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <NativeSelect label="Shows" data={SCOPES} {...form.getInputProps("scope")} />
          <NativeSelect
            label="Ends after"
            data={DAYS.map((days) => ({ value: String(days), label: days === 1 ? "1 day" : `${days} days` }))}
            {...form.getInputProps("days")}
          />
        </SimpleGrid>
        <TextInput
          label="Password (optional)"
          description="Send it another way than the link."
          autoComplete="off"
          {...form.getInputProps("password")}
        />
        <Checkbox
          label="Mask names"
          description="Replaces the names of speakers, assignees and invited people by “Speaker 1”. Nicknames, misspelled names, other people and what gives somebody away stay: read the page before you send it."
          {...form.getInputProps("maskNames", { type: "checkbox" })}
        />
        <Text size="xs" c="dimmed">
          E-mail addresses and telephone numbers are always hidden.
        </Text>
        <Button type="submit" variant="default" loading={form.isPending}>
          Create link
        </Button>
      </Stack>
    </form>
  );
}
