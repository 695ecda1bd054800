import { Alert, Progress, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { settings } from "../api/clients";
import { Query } from "../components/Query";
import { Loading, Page } from "../components/states";

// The library that draws charts is loaded on this page alone.
const Charts = lazy(() => import("./plan/Charts"));

/** Shows the workspace's plan, what it allows, and what was used: credits, locked summaries, requests. */
export function Plan() {
  const plan = useQuery(settings.plan.get.queryOptions({}));
  const usage = useQuery(settings.plan.usage.queryOptions({}, { refetchInterval: 30_000 }));
  return (
    <Page title="Plan and usage">
      <Query query={plan}>
        {({ plan: name, limits, creditsUsed }) => (
          <Stack>
            <Text>
              This workspace has the plan <strong>{name}</strong>.
            </Text>
            <section aria-label="Credits of this month">
              <Text size="sm" mb="xs">
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
            <Query query={usage}>
              {(data) => (
                <>
                  <LockedSummaries count={data.lockedSummaries} />
                  <Suspense fallback={<Loading />}>
                    <Charts usage={data} allowance={limits.creditsPerMonth} />
                  </Suspense>
                </>
              )}
            </Query>
            <section aria-label="What the plan allows">
              <Title order={2} size="h4">
                What the plan allows
              </Title>
              <Table>
                <Table.Tbody>
                  <Limit label="Longest meeting" value={`${limits.maxMeetingMinutes} minutes`} />
                  <Limit label="API keys" value={limits.apiAccess ? "yes" : "not in this plan"} />
                  <Limit label="Webhooks" value={limits.webhooks ? "yes" : "not in this plan"} />
                  <Limit label="Vocabulary terms for each list" value={String(limits.vocabularyTerms)} />
                </Table.Tbody>
              </Table>
            </section>
          </Stack>
        )}
      </Query>
    </Page>
  );
}

const LockedSummaries = ({ count }: { count: number }) =>
  count === 0 ? (
    <Text size="sm">None of your summaries is locked.</Text>
  ) : (
    <Alert color="yellow" title={`${count} of your summaries ${count === 1 ? "is" : "are"} locked`}>
      Their meetings were over the allowance or too long for the plan. They are stored whole, and a larger
      plan unlocks their summaries.
    </Alert>
  );

const Limit = ({ label, value }: { label: string; value: string }) => (
  <Table.Tr>
    <Table.Th scope="row">{label}</Table.Th>
    <Table.Td>{value}</Table.Td>
  </Table.Tr>
);
