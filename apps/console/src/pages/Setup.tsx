import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identity } from "../api/clients";
import { EntryPage, StepFailure } from "../components/EntryPage";

/** Makes the first workspace and its admin with the one-time link that the start printed, `/setup#<token>`. */
export function Setup() {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const [fields, setFields] = useState({ workspaceName: "", name: "", email: "", password: "" });
  const setup = useMutation(
    identity.setup.complete.mutationOptions({ onSuccess: () => location.replace("/meetings") }),
  );
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
    required: true,
  });
  return (
    <EntryPage title="Set up" heading="Set up Minutes">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setup.mutate({ token, ...fields });
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            This makes your workspace and its first admin.
          </Text>
          <StepFailure error={setup.error} />
          <TextInput label="Name of the workspace" autoComplete="organization" {...field("workspaceName")} />
          <TextInput label="Your name" autoComplete="name" {...field("name")} />
          <TextInput label="Your e-mail" type="email" autoComplete="username" {...field("email")} />
          <PasswordInput
            label="Password"
            description="12 characters at least."
            autoComplete="new-password"
            minLength={12}
            {...field("password")}
          />
          <Button type="submit" loading={setup.isPending}>
            Create the workspace
          </Button>
        </Stack>
      </form>
    </EntryPage>
  );
}
