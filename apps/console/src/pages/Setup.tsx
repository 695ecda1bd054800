import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identity } from "../api/clients";
import { forgetToken, keepToken } from "../api/kept-token";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { useTextFields } from "../components/fields";

/** Creates the first workspace and its admin with the one-time link printed at startup, `/setup#<token>`. */
export function Setup() {
  const [token] = useState(() => keepToken("setup"));
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const [fields, field] = useTextFields({ workspaceName: "", name: "", email: "", password: "" });
  const session = useQuery(identity.session.get.queryOptions({}));
  const withPassword = !session.data || session.data.ways.password || !session.data.ways.magicLink;
  const setup = useMutation(
    identity.setup.complete.mutationOptions({
      onSuccess: () => {
        forgetToken("setup");
        location.replace("/meetings");
      },
    }),
  );
  return (
    <EntryPage title="Set up" heading="Set up Minutes">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { password, ...rest } = fields;
          setup.mutate({ token, ...rest, ...(withPassword ? { password } : {}) });
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            Create your workspace and its first admin.
          </Text>
          <StepFailure error={setup.error} />
          <TextInput label="Workspace name" autoComplete="organization" {...field("workspaceName")} />
          <TextInput label="Your name" autoComplete="name" {...field("name")} />
          <TextInput label="Your e-mail" type="email" autoComplete="username" {...field("email")} />
          {withPassword ? (
            <PasswordInput
              label="Password"
              description="At least 12 characters."
              autoComplete="new-password"
              minLength={12}
              {...field("password")}
            />
          ) : (
            <Text size="sm">You sign in with links that we send to this address.</Text>
          )}
          <Button type="submit" loading={setup.isPending}>
            Create the workspace
          </Button>
        </Stack>
      </form>
    </EntryPage>
  );
}
