import {
  Alert,
  Anchor,
  Button,
  Center,
  Divider,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { identity } from "../api/clients";
import { getSentence } from "../api/transport";
import { Query } from "../components/Query";

const route = getRouteApi("/sign-in");

/** The page to go to after sign-in: a path of this site, or the meetings. */
function toOwnPath(to: string | undefined): string {
  const url = new URL(to ?? "/meetings", location.origin);
  return url.origin === location.origin ? url.pathname + url.search : "/meetings";
}

/** Signs in with a password, a link by e-mail, or a one-time link (`/sign-in#<token>`). */
export function SignIn() {
  const { to } = route.useSearch();
  const enter = () => location.replace(toOwnPath(to));
  const session = useQuery(identity.session.get.queryOptions({}));
  const useLink = useMutation(identity.link.use.mutationOptions({ onSuccess: enter }));
  const { mutate } = useLink;
  useEffect(() => {
    const token = location.hash.slice(1);
    if (token === "") return;
    // The token leaves the address bar and the history before it is used.
    history.replaceState(null, "", location.pathname + location.search);
    mutate({ token });
  }, [mutate]);
  return (
    <Center mih="100dvh" p="md" component="main">
      <title>Sign in · Minutes</title>
      <Paper withBorder p="lg" w={400} maw="100%">
        <Stack>
          <Title order={1} size="h2">
            Sign in to Minutes
          </Title>
          {useLink.isError && (
            <Alert color="red" role="alert">
              {getSentence(useLink.error)}
            </Alert>
          )}
          <Query query={session}>
            {({ needsSetup, ways }) =>
              needsSetup ? (
                <Text size="sm">
                  Nobody can sign in yet. Open the one-time link that the server printed when it started, or
                  run <code>pnpm minutes login &lt;e-mail&gt;</code> on its machine.
                </Text>
              ) : (
                <>
                  {ways.password && <PasswordForm onDone={enter} />}
                  {ways.password && ways.magicLink && <Divider label="or" />}
                  {ways.magicLink && <MagicLinkForm />}
                  {ways.oidc && (
                    <Anchor href="/identity/v1/oidc/start">Sign in with your company's account</Anchor>
                  )}
                </>
              )
            }
          </Query>
        </Stack>
      </Paper>
    </Center>
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
        {signIn.isError && (
          <Alert color="red" role="alert">
            {getSentence(signIn.error)}
          </Alert>
        )}
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
        {request.isError && (
          <Alert color="red" role="alert">
            {getSentence(request.error)}
          </Alert>
        )}
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
