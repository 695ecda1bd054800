import { Checkbox, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { Section } from "../../components/states";
import { useAction } from "../../components/use-action";

const CHOICES = [
  {
    kind: "meeting",
    label: "When a meeting of yours is completed",
    description: "Title, short summary, your open tasks and a link.",
  },
  {
    kind: "week",
    label: "On Monday morning",
    description: "Your open tasks, and the meetings of the week before.",
  },
] as const;

/** Chooses the e-mails that the person gets about meetings; renders nothing without a mail server. */
export function Digests() {
  const { data } = useQuery(settings.digests.get.queryOptions({}));
  const update = useAction(settingsClient.digests.update.mutate, {
    failure: "Could not change your e-mails",
    changes: [settings.digests.pathKey()],
  });
  if (!data?.available) return null;
  return (
    <Section title="E-mails" about="Each has a link that ends them.">
      <Stack gap="xs">
        {CHOICES.map(({ kind, ...words }) => (
          <Checkbox
            key={kind}
            {...words}
            checked={data[kind]}
            disabled={update.isPending}
            onChange={({ currentTarget }) => update.run({ [kind]: currentTarget.checked })}
          />
        ))}
      </Stack>
    </Section>
  );
}
