import { Accordion, Badge, Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { settings, settingsClient } from "../api/clients";
import { DELIVERY_STATES, type DeliveryFilters, type DeliveryState } from "../api/filters";
import { tell, tellFailure } from "../components/actions";
import { Query } from "../components/Query";
import { Empty, Failure, Loading, Page } from "../components/states";
import { When } from "../components/times";
import { Attempts } from "./Attempts";
import { refreshWebhooks } from "./webhooks/webhook";

const route = getRouteApi("/signed-in/webhooks/$webhookId/deliveries");

const COLORS: Record<DeliveryState, string> = {
  pending: "blue",
  delivered: "green",
  failed: "red",
  skipped: "gray",
  canceled: "gray",
  held: "yellow",
};

/** The delivery log of a webhook: filters, each attempt, and sending again. Pending deliveries are shown live. */
export function Deliveries() {
  const { webhookId } = route.useParams();
  const filters = route.useSearch();
  const { state, from, to } = filters;
  const navigate = useNavigate();
  const set = (change: DeliveryFilters) =>
    void navigate({
      to: "/webhooks/$webhookId/deliveries",
      params: { webhookId },
      search: { ...filters, ...change },
      replace: true,
    });
  const range = {
    ...(from ? { from: new Date(from).toISOString() } : {}),
    ...(to ? { to: new Date(to).toISOString() } : {}),
  };
  const pages = useInfiniteQuery(
    settings.webhooks.deliveries.infiniteQueryOptions(
      { webhookId, limit: 50, ...(state ? { state } : {}), ...range },
      {
        getNextPageParam: (page) => page.nextCursor ?? undefined,
        refetchInterval: ({ state: { data } }) =>
          data?.pages.some((page) => page.deliveries.some((one) => one.state === "pending")) ? 3000 : false,
      },
    ),
  );
  const resendFailed = async () => {
    const { redelivered } = await settingsClient.webhooks.redeliverFailed.mutate({
      webhookId,
      from: range.from ?? "2000-01-01T00:00:00.000Z",
      to: range.to ?? new Date().toISOString(),
    });
    await refreshWebhooks();
    tell(`${redelivered} ${redelivered === 1 ? "delivery is" : "deliveries are"} sent again.`);
  };
  const list = pages.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <Page
      title="Deliveries"
      actions={
        <Button variant="default" onClick={() => void resendFailed().catch(tellFailure)}>
          Send all failed again
        </Button>
      }
    >
      <Group align="flex-end">
        <NativeSelect
          label="State"
          data={[{ value: "", label: "All" }, ...DELIVERY_STATES]}
          value={state ?? ""}
          onChange={(event) =>
            set({ state: (event.currentTarget.value || undefined) as DeliveryState | undefined })
          }
        />
        <TextInput
          label="From"
          type="datetime-local"
          value={from ?? ""}
          onChange={(event) => set({ from: event.currentTarget.value || undefined })}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={to ?? ""}
          onChange={(event) => set({ to: event.currentTarget.value || undefined })}
        />
      </Group>
      {pages.isPending ? (
        <Loading />
      ) : pages.isError ? (
        <Failure error={pages.error} retry={() => void pages.refetch()} />
      ) : list.length === 0 ? (
        <Empty title="No deliveries here.">
          A delivery is made when a meeting is completed, or by the button Test of the webhook. Widen the
          filters to see others.
        </Empty>
      ) : (
        <Accordion variant="separated">
          {list.map((delivery) => (
            <Accordion.Item key={delivery.id} value={delivery.id}>
              <Accordion.Control>
                <Group gap="sm">
                  <Badge color={COLORS[delivery.state]}>{delivery.state}</Badge>
                  <Text size="sm">{delivery.meetingId === null ? "Test" : "meeting.completed"}</Text>
                  <When at={delivery.createdAt} size="sm" c="dimmed" />
                  <Text size="xs" c="dimmed">
                    {delivery.attempts} {delivery.attempts === 1 ? "attempt" : "attempts"}
                  </Text>
                </Group>
              </Accordion.Control>
              <Accordion.Panel>
                <DeliveryDetail deliveryId={delivery.id} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Page>
  );
}

function DeliveryDetail({ deliveryId }: { deliveryId: string }) {
  const delivery = useQuery(
    settings.webhooks.delivery.queryOptions(
      { deliveryId },
      { refetchInterval: ({ state }) => (state.data?.state === "pending" ? 3000 : false) },
    ),
  );
  const resend = async () => {
    await settingsClient.webhooks.redeliver.mutate({ deliveryId });
    await refreshWebhooks();
    tell("The delivery is sent again.");
  };
  return (
    <Query query={delivery}>
      {(data) => (
        <Stack align="flex-start">
          <Text size="sm" c="dimmed">
            Delivery {data.id}
          </Text>
          <Attempts attempts={data.attempts} next={data.nextAttemptAt} />
          {!["pending", "held", "canceled"].includes(data.state) && (
            <Button size="xs" variant="default" onClick={() => void resend().catch(tellFailure)}>
              Send again
            </Button>
          )}
        </Stack>
      )}
    </Query>
  );
}
