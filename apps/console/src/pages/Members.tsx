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
  const account = useAccount();
  const members = useQuery(settings.members.list.queryOptions({}));
  const setRole = useAction(
    (input: { userId: string; role: "admin" | "member" }) => settingsClient.members.setRole.mutate(input),
    {
      failure: "Could not change the role",
      success: "Role changed.",
      changes: [settings.members.pathKey()],
    },
  );
  const admin = account.role === "admin";
  return (
    <Page>
      <Query query={members}>
        {({ members: list }) => (
          <DataTable columns={["Name", "E-mail", "Role", ...(admin ? ["Actions"] : [])]}>
            {list.map((member) => {
              const self = member.userId === account.userId;
              return (
                <DataRow key={member.userId}>
                  <span>
                    {member.name}{" "}
                    {self && (
                      <Text span size="xs" c="dimmed">
                        (you)
                      </Text>
                    )}
                  </span>
                  {member.email}
                  {admin && !self ? (
                    <NativeSelect
                      aria-label={`Role of ${member.name}`}
                      data={ROLES}
                      value={member.role}
                      onChange={(event) =>
                        setRole.run({
                          userId: member.userId,
                          role: event.currentTarget.value as "admin" | "member",
                        })
                      }
                      w={120}
                    />
                  ) : (
                    <Badge color={member.role === "admin" ? "blue" : "gray"}>
                      {describeRole(member.role)}
                    </Badge>
                  )}
                  {admin && !self && (
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
            })}
          </DataTable>
        )}
      </Query>
      {admin && <Invitations />}
      {admin && <RevokeCredentials />}
    </Page>
  );
}
