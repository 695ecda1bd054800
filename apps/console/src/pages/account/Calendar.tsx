import { Alert, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import type { CalendarFault, CalendarState } from "@minutes/contract";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { Section } from "../../components/states";
import { formatDateTime, Timestamp } from "../../components/times";
import { useContractForm } from "../../components/use-contract-form";

const POLL = 5_000;
/** Time in ms after which a new calendar is read, unless its user had their share of the time. */
const SOON = 60_000;

/** Why a calendar can't be read, and what helps. */
const FAULTS: Readonly<Record<CalendarFault, string>> = {
  blocked: "Its address is private. Ask the operator to allow it.",
  connection: "Its server doesn't answer. If that stays so, copy the address again.",
  status: "Its server refuses the address. Copy it again: it may have been reset.",
  redirect: "Its address leads to another one. Enter that one.",
  tooLarge: "It is larger than 5 MB. Publish a shorter period.",
  notCalendar:
    "The address answers with something else than a calendar. Copy the ICS link, not the HTML link.",
  tooComplex: "It has too many repetitions. Publish a shorter period.",
  key: "The installation can't decrypt its address any more. Enter it again.",
};

const changes = [settings.calendar.pathKey()];

/** Subscribes to a calendar by its address; renders nothing where addresses can't be encrypted. */
export function Calendar() {
  const { data } = useQuery({
    ...settings.calendar.get.queryOptions({}),
    // A new calendar is read within seconds.
    refetchInterval: ({ state }) => {
      const calendar = state.data?.calendar;
      return calendar && calendar.syncedAt === null && calendar.fault === null ? POLL : false;
    },
  });
  if (!data?.available) return null;
  return (
    <Section
      id="calendar"
      title="Calendar"
      about="Fills the title, times and invited people of your meetings from the events of your calendar."
    >
      {data.calendar && <Subscription calendar={data.calendar} />}
      <AddressForm isReplaced={data.calendar !== null} />
    </Section>
  );
}

function Subscription({ calendar }: { calendar: NonNullable<CalendarState["calendar"]> }) {
  const { host, syncedAt, fault, dueAt, events } = calendar;
  return (
    <Stack gap="xs" align="flex-start">
      <Group gap="sm">
        <Text className="wrap-anywhere">{host}</Text>
        <ConfirmButton
          label="Remove"
          title={`Remove the calendar at ${host}?`}
          confirm="Remove"
          failure="Could not remove the calendar"
          success="Calendar removed."
          changes={changes}
          act={() => settingsClient.calendar.delete.mutate({})}
        >
          Its address and events are deleted. Meetings keep what they have from it.
        </ConfirmButton>
      </Group>
      {fault !== null && (
        <Alert color="red" title="This calendar can't be read">
          {FAULTS[fault]}
        </Alert>
      )}
      <Text size="sm" c="dimmed" component="div" role="status">
        {syncedAt === null && fault === null ? (
          Date.parse(dueAt) > Date.now() + SOON ? (
            `It will be read at ${formatDateTime(dueAt)}, because your previous calendar took long to read.`
          ) : (
            "It is read within seconds."
          )
        ) : (
          <>
            {syncedAt === null ? (
              "Not read yet."
            ) : (
              <>
                Read <Timestamp at={syncedAt} />: {events === 1 ? "1 event" : `${events} events`}.
              </>
            )}{" "}
            {fault === null ? "Next" : "Next try"}: {formatDateTime(dueAt)}.
          </>
        )}
      </Text>
    </Stack>
  );
}

function AddressForm({ isReplaced }: { isReplaced: boolean }) {
  const form = useContractForm({
    schema: ({ setCalendar }) => setCalendar.input,
    initial: { url: "" },
    toInput: ({ url }) => ({ url }),
    send: settingsClient.calendar.set.mutate,
    failure: "Could not subscribe to the calendar",
    success: "Calendar saved.",
    changes,
  });
  return (
    <form {...form.props}>
      <Group align="flex-start">
        <PasswordInput
          label={isReplaced ? "Another secret address" : "Secret address"}
          description="In iCal format, from your calendar's settings. It is never shown again."
          autoComplete="off"
          w={440}
          maw="100%"
          {...form.getInputProps("url")}
        />
        <Button type="submit" variant="default" loading={form.isPending} mt={45}>
          {isReplaced ? "Replace" : "Subscribe"}
        </Button>
      </Group>
    </form>
  );
}
