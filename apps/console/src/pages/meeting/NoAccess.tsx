import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account";
import { settingsClient } from "../../api/clients";
import { Page } from "../../components/states";
import { useAction } from "../../components/use-action";

/**
 * The page of a meeting that the reader can't read. It says the same of one that doesn't exist, also after asking for
 * access, so that trying links tells nobody which meetings there are.
 */
export function NoAccess({ meetingId }: { meetingId: string }) {
  const { email } = useAccount();
  const ask = useAction(() => settingsClient.accessRequests.create.mutate({ meetingId }), {
    failure: "Could not ask for access",
  });
  return (
    <Page title="You can't open this meeting">
      <Text>
        It was deleted, never existed, or isn't shared with you. The person who sent you the link can share it
        with <strong>{email}</strong>, or say who owns it.
      </Text>
      {ask.output ? (
        <Text role="status">
          If a member of your workspace owns it, they now see that you asked. Once they share it, this page
          shows the meeting. You aren't told if they decline.
        </Text>
      ) : (
        <>
          <Text>If a member of your workspace owns it, you can ask them to share it with you.</Text>
          <Button className="start" loading={ask.isPending} onClick={() => ask.run()}>
            Ask for access
          </Button>
        </>
      )}
      <Text>
        <Link to="/meetings">All meetings that you can read</Link>
      </Text>
    </Page>
  );
}
