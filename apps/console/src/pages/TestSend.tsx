import { Button, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { settings } from "../api/clients";
import { tellFailure } from "../components/actions";
import { describeAttempt } from "./Attempts";

/** Sends a test delivery and shows its outcome below the buttons. */
export function TestSend({ webhookId, disabled }: { webhookId: string; disabled: boolean }) {
  const test = useMutation(settings.webhooks.test.mutationOptions({ onError: tellFailure }));
  const deliveryId = test.data?.deliveryId;
  const outcome = useQuery(
    settings.webhooks.delivery.queryOptions(
      { deliveryId: deliveryId ?? "1" },
      {
        enabled: deliveryId !== undefined,
        refetchInterval: ({ state }) => ((state.data?.attempts.length ?? 0) > 0 ? false : 1000),
      },
    ),
  );
  const [attempt] = outcome.data?.attempts ?? [];
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        disabled={disabled}
        onClick={() => test.mutate({ webhookId })}
      >
        Test
      </Button>
      {deliveryId !== undefined && (
        // A line of its own below the buttons.
        <Text size="sm" role="status" w="100%">
          {attempt ? describeAttempt(attempt) : "The test delivery is on its way."}
        </Text>
      )}
    </>
  );
}
