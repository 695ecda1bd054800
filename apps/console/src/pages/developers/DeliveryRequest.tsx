import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings } from "../../api/clients";
import { saveText } from "../../api/save";
import { Copy } from "../../components/actions";
import { Query } from "../../components/Query";

/** Number of characters of the body that the page shows; the download has all of them. */
const SHOWN = 20_000;

/** The headers and body that the receiver gets. The signature or secret is never shown. */
export function DeliveryRequest({ deliveryId }: { deliveryId: string }) {
  const request = useQuery(settings.webhooks.request.queryOptions({ deliveryId }));
  return (
    <Query query={request}>
      {({ headers, body }) => (
        <Stack gap="xs" w="100%">
          <Text size="sm" fw={600}>
            Request headers
          </Text>
          <Code block className="wrap-anywhere" tabIndex={0} aria-label="Request headers">
            {Object.entries(headers)
              .map(([name, value]) => `${name}: ${value ?? "••••••••"}`)
              .join("\n")}
          </Code>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              Request body
            </Text>
            {body !== null && (
              <>
                <Copy value={body} label="Copy the request body" />
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  onClick={() => saveText(`delivery-${deliveryId}.json`, "application/json", body)}
                >
                  Download
                </Button>
              </>
            )}
          </Group>
          {body === null ? (
            <Text size="sm" c="dimmed">
              Only people who can read the meeting see the body, until the meeting is deleted.
            </Text>
          ) : (
            <Code block className="request-body" tabIndex={0} aria-label="Request body">
              {shorten(JSON.stringify(JSON.parse(body), null, 2))}
            </Code>
          )}
        </Stack>
      )}
    </Query>
  );
}

const shorten = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text);
