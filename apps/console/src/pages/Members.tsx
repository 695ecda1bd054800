import { Badge, Group, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { queryClient, settings, settingsClient } from "../api/clients";
import { ConfirmButton, tell, tellFailure } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Page } from "../components/states";
import { Invitations } from "./members/Invitations";
import { RemoveMember } from "./members/RemoveMember";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.members.pathKey() });
const ROLES = ["admin", "member"] as const;

/** Lists the members of the workspace; an admin invites people, sets roles, signs members out and removes them. */
export function Members() {
  const account = useAccount();
  const members = useQuery(settings.members.list.queryOptions({}));
  const setRole = async (userId: string, role: (typeof ROLES)[number]) => {
    await settingsClient.members.setRole.mutate({ userId, role });
    await refresh();
    tell("The role is changed.");
  };
  const signOut = async (userId: string) => {
    await settingsClient.members.signOut.mutate({ userId });
    tell("The member is signed out everywhere.");
  };
  const admin = account.role === "admin";
  return (
    <Page title="Members">
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
                      data={[...ROLES]}
                      value={member.role}
                      onChange={(event) =>
                        void setRole(
                          member.userId,
                          event.currentTarget.value as (typeof ROLES)[number],
                        ).catch(tellFailure)
                      }
                      w={120}
                    />
                  ) : (
                    <Badge color={member.role === "admin" ? "blue" : "gray"}>{member.role}</Badge>
                  )}
                  {!self && (
                    <Group gap="xs">
                      <ConfirmButton
                        label="Sign out"
                        title={`Sign ${member.name} out?`}
                        confirm="Sign out"
                        onConfirm={() => signOut(member.userId)}
                      >
                        All their sessions and one-time links end at once. Their keys stay.
                      </ConfirmButton>
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
    </Page>
  );
}
