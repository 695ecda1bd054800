import { Button, Popover, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { settings } from "../api/clients";
import { tellFailure } from "../components/actions";
import { describeAttempt } from "./Attempts";

/** Sends a test delivery and shows its outcome beside the button. */
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
    <Popover opened={deliveryId !== undefined} onDismiss={() => test.reset()} withArrow position="bottom">
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          loading={test.isPending}
          disabled={disabled}
          onClick={() => test.mutate({ webhookId })}
        >
          Test
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="status">
        <Text size="sm">{attempt ? describeAttempt(attempt) : "The test delivery is on its way."}</Text>
      </Popover.Dropdown>
    </Popover>
  );
}
