import { Progress, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings } from "../api/clients";
import { Query } from "../components/Query";
import { Page } from "../components/states";

/** Shows the workspace's plan, what it allows, and the credits used this month. */
export function Plan() {
  const plan = useQuery(settings.plan.get.queryOptions({}));
  return (
    <Page title="Plan and usage">
      <Query query={plan}>
        {({ plan: name, limits, creditsUsed }) => (
          <Stack>
            <Text>
              This workspace has the plan <strong>{name}</strong>.
            </Text>
            <section aria-label="Credits of this month">
              <Text size="sm">
                {limits.creditsPerMonth === null
                  ? `${creditsUsed} credits used this month; the plan has no limit.`
                  : `${creditsUsed} of ${limits.creditsPerMonth} credits used this month.`}
              </Text>
              {limits.creditsPerMonth !== null && (
                <Progress
                  value={Math.min(100, (100 * creditsUsed) / limits.creditsPerMonth)}
                  aria-label="Credits used"
                />
              )}
            </section>
            <Table>
              <Table.Tbody>
                <Limit label="Longest meeting" value={`${limits.maxMeetingMinutes} minutes`} />
                <Limit label="API keys" value={limits.apiAccess ? "yes" : "not in this plan"} />
                <Limit label="Webhooks" value={limits.webhooks ? "yes" : "not in this plan"} />
                <Limit label="Vocabulary terms for each list" value={String(limits.vocabularyTerms)} />
              </Table.Tbody>
            </Table>
            <Text size="sm" c="dimmed">
              A meeting over the allowance is stored whole; its summary is locked until the plan is upgraded.
            </Text>
          </Stack>
        )}
      </Query>
    </Page>
  );
}

const Limit = ({ label, value }: { label: string; value: string }) => (
  <Table.Tr>
    <Table.Th scope="row">{label}</Table.Th>
    <Table.Td>{value}</Table.Td>
  </Table.Tr>
);
