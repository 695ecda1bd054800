import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { settingsClient } from "../../api/clients";
import { Dialog } from "../../components/Dialog";
import { useAction } from "../../components/use-action";
import { WEBHOOK_QUERIES, type Webhook } from "./webhook";

/** Resumes a paused webhook; asks whether to send missed deliveries. */
export function ResumeWebhook({ webhook: { id: webhookId, name, missed } }: { webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure(false);
  const resume = useAction(
    (replay: boolean) => settingsClient.webhooks.resume.mutate({ webhookId, replay }),
    {
      failure: "Could not resume the webhook",
      success: ({ replayed }, replay) =>
        replay ? `Webhook resumed. ${replayed} sent again.` : "Webhook resumed.",
      changes: WEBHOOK_QUERIES,
      onSuccess: close,
    },
  );
  return (
    <>
      <Button size="xs" onClick={open} aria-haspopup="dialog">
        Resume
      </Button>
      <Dialog opened={opened} onClose={close} title={`Resume “${name}”?`}>
        <Stack>
          <Text size="sm">
            It was paused because its deliveries kept failing. It missed {missed}{" "}
            {missed === 1 ? "delivery" : "deliveries"}. Send a test first to see whether the receiver works
            again.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" loading={resume.isPending} onClick={() => resume.run(false)}>
              Skip missed deliveries
            </Button>
            <Button loading={resume.isPending} onClick={() => resume.run(true)} data-autofocus>
              Send missed deliveries
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
