import { Alert, Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings } from "../api/clients";
import { FactTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page } from "../components/states";
import { Figures } from "./plan/Figures";

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
            <section aria-label="What the plan allows">
              <Title order={2} size="h4">
                What the plan allows
              </Title>
              <FactTable
                facts={[
                  ["Longest meeting", `${limits.maxMeetingMinutes} minutes`],
                  ["API keys", limits.apiAccess ? "yes" : "not in this plan"],
                  ["Webhooks", limits.webhooks ? "yes" : "not in this plan"],
                  ["Vocabulary terms for each list", String(limits.vocabularyTerms)],
                ]}
              />
            </section>
            <Query query={usage}>
              {(data) => (
                <>
                  <LockedSummaries count={data.lockedSummaries} />
                  <Figures usage={data} allowance={limits.creditsPerMonth} />
                </>
              )}
            </Query>
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
