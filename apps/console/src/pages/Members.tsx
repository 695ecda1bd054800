import { Badge, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton, ConfirmDialog } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page } from "../components/states";
import { Timestamp } from "../components/times";
import { describeRole, ROLES } from "../components/words";
import { Invitations } from "./members/Invitations";
import { CreatedCredentials, RemoveMember } from "./members/RemoveMember";
import { RevokeCredentials } from "./members/RevokeCredentials";
import { SignInLink } from "./members/SignInLink";

/** Lists the members of the workspace; an admin invites people, sets roles, signs members out and removes them. */
export function Members() {
  const { role } = useAccount();
  const members = useQuery(settings.members.list.queryOptions({}));
  const admin = role === "admin";
  return (
    <Page>
      <Query query={members}>
        {({ members: list }) => (
          <DataTable columns={["Name", "E-mail", "Role", ...(admin ? ["Last active", "Actions"] : [])]}>
            {list.map((member) => (
              <MemberRow key={member.userId} member={member} />
            ))}
          </DataTable>
        )}
      </Query>
      {admin && <Invitations />}
      {admin && <RevokeCredentials />}
    </Page>
  );
}

type Member = Awaited<ReturnType<typeof settingsClient.members.list.query>>["members"][number];

function MemberRow({ member }: { member: Member }) {
  const { userId, role } = useAccount();
  const isSelf = member.userId === userId;
  const canManage = role === "admin" && !isSelf;
  return (
    <DataRow>
      <span>
        {member.name}{" "}
        {isSelf && (
          <Text span size="xs" c="dimmed">
            (you)
          </Text>
        )}
      </span>
      {member.email}
      {canManage ? (
        <RoleOf member={member} />
      ) : (
        <Badge color={member.role === "admin" ? "blue" : "gray"}>{describeRole(member.role)}</Badge>
      )}
      {member.lastActiveAt ? (
        <Timestamp at={member.lastActiveAt} size="sm" />
      ) : (
        // Browsers are forgotten 180 days after a sign-in.
        <Text size="sm" c="dimmed">
          Not yet, or over 180 days ago
        </Text>
      )}
      {canManage && (
        <Group gap="xs">
          <ConfirmButton
            label="Sign out"
            title={`Sign ${member.name} out everywhere?`}
            confirm="Sign out"
            failure="Could not sign the member out"
            success="Signed out everywhere."
            act={() => settingsClient.members.signOut.mutate({ userId: member.userId })}
          >
            All their sessions and one-time links end at once. Their keys keep working.
          </ConfirmButton>
          <SignInLink member={member} />
          <RemoveMember member={member} />
        </Group>
      )}
    </DataRow>
  );
}

/** Selects a member's role, and asks for confirmation before changing it; of an admin also what to revoke. */
function RoleOf({ member: { userId, name, role } }: { member: Member }) {
  const [asked, setAsked] = useState<Member["role"] | null>(null);
  const [revokes, setRevokes] = useState(true);
  const to = asked ?? role;
  const created = useQuery({
    ...settings.members.credentials.queryOptions({ userId }),
    enabled: asked === "member",
  });
  const close = () => {
    setAsked(null);
    setRevokes(true);
  };
  return (
    <>
      <NativeSelect
        aria-label={`Role of ${name}`}
        data={ROLES}
        value={to}
        onChange={(event) => setAsked(event.currentTarget.value as Member["role"])}
        w={120}
      />
      <ConfirmDialog
        opened={asked !== null}
        close={close}
        disabled={to === "member" && !created.data}
        title={to === "admin" ? `Make ${name} an admin?` : `Make ${name} a member?`}
        confirm={to === "admin" ? "Make admin" : "Make member"}
        failure="Could not change the role"
        success="Role changed."
        act={() =>
          settingsClient.members.setRole.mutate({
            userId,
            role: to,
            revokeCredentials: to === "member" && revokes && (created.data?.credentials.length ?? 0) > 0,
          })
        }
        changes={[settings.members.pathKey()]}
      >
        {to === "admin" ? (
          "Admins invite and remove members, and change the workspace's settings."
        ) : (
          <Stack>
            They can no longer manage members or the workspace's settings. Their meetings stay as they are.
            <CreatedCredentials userId={userId} revokes={revokes} setRevokes={setRevokes} />
          </Stack>
        )}
      </ConfirmDialog>
    </>
  );
}
