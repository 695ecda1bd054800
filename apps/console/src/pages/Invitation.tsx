import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identity, identityClient } from "../api/clients";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { Query } from "../components/Query";

/** Keeps the token in this tab while the person signs in first. */
const KEPT = "invitation";

function readToken(): string {
  const token = location.hash.slice(1);
  if (token !== "") sessionStorage.setItem(KEPT, token);
  return token || (sessionStorage.getItem(KEPT) ?? "");
}

const enter = () => {
  sessionStorage.removeItem(KEPT);
  location.replace("/meetings");
};

interface Invited {
  readonly workspaceName: string;
  readonly email: string | null;
  readonly role: string;
}

/** Accepts an invitation, `/invitation#<token>`: by moving into the workspace, or with a new account. */
export function Invitation() {
  const [token] = useState(readToken);
  // The token leaves the address bar and the history.
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

const Offer = ({ workspaceName, role }: Invited) => (
  <Text size="sm">
    You are invited to <strong>{workspaceName}</strong> as {role === "admin" ? "an admin" : "a member"}. Its
    admins will see the meetings that you record.
  </Text>
);

function Join({ token, ...invited }: Invited & { token: string }) {
  const accept = useMutation(identity.invitations.accept.mutationOptions({ onSuccess: enter }));
  return (
    <Stack>
      <Offer {...invited} />
      <Text size="sm">
        Your meetings move into this workspace with you. You leave the workspace that you are in; shares there
        end.
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
  const [fields, setFields] = useState({ email: "", name: "", password: "" });
  const accept = useMutation(identity.invitations.accept.mutationOptions({ onSuccess: enter }));
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
    required: true,
  });
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
          You have an account?{" "}
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
          description="12 characters at least."
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
