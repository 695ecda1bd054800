import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { useAction } from "../../components/use-action";
import { describeAttempt } from "./Attempts";

/** Sends a test delivery and shows its outcome below the buttons. */
export function TestSend({ webhookId, disabled }: { webhookId: string; disabled: boolean }) {
  const test = useAction(() => settingsClient.webhooks.test.mutate({ webhookId }), {
    failure: "Could not send a test",
  });
  const deliveryId = test.output?.deliveryId;
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
        onClick={() => test.run()}
      >
        Test
      </Button>
      {deliveryId !== undefined && (
        // On its own line below the buttons.
        <Text size="sm" role="status" w="100%">
          {attempt ? describeAttempt(attempt) : "Sending the test…"}
        </Text>
      )}
    </>
  );
}
