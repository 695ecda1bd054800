import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { identity, identityClient } from "../../api/clients";
import { CopyLine } from "../../components/actions";
import { EntryPage, StepFailure } from "../../components/EntryPage";
import { Query } from "../../components/Query";

interface LinkProps {
  readonly token: string;
  readonly onDone: () => void;
  /** Called to choose another way to sign in. */
  readonly onLeave: () => void;
}

/**
 * Asks before signing in with a one-time link. Mail scanners open links, so opening one must not use it,
 * and a stranger's link must not replace a session unnoticed.
 */
export function LinkSignIn({ token, onDone, onLeave }: LinkProps) {
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: () => identityClient.link.get.mutate({ token }),
    retry: false,
  });
  const use = useMutation(
    identity.link.use.mutationOptions({
      onSuccess: ({ invitation }) => (invitation ? location.replace(`/invitation#${invitation}`) : onDone()),
    }),
  );
  const failure = use.error ?? link.error;
  const session = useQuery(identity.session.get.queryOptions({}));
  const isSignedIn = session.data?.signedIn === true;
  return (
    <EntryPage title="Sign in" heading="Sign in to Minutes">
      <Stack>
        <StepFailure error={failure} />
        {!failure && (
          <Query query={link}>
            {({ email, replaces }) => (
              <Stack>
                <Text size="sm">
                  Sign in as <strong>{email}</strong>?
                </Text>
                {replaces !== null && (
                  <Text size="sm">
                    You are signed in as <strong>{replaces}</strong> in this browser and will be signed out.
                    Don't use this link unless you asked for it.
                  </Text>
                )}
                <Button loading={use.isPending || use.isSuccess} onClick={() => use.mutate({ token })}>
                  Sign in as {email}
                </Button>
              </Stack>
            )}
          </Query>
        )}
        {failure && session.data && !session.data.ways.magicLink && (
          <LinkCommand email={session.data.sampleEmail} />
        )}
        <Button variant="default" onClick={onLeave}>
          {isSignedIn ? "Stay signed in" : "Use another way to sign in"}
        </Button>
      </Stack>
    </EntryPage>
  );
}

/**
 * Says how to get another link on the server.
 * @param email of the sample's user; null without the sample
 */
export const LinkCommand = ({ email }: { email: string | null }) => (
  <Stack gap="xs">
    <Text size="sm">To get another link, run this on the server, or ask an admin to:</Text>
    <CopyLine value={`pnpm minutes login ${email ?? "<e-mail>"}`} label="command for a link" />
  </Stack>
);
