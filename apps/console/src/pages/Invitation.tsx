import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { identity, identityClient } from "../api/clients";
import { forgetToken, keepToken } from "../api/kept-token";
import { leaveFor } from "../api/sign-out";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { Query } from "../components/Query";
import { useAction } from "../components/use-action";
import { useContractForm } from "../components/use-contract-form";

const enter = () => {
  forgetToken("invitation");
  location.replace("/meetings");
};

interface Invited {
  readonly workspaceName: string;
  readonly email: string | null;
  readonly forOther: boolean;
  readonly role: string;
  readonly returning: boolean;
  readonly joined: boolean;
  readonly sendsMail: boolean;
}

/** Accepts an invitation, `/invitation#<token>`: by moving into the workspace, or with a new account. */
export function Invitation() {
  const [token] = useState(() => keepToken("invitation"));
  useEffect(() => {
    // Removes the token from the address bar and the history.
    history.replaceState(null, "", location.pathname);
    // Another link in the same tab changes only the fragment.
    const reload = () => location.reload();
    addEventListener("hashchange", reload);
    return () => removeEventListener("hashchange", reload);
  }, []);
  const session = useQuery(identity.session.get.queryOptions({}));
  const invitation = useQuery({
    queryKey: ["invitation"],
    queryFn: () => identityClient.invitations.get.mutate({ token }),
    retry: false,
  });
  return (
    <EntryPage title="Invitation" heading="Your invitation">
      {invitation.isError && (
        <>
          <StepFailure error={invitation.error} />
          <Text size="sm">
            Ask the person who invited you for another link. If you have joined already,{" "}
            {session.data?.signedIn ? (
              <Anchor href="/meetings">go to your meetings</Anchor>
            ) : (
              <Anchor href="/sign-in">sign in</Anchor>
            )}
            .
          </Text>
        </>
      )}
      {!invitation.isError && (
        <Query query={invitation}>
          {(invited) => (
            <Query query={session}>
              {({ signedIn }) => {
                if (invited.joined) return <Joined {...invited} />;
                if (invited.forOther) return <ForOther {...invited} />;
                if (signedIn) return <Join token={token} {...invited} />;
                const Enter = invited.sendsMail ? ConfirmAddress : NewAccount;
                return <Enter token={token} {...invited} />;
              }}
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
    Its admins can create keys that read the meetings you record.
  </Text>
);

/** Tells a member that there is nothing to accept. The link keeps working for somebody else. */
function Joined({ workspaceName }: Invited) {
  useEffect(() => forgetToken("invitation"), []);
  return (
    <>
      <Text size="sm">
        You are already a member of <strong>{workspaceName}</strong>.
      </Text>
      <Anchor href="/meetings" size="sm">
        Go to your meetings
      </Anchor>
    </>
  );
}

/** Tells a person who is signed in with another address. The link stays in this tab for after they sign out. */
function ForOther(invited: Invited) {
  const signOut = useAction(() => identityClient.session.end.mutate({}), {
    failure: "Could not sign out",
    onFailure: () => true,
    onSuccess: () => leaveFor("/invitation"),
  });
  return (
    <Stack>
      <Offer {...invited} />
      <Text size="sm">
        The invitation is for <strong>{invited.email}</strong>, but you are signed in with another e-mail
        address. If this is your address too, sign out and go on with it. Otherwise, ask for an invitation to
        the address that you sign in with.
      </Text>
      <StepFailure error={signOut.error} />
      <Button loading={signOut.isPending} onClick={() => signOut.run()}>
        Sign out and continue
      </Button>
      <Anchor href="/meetings" size="sm">
        Not now
      </Anchor>
    </Stack>
  );
}

function Join({ token, ...invited }: Invited & { token: string }) {
  const accept = useAction(() => identityClient.invitations.accept.mutate({ token }), {
    failure: "Could not join the workspace",
    onFailure: () => true,
    onSuccess: enter,
  });
  return (
    <Stack>
      <Offer {...invited} />
      <Text size="sm">
        Your meetings move into this workspace with you. You leave your current workspace, and everything
        shared there is unshared.
      </Text>
      <StepFailure error={accept.error} />
      <Button loading={accept.isPending} onClick={() => accept.run()}>
        Join {invited.workspaceName}
      </Button>
      <Anchor href="/meetings" size="sm">
        Not now
      </Anchor>
    </Stack>
  );
}

const SignInFirst = () => (
  <Text size="sm">
    Already have an account?{" "}
    <Anchor href="/sign-in?to=%2Finvitation" size="sm">
      Sign in first
    </Anchor>
  </Text>
);

/** Asks for the address that another link is mailed to, because somebody else has seen this one. */
function ConfirmAddress({ token, ...invited }: Invited & { token: string }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useContractForm({
    schema: ({ IdentityInput }) =>
      invited.email === null ? IdentityInput.acceptance.required({ email: true }) : IdentityInput.acceptance,
    initial: { email: "" },
    toInput: ({ email }) => (invited.email === null ? { token, email } : { token }),
    send: async (input) => {
      await identityClient.invitations.accept.mutate(input);
      setSentTo(invited.email ?? input.email ?? "");
    },
    failure: "Could not send the e-mail",
    failsInline: true,
    onSuccess: () => forgetToken("invitation"),
  });
  if (sentTo !== null)
    return (
      <Text size="sm">
        We sent a link to <strong>{sentTo}</strong>. Open it to join {invited.workspaceName}. This page's link
        no longer works.
      </Text>
    );
  return (
    <form {...form.props}>
      <Stack>
        <Offer {...invited} />
        <SignInFirst />
        <StepFailure error={form.failed} />
        {invited.email === null ? (
          <TextInput
            label="Your e-mail"
            description="We send you a link to confirm it."
            type="email"
            autoComplete="username"
            {...form.getInputProps("email")}
          />
        ) : (
          <Text size="sm">
            The invitation is for <strong>{invited.email}</strong>. We send a link there to confirm that it is
            yours.
          </Text>
        )}
        <Button type="submit" loading={form.isPending}>
          Send me the link
        </Button>
      </Stack>
    </form>
  );
}

function NewAccount({ token, ...invited }: Invited & { token: string }) {
  const form = useContractForm({
    schema: ({ IdentityInput }) =>
      IdentityInput.acceptance.required({
        name: true,
        password: true,
        ...(invited.email ? {} : { email: true }),
      }),
    initial: { email: "", name: "", password: "" },
    toInput: ({ email, ...values }) => ({ token, ...values, ...(invited.email ? {} : { email }) }),
    send: identityClient.invitations.accept.mutate,
    failure: "Could not join the workspace",
    failsInline: true,
    onSuccess: enter,
  });
  return (
    <form {...form.props}>
      <Stack>
        <Offer {...invited} />
        <SignInFirst />
        <StepFailure error={form.failed} />
        {invited.email === null ? (
          <TextInput
            label="Your e-mail"
            type="email"
            autoComplete="username"
            {...form.getInputProps("email")}
          />
        ) : (
          <TextInput label="Your e-mail" autoComplete="username" value={invited.email} readOnly />
        )}
        <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
        <PasswordInput
          label="Password"
          description="At least 12 characters."
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={form.isPending}>
          Join {invited.workspaceName}
        </Button>
      </Stack>
    </form>
  );
}
