import { Alert, Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { identity } from "../api/clients";
import { toOwnAddress } from "../api/own-address";
import { hasPasskeys, signInWithPasskey } from "../api/passkeys";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { Query } from "../components/Query";

const route = getRouteApi("/sign-in");

/** Why the company's provider signed nobody in, by the name that the server gives in the address. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: "This sign-in took too long or was begun in another browser. Try again.",
  unverified: "Your company's account has no verified e-mail address.",
  "no-account": "There is no account with your e-mail address. Ask an admin for an invitation.",
  "other-account": "This e-mail address belongs to another account. Sign in in another way, or ask an admin.",
  busy: "Too many sign-ins from your network. Try again in a minute.",
};
const PROVIDER_PROBLEM = "Your company's sign-in could not be reached or refused. Try again.";

/** Signs in with a password, a passkey, a company's account, a link by e-mail, or a one-time link (`/sign-in#<token>`). */
export function SignIn() {
  const { to, problem } = route.useSearch();
  const enter = () => location.replace(toOwnAddress(to));
  const session = useQuery(identity.session.get.queryOptions({}));
  const useLink = useMutation(identity.link.use.mutationOptions({ onSuccess: enter }));
  const { mutate } = useLink;
  useEffect(() => {
    const takeToken = () => {
      const token = location.hash.slice(1);
      if (token === "") return;
      // The token leaves the address bar and the history before it is used.
      history.replaceState(null, "", location.pathname + location.search);
      mutate({ token });
    };
    takeToken();
    // A link that is opened where this page is open already loads no new page.
    window.addEventListener("hashchange", takeToken);
    return () => window.removeEventListener("hashchange", takeToken);
  }, [mutate]);
  return (
    <EntryPage title="Sign in" heading="Sign in to Minutes">
      <StepFailure error={useLink.error} />
      {problem && (
        <Alert color="red" role="alert">
          {PROBLEMS[problem] ?? PROVIDER_PROBLEM}
        </Alert>
      )}
      <Query query={session}>
        {({ needsSetup, ways }) => (
          <>
            {needsSetup ? (
              <Text size="sm">
                Nobody can sign in yet. Open the one-time link that the server printed when it started, or run{" "}
                <code>pnpm minutes login &lt;e-mail&gt;</code> on its machine.
              </Text>
            ) : (
              <>
                {ways.password && <PasswordForm onDone={enter} />}
                {ways.password && (ways.passkey || ways.oidc || ways.magicLink) && <Divider label="or" />}
                {ways.passkey && hasPasskeys() && <PasskeyButton onDone={enter} />}
              </>
            )}
            {ways.oidc && (
              <Button
                component="a"
                variant="default"
                href={`/identity/v1/oidc/start${to ? `?to=${encodeURIComponent(to)}` : ""}`}
              >
                Sign in with your company's account
              </Button>
            )}
            {!needsSetup && ways.magicLink && <MagicLinkForm />}
          </>
        )}
      </Query>
    </EntryPage>
  );
}

function PasskeyButton({ onDone }: { onDone: () => void }) {
  const signIn = useMutation({ mutationFn: signInWithPasskey, onSuccess: onDone });
  return (
    <>
      <StepFailure error={signIn.error} />
      <Button variant="default" loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
    </>
  );
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation(identity.password.signIn.mutationOptions({ onSuccess: onDone }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ email, password });
      }}
    >
      <Stack>
        <StepFailure error={signIn.error} />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          required
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function MagicLinkForm() {
  const [email, setEmail] = useState("");
  const request = useMutation(identity.link.request.mutationOptions());
  if (request.isSuccess)
    return (
      <Text size="sm" role="status">
        If this address has an account, a link is on its way. It works once, for 15 minutes.
      </Text>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        request.mutate({ email });
      }}
    >
      <Stack>
        <StepFailure error={request.error} />
        <TextInput
          label="E-mail for a sign-in link"
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
        />
        <Button type="submit" variant="default" loading={request.isPending}>
          Send me a link
        </Button>
      </Stack>
    </form>
  );
}
