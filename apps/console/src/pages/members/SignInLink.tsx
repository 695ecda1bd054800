import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { settingsClient } from "../../api/clients";
import { CopyLine } from "../../components/actions";
import { Dialog } from "../../components/Dialog";
import { useAction } from "../../components/use-action";

interface Member {
  readonly userId: string;
  readonly name: string;
}

/** Creates a link that signs a member in once, and shows it until the dialog is closed. */
export function SignInLink({ member }: { member: Member }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={open}
        aria-haspopup="dialog"
        aria-label={`Create sign-in link for ${member.name}`}
      >
        Create sign-in link
      </Button>
      <Dialog opened={opened} onClose={close} title={`Sign-in link for ${member.name}`}>
        <NewLink member={member} />
      </Dialog>
    </>
  );
}

function NewLink({ member: { userId, name } }: { member: Member }) {
  const create = useAction(() => settingsClient.members.createSignInLink.mutate({ userId }), {
    failure: "Could not create a sign-in link",
  });
  if (create.output)
    return (
      <Stack>
        <Text size="sm">
          Send it only to {name}. Anyone who opens it is signed in as {name}. It works once, expires in 15
          minutes and won’t be shown again.
        </Text>
        <CopyLine label="sign-in link" value={`${location.origin}/sign-in#${create.output.token}`} />
      </Stack>
    );
  return (
    <Stack>
      <Text size="sm">
        The link signs {name} in without a password. The audit log will say that you created it.
      </Text>
      <Button loading={create.isPending} onClick={() => create.run()} data-autofocus>
        Create link
      </Button>
    </Stack>
  );
}
