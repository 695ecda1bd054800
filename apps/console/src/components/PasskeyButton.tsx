import { Button } from "@mantine/core";
import { signInWithPasskey } from "../api/passkeys";
import { StepFailure } from "./EntryPage";
import { useAction } from "./use-action";

/** Signs in with a passkey. `signIn` can turn a refusal into another error. */
export function PasskeyButton(props: {
  label: string;
  signIn?: () => Promise<unknown>;
  onDone: () => void | Promise<void>;
}) {
  const { label, signIn = signInWithPasskey, onDone } = props;
  const action = useAction(signIn, {
    failure: "Could not sign in with a passkey",
    onFailure: () => true,
    onSuccess: onDone,
  });
  return (
    <>
      <StepFailure error={action.error} />
      <Button variant="default" loading={action.isPending} onClick={() => action.run()}>
        {label}
      </Button>
    </>
  );
}
