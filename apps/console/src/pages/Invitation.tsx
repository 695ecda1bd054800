import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identity, identityClient } from "../api/clients";
import { forgetToken, keepToken } from "../api/kept-token";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { useTextFields } from "../components/fields";
import { Query } from "../components/Query";

const enter = () => {
  forgetToken("invitation");
  location.replace("/meetings");
};

interface Invited {
  readonly workspaceName: string;
  readonly email: string | null;
  readonly role: string;
  readonly returning: boolean;
}

/** Accepts an invitation, `/invitation#<token>`: by moving into the workspace, or with a new account. */
export function Invitation() {
  const [token] = useState(() => keepToken("invitation"));
  // Removes the token from the address bar and the history.
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const session = useQuery(identity.session.get.queryOptions({}));
  const invitation = useQuery({
    queryKey: ["invitation"],
    queryFn: () => identityClient.invitations.get.mutate({ token }),
    retry: false,
  });
  return (
    <EntryPage title="Invitation" heading="Your invitation">
      {invitation.isError && <StepFailure error={invitation.error} />}
      {!invitation.isError && (
        <Query query={invitation}>
          {(invited) => (
            <Query query={session}>
              {({ signedIn }) =>
                signedIn ? <Join token={token} {...invited} /> : <NewAccount token={token} {...invited} />
              }
            </Query>
          )}
        </Query>
      )}
    </EntryPage>
  );
}

const Offer = ({ workspaceName, role, returning }: Invited) => (
  <Text size="sm">
    {returning
      ? "Your e-mail address is now confirmed. Before that, the person who created this account joined"
      : "You are invited to"}{" "}
    <strong>{workspaceName}</strong> as {role === "admin" ? "an admin" : "a member"}.{" "}
    {returning && "Join again only if you know this workspace. "}
    Its admins will see the meetings that you record.
  </Text>
);

function Join({ token, ...invited }: Invited & { token: string }) {
  const accept = useMutation(identity.invitations.accept.mutationOptions({ onSuccess: enter }));
  return (
    <Stack>
      <Offer {...invited} />
      <Text size="sm">
        Your meetings move into this workspace with you. You leave your current workspace, and everything
        shared there is unshared.
      </Text>
      <StepFailure error={accept.error} />
      <Button loading={accept.isPending} onClick={() => accept.mutate({ token })}>
        Join {invited.workspaceName}
      </Button>
      <Anchor href="/meetings" size="sm">
        Not now
      </Anchor>
    </Stack>
  );
}

function NewAccount({ token, ...invited }: Invited & { token: string }) {
  const [fields, field] = useTextFields({ email: "", name: "", password: "" });
  const accept = useMutation(identity.invitations.accept.mutationOptions({ onSuccess: enter }));
  const { email, name, password } = fields;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate({ token, name, password, ...(invited.email === null ? { email } : {}) });
      }}
    >
      <Stack>
        <Offer {...invited} />
        <Text size="sm">
          Already have an account?{" "}
          <Anchor href="/sign-in?to=%2Finvitation" size="sm">
            Sign in first
          </Anchor>
        </Text>
        <StepFailure error={accept.error} />
        {invited.email === null ? (
          <TextInput label="Your e-mail" type="email" autoComplete="username" {...field("email")} />
        ) : (
          <TextInput label="Your e-mail" autoComplete="username" value={invited.email} readOnly />
        )}
        <TextInput label="Your name" autoComplete="name" {...field("name")} />
        <PasswordInput
          label="Password"
          description="At least 12 characters."
          autoComplete="new-password"
          minLength={12}
          {...field("password")}
        />
        <Button type="submit" loading={accept.isPending}>
          Join {invited.workspaceName}
        </Button>
      </Stack>
    </form>
  );
}
