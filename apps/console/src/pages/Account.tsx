import {
  Badge,
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
  useMantineColorScheme,
} from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../api/account";
import { identityClient, queryClient, settings } from "../api/clients";
import { discardDrafts, useDraft } from "../api/drafts";
import { tell, tellFailure } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page } from "../components/states";
import { When } from "../components/times";
import { CompanyAccounts } from "./account/CompanyAccounts";
import { Passkeys } from "./account/Passkeys";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.account.pathKey() });

/** The person's name, password, passkeys, company account, sessions and appearance. */
export function Account() {
  const signOut = async () => {
    await identityClient.session.end.mutate({});
    discardDrafts();
    location.assign("/sign-in");
  };
  return (
    <Page
      title="Account"
      actions={
        <Button variant="default" onClick={() => void signOut().catch(tellFailure)}>
          Sign out
        </Button>
      }
    >
      <NameForm />
      <PasswordForm />
      <Passkeys />
      <CompanyAccounts />
      <Sessions />
      <Appearance />
    </Page>
  );
}

function NameForm() {
  const account = useAccount();
  const { fields, change, discard } = useDraft("account/name", { name: account.name });
  const save = useMutation(
    settings.account.setName.mutationOptions({
      onSuccess: async () => {
        await refresh();
        discard();
        tell("Your name is changed.");
      },
      onError: tellFailure,
    }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(fields);
      }}
    >
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          {account.email} · {account.role} of {account.workspaceName}
        </Text>
        <Group align="flex-end">
          <TextInput
            label="Name"
            autoComplete="name"
            value={fields.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            required
          />
          <Button type="submit" variant="default">
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const save = useMutation(
    settings.account.setPassword.mutationOptions({
      onSuccess: async () => {
        setCurrent("");
        setNext("");
        await refresh();
        tell("Your password is changed. Your other sessions are signed out.");
      },
      onError: tellFailure,
    }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ current: current === "" ? null : current, password: next });
      }}
    >
      <Title order={2} size="h4">
        Password
      </Title>
      <Group align="flex-end">
        <PasswordInput
          label="Present password"
          description="Leave it empty if you have none yet."
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          w={240}
        />
        <PasswordInput
          label="New password"
          description="12 characters at least."
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
          minLength={12}
          required
          w={240}
        />
        <Button type="submit" variant="default" loading={save.isPending}>
          Change
        </Button>
      </Group>
    </form>
  );
}

function Sessions() {
  const sessions = useQuery(settings.account.sessions.queryOptions({}));
  const end = useMutation(
    settings.account.endSession.mutationOptions({ onSuccess: refresh, onError: tellFailure }),
  );
  return (
    <section aria-label="Sessions">
      <Title order={2} size="h4">
        Sessions
      </Title>
      <Query query={sessions}>
        {({ sessions: list }) => (
          <DataTable columns={["Signed in", "Last used", "Actions"]}>
            {list.map((session) => (
              <DataRow key={session.id}>
                <span>
                  <When at={session.createdAt} size="sm" /> {session.current && <Badge>this one</Badge>}
                </span>
                <When at={session.lastUsedAt} size="sm" />
                {!session.current && (
                  <Button size="xs" variant="default" onClick={() => end.mutate({ sessionId: session.id })}>
                    Sign out
                  </Button>
                )}
              </DataRow>
            ))}
          </DataTable>
        )}
      </Query>
    </section>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <section aria-label="Appearance">
      <Title order={2} size="h4" mb="xs">
        Appearance
      </Title>
      <SegmentedControl
        aria-label="Colours"
        value={colorScheme}
        onChange={(value) => setColorScheme(value as typeof colorScheme)}
        data={[
          { value: "auto", label: "As the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />
    </section>
  );
}
