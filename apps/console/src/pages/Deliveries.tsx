import { Badge, Button, Group, NativeSelect, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import type { DeliveryState } from "@minutes/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { createFilterFields, DELIVERY_STATES, type DeliveryFilters } from "../api/filters";
import { ConfirmButton } from "../components/actions";
import { Query, ShowMore } from "../components/Query";
import { Empty, Failure, Loading, Page } from "../components/states";
import { Timestamp } from "../components/times";
import { useAction } from "../components/use-action";
import { DELIVERY_WORDS } from "../components/words";
import { Attempts } from "./developers/Attempts";
import { DeliveryRequest } from "./developers/DeliveryRequest";
import { WEBHOOK_QUERIES } from "./developers/webhook";

const route = getRouteApi("/signed-in/webhooks/$webhookId");

const COLORS: Record<DeliveryState, string> = {
  pending: "blue",
  delivered: "green",
  failed: "red",
  skipped: "gray",
  canceled: "gray",
  held: "yellow",
};

/**
 * The delivery log of a webhook: the list on the left, one delivery with its attempts and its request on the right. A phone
 * shows one of the two.
 */
export function Deliveries() {
  const { webhookId } = route.useParams();
  const filters = route.useSearch();
  const { state, delivery } = filters;
  const navigate = useNavigate();
  const webhooks = useQuery(settings.webhooks.list.queryOptions({}));
  const { role } = useAccount();
  const { personal = [], workspace = [] } = webhooks.data ?? {};
  const webhook = [...personal, ...workspace].find(({ id }) => id === webhookId);
  // Admins manage the workspace's webhooks; one that is off sends nothing again.
  const isManaged = role === "admin" || personal.some(({ id }) => id === webhookId);
  const canResend = isManaged && webhook?.disabledAt === null && webhook.pausedAt === null;
  const set = (change: DeliveryFilters) =>
    void navigate({
      to: "/webhooks/$webhookId",
      params: { webhookId },
      search: { ...filters, ...change },
      replace: true,
    });
  const range = toRange(filters);
  const pages = useDeliveries({ webhookId, ...(state ? { state } : {}), ...range });
  const list = pages.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <Page
      title={webhook ? `Deliveries of “${webhook.name}”` : "Deliveries"}
      actions={canResend && <ResendFailed webhookId={webhookId} range={range} />}
    >
      <Filters filters={filters} set={set} />
      {pages.isPending ? (
        <Loading />
      ) : pages.isError ? (
        <Failure error={pages.error} retry={() => void pages.refetch()} />
      ) : list.length === 0 ? (
        <Empty title="No deliveries.">
          Deliveries appear when an event happens or you send a test. Change the filters to see others.
        </Empty>
      ) : (
        <div className="split" data-chosen={delivery !== undefined}>
          <div>
            <ul className="readers" aria-label="Deliveries">
              {list.map((one) => (
                <li key={one.id}>
                  <DeliveryButton
                    delivery={one}
                    isChosen={one.id === delivery}
                    choose={() => set({ delivery: one.id })}
                  />
                </li>
              ))}
            </ul>
            <ShowMore pages={pages} />
          </div>
          {delivery === undefined ? (
            <Text size="sm" c="dimmed">
              Choose a delivery to see its attempts and its request.
            </Text>
          ) : (
            <DeliveryDetail
              deliveryId={delivery}
              canResend={canResend}
              close={() => set({ delivery: undefined })}
            />
          )}
        </div>
      )}
    </Page>
  );
}

function Filters(props: { filters: DeliveryFilters; set: (change: DeliveryFilters) => void }) {
  const field = createFilterFields(props.filters, props.set);
  return (
    <Group align="flex-end">
      <NativeSelect
        label="State"
        data={[
          { value: "", label: "All" },
          ...DELIVERY_STATES.map((value) => ({ value, label: DELIVERY_WORDS[value] })),
        ]}
        {...field("state")}
      />
      <TextInput label="From" type="datetime-local" {...field("from")} />
      <TextInput label="To" type="datetime-local" {...field("to")} />
    </Group>
  );
}

interface Range {
  readonly from?: string;
  readonly to?: string;
}

