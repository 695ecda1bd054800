import { Checkbox, Stack, TextInput } from "@mantine/core";
import type { WebhookEventName } from "@minutes/contract";
import type { Webhook } from "./webhook";

/** What a webhook can be told of, in words. */
const EVENTS: Readonly<Record<WebhookEventName, string>> = {
  "meeting.completed": "A meeting is completed",
  "meeting.updated": "A meeting's tags or summary changed",
  "meeting.deleted": "A meeting is deleted",
  "meeting.shared": "A meeting is shared",
  "task.updated": "Tasks changed",
  "recording.failed": "A recording failed",
};

/** The choices of a webhook that most people leave as they are. */
export interface WebhookChoices {
  readonly events: readonly string[];
  readonly headerName: string;
  readonly headerPrefix: string;
}

/** Reads the choices of a webhook; those of a new one when it is absent. */
export const readChoices = (webhook?: Webhook): WebhookChoices => ({
  events: webhook?.events ?? ["meeting.completed"],
  headerName: webhook?.headerName ?? "",
  headerPrefix: webhook?.headerPrefix ?? "",
});

/** Writes the choices as the settings API takes them. An empty name leaves what it is. */
export const toInput = ({ events, headerName, headerPrefix }: WebhookChoices) => ({
  events: [...events] as WebhookEventName[],
  ...(headerName === "" ? {} : { headerName }),
  ...(headerPrefix === "" ? {} : { headerPrefix }),
});

/** The part of the form for events and header names. */
export function ChoiceFields({
  method,
  choices,
  onChange,
}: {
  method: Webhook["method"];
  choices: WebhookChoices;
  onChange: (choices: WebhookChoices) => void;
}) {
  return (
    <>
      <Checkbox.Group
        label="Events"
        value={[...choices.events]}
        onChange={(events) => onChange({ ...choices, events })}
      >
        <Stack gap={6} mt={6}>
          {Object.entries(EVENTS).map(([event, label]) => (
            <Checkbox key={event} value={event} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        label="Header name"
        description={`The header that carries the ${method === "signature" ? "signature" : "secret"}.`}
        value={choices.headerName}
        placeholder={method === "signature" ? "x-service-signature" : "x-service-api-key"}
        onChange={(event) => onChange({ ...choices, headerName: event.currentTarget.value })}
      />
      <TextInput
        label="Prefix of the other headers"
        description="The names of the headers for event and delivery begin with it."
        value={choices.headerPrefix}
        placeholder="service-"
        onChange={(event) => onChange({ ...choices, headerPrefix: event.currentTarget.value })}
      />
    </>
  );
}
