import { Anchor, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { identity, identityClient, settings, settingsClient } from "../api/clients";
import { toSignInPage } from "../api/own-address";
import { hasPasskeys, signInWithPasskey } from "../api/passkeys";
import { endSignIn } from "../api/sign-in-again";
import { createRefusal, getErrorMessage } from "../api/transport";
import { StepFailure } from "../components/EntryPage";
import { PasskeyButton } from "../components/PasskeyButton";
import { Query } from "../components/Query";
import { useContractForm } from "../components/use-contract-form";

/** Gives a refused sign-in another status than a call of somebody who is signed out, which leaves the page. */
const stay = (error: unknown): never => {
  throw createRefusal(getErrorMessage(error));
};

/** Asks for the password or a passkey of the person who is signed in. The page and what they typed stay. */
export default function SignInAgain() {
  const { userId, email, hasPassword } = useAccount();
  const session = useQuery(identity.session.get.queryOptions({}));
  const passkeys = useQuery(settings.account.listPasskeys.queryOptions({}));
  /** Goes on as the same person. A passkey can be somebody else's: then nothing of this page is theirs. */
  const goOn = async () => {
    const { userId: now } = await settingsClient.account.get.query({});
    if (now !== userId) location.reload();
    else endSignIn(true);
  };
  return (
    <Query query={session}>
      {({ ways }) => {
        const byPassword = ways.password && hasPassword;
        const byPasskey = ways.passkey && hasPasskeys() && (passkeys.data?.passkeys.length ?? 0) > 0;
        return (
          <Stack>
            <Text size="sm">You signed in a while ago. Confirm it to go on; what you typed is kept.</Text>
            {byPassword && <PasswordForm email={email} onDone={goOn} />}
            {byPasskey && (
              <PasskeyButton
                label="Use a passkey"
                signIn={() => signInWithPasskey().catch(stay)}
                onDone={goOn}
              />
            )}
            {!byPassword && !byPasskey && <Anchor href={toSignInPage()}>Go to the sign-in page</Anchor>}
          </Stack>
        );
      }}
    </Query>
  );
}

function PasswordForm({ email, onDone }: { email: string; onDone: () => Promise<void> }) {
  const form = useContractForm({
    schema: ({ IdentityInput }) => IdentityInput.password,
    initial: { password: "" },
    toInput: ({ password }) => ({ email, password }),
    send: (input) => identityClient.password.signIn.mutate(input).catch(stay),
    failure: "Could not sign in",
    failsInline: true,
    onSuccess: onDone,
  });
  return (
    <form {...form.props}>
      <Stack>
        <StepFailure error={form.failed} />
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={form.isPending}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}
