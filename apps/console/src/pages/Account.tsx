import { Badge, Button, Group, PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page, Section } from "../components/states";
import { Timestamp } from "../components/times";
import { useAction } from "../components/use-action";
import { useContractForm } from "../components/use-contract-form";
import { describeBrowser } from "../components/words";
import { Apps } from "./account/Apps";
import { Calendar } from "./account/Calendar";
import { CompanyAccounts } from "./account/CompanyAccounts";
import { Digests } from "./account/Digests";
import { LeaveWorkspace } from "./account/LeaveWorkspace";
import { Passkeys } from "./account/Passkeys";

const changes = [settings.account.pathKey()];

/** The person's name, password, passkeys, company account, calendar, e-mails, connected apps, sessions and workspace. */
export const Account = () => (
  <Page>
    <NameForm />
    <PasswordForm />
    <Passkeys />
    <CompanyAccounts />
    <Calendar />
    <Digests />
    <Apps />
    <Sessions />
    <LeaveWorkspace />
  </Page>
);

function NameForm() {
  const account = useAccount();
  const form = useContractForm({
    schema: ({ AccountInput }) => AccountInput.name,
    initial: { name: account.name },
    toInput: (values) => values,
    send: settingsClient.account.update.mutate,
    draft: "account/name",
    failure: "Could not change your name",
    success: "Name changed.",
    changes,
  });
  return (
    <Section title="Profile" about={`${account.email} · ${account.role} of ${account.workspaceName}`}>
      <form {...form.props}>
        <Group align="flex-end">
          <TextInput label="Name" autoComplete="name" {...form.getInputProps("name")} />
          <Button type="submit" variant="default" loading={form.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Section>
  );
}

function PasswordForm() {
  const { hasPassword } = useAccount();
  const form = useContractForm({
    schema: ({ AccountInput }) => AccountInput.password,
    initial: { current: "", password: "" },
    toInput: ({ current, password }) => ({ current: current === "" ? null : current, password }),
    send: settingsClient.account.setPassword.mutate,
    failure: "Could not change your password",
    success: "Password changed. Your other sessions are signed out.",
    changes,
  });
  return (
    <Section title="Password">
      <form {...form.props}>
        <Group align="flex-start">
          <PasswordInput
            label="Current password"
            description={hasPassword ? "The one you sign in with." : "Leave it empty: you have none yet."}
            autoComplete="current-password"
            w={240}
            {...form.getInputProps("current")}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters."
            autoComplete="new-password"
            w={240}
            {...form.getInputProps("password")}
          />
          <Button type="submit" variant="default" loading={form.isPending} mt={45}>
            Change
          </Button>
        </Group>
      </form>
    </Section>
  );
}

function Sessions() {
  const sessions = useQuery(settings.account.listSessions.queryOptions({}));
  const end = useAction((sessionId: string) => settingsClient.account.endSession.mutate({ sessionId }), {
    failure: "Could not end the session",
    success: "Session ended.",
    changes,
  });
  return (
    <Section title="Sessions" about="Browsers and command lines that are signed in as you.">
      <Query query={sessions}>
        {({ sessions: list }) => (
          <DataTable columns={["Device", "Network", "Signed in", "Last used", "Actions"]}>
            {list.map((session) => (
              <DataRow key={session.id}>
                <span title={session.label ?? undefined}>
                  {session.label === null ? "Command line" : describeBrowser(session.label)}{" "}
                  {session.current && <Badge>This session</Badge>}
                </span>
                {session.network ?? "unknown"}
                <Timestamp at={session.createdAt} size="sm" />
                <Timestamp at={session.lastUsedAt} size="sm" />
                {!session.current && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={end.isPending && end.input === session.id}
                    onClick={() => end.run(session.id)}
                  >
                    Sign out
                  </Button>
                )}
              </DataRow>
            ))}
          </DataTable>
        )}
      </Query>
    </Section>
  );
}
