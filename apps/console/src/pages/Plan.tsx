import { Alert, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings } from "../api/clients";
import { FactTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page, Section } from "../components/states";
import { Figures } from "./plan/Figures";

/** Shows the workspace's plan with its limits and usage: credits, locked summaries, requests. */
export function Plan() {
  const plan = useQuery(settings.plan.get.queryOptions({}));
  const usage = useQuery(settings.plan.usage.queryOptions({}, { refetchInterval: 30_000 }));
  return (
    <Page>
      <Query query={plan}>
        {({ plan: name, limits, creditsUsed }) => (
          <Stack>
            <Text>
              Your workspace is on the <strong>{name}</strong> plan.
            </Text>
            <section aria-label="Credits this month">
              <Text size="sm" mb="xs">
                {limits.creditsPerMonth === null
                  ? `${creditsUsed} credits used this month. The plan has no limit.`
                  : `${creditsUsed} of ${limits.creditsPerMonth} credits used this month.`}
              </Text>
              {limits.creditsPerMonth !== null && (
                <Progress
                  value={Math.min(100, (100 * creditsUsed) / limits.creditsPerMonth)}
                  aria-label="Credits used"
                />
              )}
            </section>
            <Section title="Included">
              <FactTable
                facts={[
                  ["Longest meeting", `${limits.maxMeetingMinutes} minutes`],
                  ["API keys", limits.apiAccess ? "Included" : "Not included"],
                  ["Webhooks", limits.webhooks ? "Included" : "Not included"],
                  ["Vocabulary terms per list", String(limits.vocabularyTerms)],
                ]}
              />
            </Section>
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
    <Text size="sm">None of your summaries are locked.</Text>
  ) : (
    <Alert color="yellow" title={`${count} of your summaries ${count === 1 ? "is" : "are"} locked`}>
      Their meetings exceeded your monthly credits or the maximum length. They are stored completely, and a
      larger plan unlocks their summaries.
    </Alert>
  );
