import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { identity, identityClient } from "../../api/clients";
import { EntryPage, StepFailure } from "../../components/EntryPage";
import { Query } from "../../components/Query";
import { useAction } from "../../components/use-action";
import { DeadLink } from "./DeadLink";

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
  const use = useAction(() => identityClient.link.use.mutate({ token }), {
    failure: "Could not sign in",
    onFailure: () => true,
    onSuccess: ({ invitation }) => (invitation ? location.replace(`/invitation#${invitation}`) : onDone()),
  });
  const failure = use.error ?? link.error;
  const session = useQuery(identity.session.get.queryOptions({}));
  const isSignedIn = session.data?.signedIn === true;
  const mailsLinks = session.data?.ways.magicLink === true;
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
                <Button loading={use.isPending || use.output !== undefined} onClick={() => use.run()}>
                  Sign in as {email}
                </Button>
              </Stack>
            )}
          </Query>
        )}
        {failure && session.data && <DeadLink {...session.data} mailsLinks={mailsLinks} />}
        <Button variant="default" onClick={onLeave}>
          {isSignedIn
            ? "Stay signed in"
            : failure && mailsLinks
              ? "Request a new link"
              : "Use another way to sign in"}
        </Button>
      </Stack>
    </EntryPage>
  );
}
