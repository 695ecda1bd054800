import { Badge, Group, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page } from "../components/states";
import { useAction } from "../components/use-action";
import { describeRole, ROLES } from "../components/words";
import { Invitations } from "./members/Invitations";
import { RemoveMember } from "./members/RemoveMember";
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
          <DataTable columns={["Name", "E-mail", "Role", ...(admin ? ["Actions"] : [])]}>
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

function RoleOf({ member: { userId, name, role } }: { member: Member }) {
  const setRole = useAction(
    (to: Member["role"]) => settingsClient.members.setRole.mutate({ userId, role: to }),
    {
      failure: "Could not change the role",
      success: "Role changed.",
      changes: [settings.members.pathKey()],
    },
  );
  return (
    <NativeSelect
      aria-label={`Role of ${name}`}
      data={ROLES}
      value={role}
      onChange={(event) => setRole.run(event.currentTarget.value as Member["role"])}
      w={120}
    />
  );
}
