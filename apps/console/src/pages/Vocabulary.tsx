import { Button, Group, Pill, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { queryClient, settings } from "../api/clients";
import { useDraft } from "../api/drafts";
import { tellFailure } from "../components/actions";
import { Query } from "../components/Query";
import { RemovablePill } from "../components/RemovablePill";
import { Page } from "../components/states";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.vocabulary.pathKey() });

/** Lists the terms that recorders should recognise: the person's own and the team's. */
export function Vocabulary() {
  const { role } = useAccount();
  const lists = useQuery(settings.vocabulary.list.queryOptions({}));
  const plan = useQuery(settings.plan.get.queryOptions({}));
  const limit = plan.data?.limits.vocabularyTerms;
  return (
    <Page title="Vocabulary">
      <Text size="sm" c="dimmed">
        Names and terms that recorders should spell right.
      </Text>
      <Query query={lists}>
        {({ personal, team }) => (
          <Stack gap="xl">
            <TermList list="personal" title="My terms" terms={personal} limit={limit} canEdit />
            <TermList
              list="team"
              title="The team's terms"
              terms={team}
              limit={limit}
              canEdit={role === "admin"}
            />
          </Stack>
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
  const { fields, change, discard } = useDraft(`vocabulary/${list}`, { term: "" });
  const options = { onSuccess: refresh, onError: tellFailure };
  const add = useMutation(settings.vocabulary.add.mutationOptions(options));
  const remove = useMutation(settings.vocabulary.remove.mutationOptions(options));
  return (
    <section aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {terms.length} {limit === undefined ? "terms" : `of ${limit} terms used`}
      </Text>
      <Pill.Group mb="sm">
        {terms.map((one) => (
          <RemovablePill
            key={one}
            large
            label={`Remove ${one}`}
            onRemove={canEdit ? () => remove.mutate({ list, term: one }) : undefined}
          >
            {one}
          </RemovablePill>
        ))}
      </Pill.Group>
      {canEdit && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate({ list, ...fields });
            discard();
          }}
        >
          <Group align="flex-end">
            <TextInput
              label="New term"
              value={fields.term}
              onChange={(event) => change({ term: event.currentTarget.value })}
              maxLength={100}
              required
            />
            <Button type="submit" variant="default">
              Add
            </Button>
          </Group>
        </form>
      )}
    </section>
  );
}