const toRange = ({ from, to }: DeliveryFilters): Range => ({
  ...(from ? { from: new Date(from).toISOString() } : {}),
  ...(to ? { to: new Date(to).toISOString() } : {}),
});

/** Reads the deliveries, again and again while one is pending. */
const useDeliveries = (filter: Range & { webhookId: string; state?: DeliveryState }) =>
  useInfiniteQuery(
    settings.webhooks.deliveries.infiniteQueryOptions(
      { limit: 50, ...filter },
      {
        getNextPageParam: (page) => page.nextCursor ?? undefined,
        refetchInterval: ({ state: { data } }) =>
          data?.pages.some((page) => page.deliveries.some((one) => one.state === "pending")) ? 3000 : false,
      },
    ),
  );

type Delivery = Awaited<ReturnType<typeof settingsClient.webhooks.deliveries.query>>["deliveries"][number];

function DeliveryButton(props: { delivery: Delivery; isChosen: boolean; choose: () => void }) {
  const { delivery, isChosen, choose } = props;
  return (
    <UnstyledButton className="delivery" aria-current={isChosen ? "true" : undefined} onClick={choose}>
      <Badge color={COLORS[delivery.state]}>{DELIVERY_WORDS[delivery.state]}</Badge>
      <Text size="sm" span>
        {delivery.meetingId === null ? "Test" : delivery.event}
      </Text>
      <Timestamp at={delivery.createdAt} size="sm" c="dimmed" />
    </UnstyledButton>
  );
}

/** Sends the failed deliveries of a range again, after saying which. */
function ResendFailed({ webhookId, range }: { webhookId: string; range: Range }) {
  const failed = useQuery(
    settings.webhooks.deliveries.queryOptions({ webhookId, limit: 100, state: "failed", ...range }),
  );
  const count = failed.data?.deliveries.length ?? 0;
  const shown = failed.data?.nextCursor ? `more than ${count}` : String(count);
  if (count === 0) return null;
  const noun = count === 1 ? "delivery" : "deliveries";
  return (
    <ConfirmButton
      label="Resend failed"
      title={`Resend ${shown} failed ${noun}?`}
      confirm="Resend"
      failure="Could not resend the deliveries"
      success={`Resending ${shown} ${noun}.`}
      changes={WEBHOOK_QUERIES}
      act={() =>
        settingsClient.webhooks.redeliverFailed.mutate({
          webhookId,
          from: range.from ?? "2000-01-01T00:00:00.000Z",
          to: range.to ?? new Date().toISOString(),
        })
      }
    >
      The receiver gets each of them again, with the same delivery ID.
    </ConfirmButton>
  );
}

function DeliveryDetail({
  deliveryId,
  canResend,
  close,
}: {
  deliveryId: string;
  canResend: boolean;
  /** Goes back to the list, which a phone hides. */
  close: () => void;
}) {
  const delivery = useQuery(
    settings.webhooks.delivery.queryOptions(
      { deliveryId },
      { refetchInterval: ({ state }) => (state.data?.state === "pending" ? 3000 : false) },
    ),
  );
  const resend = useAction(() => settingsClient.webhooks.redeliver.mutate({ deliveryId }), {
    failure: "Could not resend the delivery",
    success: "Resending the delivery.",
    changes: WEBHOOK_QUERIES,
  });
  return (
    <section aria-label="Delivery">
      <Button size="xs" variant="default" mb="md" hiddenFrom="sm" onClick={close}>
        All deliveries
      </Button>
      <Query query={delivery}>
        {(data) => (
          <Stack align="flex-start">
            <Group gap="sm">
              <Badge color={COLORS[data.state]}>{DELIVERY_WORDS[data.state]}</Badge>
              <Text size="sm" c="dimmed" span>
                {data.meetingId === null ? "Test" : data.event} · delivery {data.id}
              </Text>
            </Group>
            <Attempts attempts={data.attempts} next={data.nextAttemptAt} />
            {canResend && !["pending", "held", "canceled"].includes(data.state) && (
              <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.run()}>
                Resend
              </Button>
            )}
            <DeliveryRequest deliveryId={data.id} />
          </Stack>
        )}
      </Query>
    </section>
  );
}
