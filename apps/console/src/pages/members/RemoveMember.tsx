import { Button, Checkbox, Code, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { settings, settingsClient } from "../../api/clients";
import { Dialog } from "../../components/Dialog";
import { Query } from "../../components/Query";
import { useAction } from "../../components/use-action";
import { describeCredential } from "../../components/words";

interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

/** Removes a member, after showing how many meetings leave with them and what they created for the workspace. */
export function RemoveMember({ member }: { member: Member }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={open}
        aria-haspopup="dialog"
        aria-label={`Remove ${member.name}`}
      >
        Remove
      </Button>
      <Dialog opened={opened} onClose={close} title={`Remove ${member.name}?`}>
        <Removal member={member} close={close} />
      </Dialog>
    </>
  );
}

function Removal({ member: { userId, email }, close }: { member: Member; close: () => void }) {
  const preview = useQuery(settings.members.previewRemoval.queryOptions({ userId }));
  const created = useQuery(settings.members.credentials.queryOptions({ userId }));
  const [revokeCredentials, setRevoke] = useState(true);
  const remove = useAction(
    (revoke: boolean) => settingsClient.members.remove.mutate({ userId, revokeCredentials: revoke }),
    {
      failure: "Could not remove the member",
      success: "Member removed.",
      changes: [settings.members.pathKey()],
      onSuccess: close,
    },
  );
  return (
    <Stack>
      <Query query={preview}>{(leaving) => <Leaving {...leaving} email={email} />}</Query>
      <Text size="sm">
        Everything they share or that is shared with them is unshared, and they are signed out. Nothing is
        deleted.
      </Text>
      <CreatedCredentials userId={userId} revokes={revokeCredentials} setRevokes={setRevoke} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red.9"
          loading={remove.isPending}
          disabled={!created.data || !preview.data}
          onClick={() => remove.run(revokeCredentials && (created.data?.credentials.length ?? 0) > 0)}
        >
          Remove
        </Button>
      </Group>
    </Stack>
  );
}

/** Says how many meetings leave, and how to keep a copy: only their owner and the operator can export them. */
const Leaving = ({ meetings, held, email }: { meetings: number; held: number; email: string }) =>
  meetings === 0 ? (
    <Text size="sm">They have no meetings here.</Text>
  ) : (
    <Text size="sm">
      <strong>
        {meetings === 1 ? "Their meeting leaves" : `Their ${meetings.toLocaleString("en")} meetings leave`}{" "}
        the workspace with them.
      </strong>{" "}
      {held > 0 && `On hold: ${held.toLocaleString("en")}. `}
      To keep a copy, ask them to export {meetings === 1 ? "it" : "them"} under Meetings first, or the
      operator to run <Code>minutes export --user {email}</Code>.
    </Text>
  );

type Credentials = readonly { id: string; kind: string; name: string }[];

interface RevokesProps {
  readonly revokes: boolean;
  readonly setRevokes: (revokes: boolean) => void;
}

/** Lists what a member created for the workspace, and asks whether to revoke it. */
export function CreatedCredentials({ userId, ...props }: RevokesProps & { readonly userId: string }) {
  const created = useQuery(settings.members.credentials.queryOptions({ userId }));
  return <Query query={created}>{({ credentials }) => <Revocation list={credentials} {...props} />}</Query>;
}

function Revocation(props: RevokesProps & { readonly list: Credentials }) {
  const invitations = props.list.filter(({ kind }) => kind === "invitation");
  const others = props.list.filter(({ kind }) => kind !== "invitation");
  return (
    <Stack gap="xs">
      {invitations.length > 0 && (
        <>
          <Text size="sm">Their open invitations are revoked:</Text>
          <Created list={invitations} />
        </>
      )}
      {others.length > 0 && (
        <>
          <Text size="sm">They created these for the workspace and may have kept a copy:</Text>
          <Created list={others} />
          <Checkbox
            label="Revoke these keys and delete these webhooks"
            checked={props.revokes}
            onChange={(event) => props.setRevokes(event.currentTarget.checked)}
          />
        </>
      )}
    </Stack>
  );
}

const Created = ({ list }: { list: Credentials }) => (
  <List size="sm">
    {list.map(({ id, kind, name }) => (
      <List.Item key={id}>
        {describeCredential(kind)} “{name}”
      </List.Item>
    ))}
  </List>
);
