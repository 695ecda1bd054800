import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identity, identityClient } from "../api/clients";
import { forgetToken, keepToken } from "../api/kept-token";
import { getStatus } from "../api/transport";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { Query } from "../components/Query";
import { useContractForm } from "../components/use-contract-form";
import { LinkCommand } from "./sign-in/DeadLink";

/** Creates the first workspace and its admin with the one-time link printed at startup, `/setup#<token>`. */
export function Setup() {
  const [token] = useState(() => keepToken("setup"));
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  // Stays as it is while somebody else sets up the installation: the answer to the form says that.
  const session = useQuery({ ...identity.session.get.queryOptions({}), staleTime: Number.POSITIVE_INFINITY });
  return (
    <EntryPage title="Set up" heading="Set up Minutes">
      <Query query={session}>
        {({ firstStep, ways, command }) =>
          firstStep !== "setup" ? (
            <Text size="sm">
              Minutes is set up already. <Anchor href="/sign-in">Sign in</Anchor>
            </Text>
          ) : token === "" ? (
            <NoSetupLink command={command} />
          ) : (
            <SetupForm token={token} withPassword={ways.password || !ways.magicLink} command={command} />
          )
        }
      </Query>
    </EntryPage>
  );
}

/** Says how to get another set-up link. */
const NoSetupLink = ({ command }: { command: string }) => (
  <>
    <Text size="sm">
      Restart the server: it prints another set-up link. If an account exists already, sign in to it instead.
    </Text>
    <LinkCommand command={command} email={null} />
  </>
);

interface FormProps {
  readonly token: string;
  readonly withPassword: boolean;
  readonly command: string;
}

function SetupForm({ token, withPassword, command }: FormProps) {
  const form = useContractForm({
    schema: ({ IdentityInput }) => IdentityInput.setup,
    initial: { workspaceName: "", name: "", email: "", password: "" },
    toInput: ({ password, ...rest }) => ({ token, ...rest, ...(withPassword ? { password } : {}) }),
    send: identityClient.setup.complete.mutate,
    failure: "Could not create the workspace",
    failsInline: true,
    onSuccess: () => {
      forgetToken("setup");
      location.replace("/meetings");
    },
  });
  if (getStatus(form.failed) === 401)
    return (
      <>
        <StepFailure error={form.failed} />
        <NoSetupLink command={command} />
      </>
    );
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm" c="dimmed">
          Create your workspace and its first admin.
        </Text>
        <StepFailure error={form.failed} />
        <TextInput
          label="Workspace name"
          autoComplete="organization"
          {...form.getInputProps("workspaceName")}
        />
        <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
        <TextInput
          label="Your e-mail"
          type="email"
          autoComplete="username"
          {...form.getInputProps("email")}
        />
        {withPassword ? (
          <PasswordInput
            label="Password"
            description="At least 12 characters."
            autoComplete="new-password"
            {...form.getInputProps("password")}
          />
        ) : (
          <Text size="sm">You sign in with links that we send to this address.</Text>
        )}
        <Button type="submit" loading={form.isPending}>
          Create the workspace
        </Button>
      </Stack>
    </form>
  );
}
