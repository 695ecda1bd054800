import { Alert, Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { identity, identityClient } from "../api/clients";
import { hasDrafts } from "../api/drafts";
import { toOwnAddress } from "../api/own-address";
import { hasPasskeys } from "../api/passkeys";
import { EntryPage, StepFailure } from "../components/EntryPage";
import { PasskeyButton } from "../components/PasskeyButton";
import { Query } from "../components/Query";
import { Loading } from "../components/states";
import { useContractForm } from "../components/use-contract-form";
import { LinkCommand } from "./sign-in/DeadLink";
import { LinkSignIn } from "./sign-in/LinkSignIn";

const route = getRouteApi("/sign-in");

/** Error messages of sign-in by a company account, by the code in the URL. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: "This sign-in expired or was started in another browser. Try again.",
  unverified: "Your company's account has no verified e-mail address.",
  "no-account": "No account has your e-mail address. Ask an admin for an invitation.",
  "other-account":
    "This e-mail address belongs to another account. Use another way to sign in, or ask an admin.",
  busy: "Too many sign-ins from your network. Try again in a minute.",
};
const PROVIDER_PROBLEM = "Could not sign in with your company's account. Try again.";

/** Reads the token of a one-time link; null without one. */
const readToken = (): string | null => location.hash.slice(1) || null;

/** Signs in with a password, a passkey, a company's account, a link by e-mail, or a one-time link (`/sign-in#<token>`). */
export function SignIn() {
  const { to, problem } = route.useSearch();
  const enter = () => location.replace(toOwnAddress(to));
  const session = useQuery(identity.session.get.queryOptions({}));
  const [token, leaveLink] = useLinkToken();
  // A page whose session was refused leads here with `to`: going back would repeat that.
  const isSignedIn = session.data?.signedIn === true && [token, problem, to].every((one) => one == null);
  useEffect(() => {
    if (isSignedIn) location.replace(toOwnAddress(undefined));
  }, [isSignedIn]);
  if (token !== null) return <LinkSignIn key={token} token={token} onDone={enter} onLeave={leaveLink} />;
  if (isSignedIn) return <Loading />;
  return (
    <EntryPage title="Sign in" heading="Sign in to Minutes">
      {problem && (
        <Alert color="red" role="alert">
          {PROBLEMS[problem] ?? PROVIDER_PROBLEM}
        </Alert>
      )}
      {to != null && hasDrafts() && (
        <Text size="sm" role="status">
          What you typed is not saved yet. It is kept in this tab, and shown again once you have signed in.
        </Text>
      )}
      {session.data?.signedIn === true && to != null && problem == null && (
        <>
          <Text size="sm">This browser is signed in, perhaps in another tab.</Text>
          <Button onClick={enter}>Continue</Button>
          <Divider label="or sign in again" />
        </>
      )}
      <Query query={session}>{(data) => <Ways session={data} to={to} onDone={enter} />}</Query>
    </EntryPage>
  );
}

/** Reads the token of a one-time link, and removes it from the address bar and the history. */
function useLinkToken() {
  const [token, setToken] = useState(readToken);
  useEffect(() => {
    const take = () => {
      const found = readToken();
      if (found === null) return;
      // Removes the token from the address bar and the history.
      history.replaceState(null, "", location.pathname + location.search);
      setToken(found);
    };
    take();
    // A link opened while this page is open changes only the fragment.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return [token, () => setToken(null)] as const;
}

type Session = Awaited<ReturnType<typeof identityClient.session.get.query>>;

interface WaysProps {
  readonly session: Session;
  /** Address to open after signing in. */
  readonly to: string | undefined;
  readonly onDone: () => void;
}

/** Offers the ways to sign in that this installation has. */
function Ways({ session: { firstStep, ways, sampleEmail, command }, to, onDone }: WaysProps) {
  return (
    <>
      {firstStep !== null ? (
        <>
          <Text size="sm">
            No account has a password yet.
            {(firstStep === "setup" || sampleEmail !== null) &&
              " Open the link that the server printed when it started."}
            {firstStep === "setup" &&
              " It works once and for a limited time; restart the server for another one."}
          </Text>
          <LinkCommand command={command} email={sampleEmail} />
        </>
      ) : (
        <>
          {ways.password && <PasswordForm onDone={onDone} />}
          {ways.password && (ways.passkey || ways.oidc || ways.magicLink) && <Divider label="or" />}
          {ways.passkey && hasPasskeys() && <PasskeyButton label="Sign in with a passkey" onDone={onDone} />}
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
      {firstStep === null &&
        (ways.magicLink ? (
          <MagicLinkForm />
        ) : (
          <details>
            <summary>No password, or forgotten?</summary>
            <Stack mt="xs">
              <LinkCommand command={command} email={sampleEmail} />
            </Stack>
          </details>
        ))}
    </>
  );
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const form = useContractForm({
    schema: ({ IdentityInput }) => IdentityInput.password,
    initial: { email: "", password: "" },
    toInput: (values) => values,
    send: identityClient.password.signIn.mutate,
    failure: "Could not sign in",
    failsInline: true,
    onSuccess: onDone,
  });
  return (
    <form {...form.props}>
      <Stack>
        <StepFailure error={form.failed} />
        <TextInput label="E-mail" type="email" autoComplete="username" {...form.getInputProps("email")} />
        <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps("password")} />
        <Button type="submit" loading={form.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function MagicLinkForm() {
  const form = useContractForm({
    schema: ({ IdentityInput }) => IdentityInput.linkRequest,
    initial: { email: "" },
    toInput: (values) => values,
    send: identityClient.link.request.mutate,
    failure: "Could not send a link",
    failsInline: true,
  });
  if (form.output)
    return (
      <Text size="sm" role="status">
        If this address has an account, we sent a sign-in link. It works once and expires in 15 minutes.
      </Text>
    );
  return (
    <form {...form.props}>
      <Stack>
        <StepFailure error={form.failed} />
        <TextInput
          label="E-mail for a sign-in link"
          type="email"
          autoComplete="email"
          {...form.getInputProps("email")}
        />
        <Button type="submit" variant="default" loading={form.isPending}>
          Send me a link
        </Button>
      </Stack>
    </form>
  );
}
