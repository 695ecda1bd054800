import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account";
import { settings, settingsClient } from "../../api/clients";
import { leaveFor } from "../../api/sign-out";
import { ConfirmButton } from "../../components/actions";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";

/** Leaves the workspace, after saying what becomes of the meetings. Renders nothing where nobody else is a member. */
export function LeaveWorkspace() {
  const { userId, role, workspaceName } = useAccount();
  const { data } = useQuery(settings.members.list.queryOptions({}));
  const others = data?.members.filter((member) => member.userId !== userId) ?? [];
  if (others.length === 0) return null;
  const isOnlyAdmin = role === "admin" && others.every((other) => other.role !== "admin");
  const leave = async () => {
    await settingsClient.members.remove.mutate({ userId });
    await leaveFor("/meetings");
  };
  return (
    <Section
      title="Workspace"
      about={`You share ${workspaceName} with ${others.length === 1 ? "one other member" : `${others.length} other members`}.`}
    >
      {isOnlyAdmin ? (
        <Text size="sm">
          You are the only admin, so you can't leave. Make another member an admin first, under{" "}
          <Anchor size="sm" renderRoot={(props) => <Link to="/members" {...props} />}>
            Members
          </Anchor>
          .
        </Text>
      ) : (
        <ConfirmButton
          className="start"
          label="Leave the workspace"
          title={`Leave ${workspaceName}?`}
          confirm="Leave"
          failure="Could not leave the workspace"
          act={leave}
        >
          <Consequences />
        </ConfirmButton>
      )}
    </Section>
  );
}

/** Says what leaving takes along, what it ends and what stays. */
function Consequences() {
  const { userId, role } = useAccount();
  const preview = useQuery(settings.members.previewRemoval.queryOptions({ userId }));
  return (
    <Query query={preview}>
      {({ meetings, held }) => (
        <>
          <p>
            <strong>{describeMeetings(meetings)}</strong>{" "}
            {held > 0 && `On hold: ${held.toLocaleString("en")}. `}
            Nothing is deleted.
          </p>
          <p>
            Everything you share here or that is shared with you is unshared, and the apps you connected are
            disconnected. You can come back only with an invitation.
          </p>
          {role === "admin" && (
            <p>
              Your open invitations end. Keys and webhooks that you created for the workspace stay; other
              admins can revoke them.
            </p>
          )}
        </>
      )}
    </Query>
  );
}

const describeMeetings = (count: number): string => {
  if (count === 0) return "You have no meetings here, and get a workspace of your own.";
  const yours = count === 1 ? "Your meeting moves" : `Your ${count.toLocaleString("en")} meetings move`;
  return `${yours} with you into a workspace of your own.`;
};
