import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { settingsClient } from "../../api/clients";
import { tell, tellFailure } from "../../components/actions";
import { Dialog } from "../../components/Dialog";
import { refreshWebhooks, type Webhook } from "./webhook";

/** Resumes a paused webhook, and asks whether what it missed is sent. */
export function ResumeWebhook({ webhook: { id: webhookId, name, missed } }: { webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure(false);
  const resume = async (replay: boolean) => {
    const { replayed } = await settingsClient.webhooks.resume.mutate({ webhookId, replay });
    close();
    await refreshWebhooks();
    tell(replay ? `The webhook is resumed; ${replayed} sent again.` : "The webhook is resumed.");
  };
  return (
    <>
      <Button size="xs" onClick={open}>
        Resume
      </Button>
      <Dialog opened={opened} onClose={close} title={`Resume “${name}”?`}>
        <Stack>
          <Text size="sm">
            It is paused because its attempts failed for a long time. It missed {missed}{" "}
            {missed === 1 ? "delivery" : "deliveries"}. Send a test first to see whether the receiver works
            again.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => void resume(false).catch(tellFailure)}>
              Skip what was missed
            </Button>
            <Button onClick={() => void resume(true).catch(tellFailure)} data-autofocus>
              Send what was missed
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
