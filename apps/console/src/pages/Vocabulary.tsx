import { Button, Group, Pill, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { Query } from "../components/Query";
import { RemovablePill } from "../components/RemovablePill";
import { Page, Section } from "../components/states";
import { useAction } from "../components/use-action";
import { useContractForm } from "../components/use-contract-form";

/** Lists the terms that recorders should recognize: the person's own and the team's. */
export function Vocabulary() {
  const { role } = useAccount();
  const lists = useQuery(settings.vocabulary.list.queryOptions({}));
  const plan = useQuery(settings.plan.get.queryOptions({}));
  const limit = plan.data?.limits.vocabularyTerms;
  return (
    <Page>
      <Query query={lists}>
        {({ personal, team }) => (
          <>
            <TermList list="personal" title="Your terms" terms={personal} limit={limit} canEdit />
            <TermList list="team" title="Team terms" terms={team} limit={limit} canEdit={role === "admin"} />
          </>
        )}
      </Query>
    </Page>
  );
}

interface TermListProps {
  readonly list: "personal" | "team";
  readonly title: string;
  readonly terms: readonly string[];
  readonly limit: number | undefined;
  readonly canEdit: boolean;
}

function TermList({ list, title, terms, limit, canEdit }: TermListProps) {
  const changes = [settings.vocabulary.pathKey()];
  const form = useContractForm({
    schema: (contract) => contract.ListedTerm,
    initial: { term: "" },
    toInput: (values) => ({ list, ...values }),
    send: settingsClient.vocabulary.add.mutate,
    draft: `vocabulary/${list}`,
    failure: "Could not add the term",
    changes,
  });
  const remove = useAction((term: string) => settingsClient.vocabulary.remove.mutate({ list, term }), {
    failure: "Could not remove the term",
    success: (_, term) => `“${term}” removed.`,
    undo: (term) => settingsClient.vocabulary.add.mutate({ list, term }),
    changes,
  });
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed">
        {terms.length} {limit === undefined ? "terms" : `of ${limit} terms used`}
      </Text>
      <Pill.Group>
        {terms.map((one) => (
          <RemovablePill
            key={one}
            large
            label={`Remove ${one}`}
            onRemove={canEdit ? () => remove.run(one) : undefined}
          >
            {one}
          </RemovablePill>
        ))}
      </Pill.Group>
      {canEdit && (
        <form {...form.props}>
          <Group align="flex-end">
            <TextInput label="New term" {...form.getInputProps("term")} />
            <Button type="submit" variant="default" loading={form.isPending}>
              Add
            </Button>
          </Group>
        </form>
      )}
    </Section>
  );
}
