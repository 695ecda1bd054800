import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { DataRow, DataTable } from "../../components/DataTable";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";

/** The rights of apps in words. */
const RIGHTS: Readonly<Record<string, string>> = {
  "meetings:read": "read meetings",
  "tasks:write": "change tasks",
  "meetings:write": "correct meetings",
  "meetings:delete": "delete meetings",
  "workspace:read": "read all meetings of the workspace",
};

/** Lists the apps that the user connected by sign-in; renders nothing if there are none. */
export function Apps() {
  const { data } = useQuery(settings.account.listApps.queryOptions({}));
  if (!data || data.apps.length === 0) return null;
  return (
    <Section title="Connected apps" about="Assistants that act for you.">
      <DataTable columns={["App", "Allowed to", "Connected", "Last used", "Actions"]}>
        {data.apps.map(({ id, name, host, scopes, createdAt, lastUsedAt }) => (
          <DataRow key={id}>
            <Stack gap={0}>
              <span>{name}</span>
              <Text size="sm" c="dimmed">
                {host}
              </Text>
            </Stack>
            {scopes.map((scope) => RIGHTS[scope]).join(", ")}
            <Timestamp at={createdAt} size="sm" />
            {lastUsedAt === null ? "never" : <Timestamp at={lastUsedAt} size="sm" />}
            <ConfirmButton
              label="Disconnect"
              title={`Disconnect ${name}?`}
              confirm="Disconnect"
              failure="Could not disconnect the app"
              success="App disconnected."
              changes={[settings.account.listApps.queryKey()]}
              act={() => settingsClient.account.deleteApp.mutate({ appId: id })}
            >
              It can't do anything for you from then on. You can connect it again.
            </ConfirmButton>
          </DataRow>
        ))}
      </DataTable>
    </Section>
  );
}
