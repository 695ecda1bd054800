import { Anchor, List, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account";

/** First steps on an installation without meetings. */
export function FirstSteps() {
  const { role } = useAccount();
  return (
    <section aria-label="First steps" className="first-steps">
      <Title order={2}>Add your first meeting</Title>
      <Text c="dimmed">Meetings that colleagues share with you appear here, too.</Text>
      <List type="ordered" spacing="md">
        <List.Item>
          <Anchor renderRoot={(props) => <Link to="/upload" {...props} />}>Upload a transcript</Anchor>
          <Text size="sm" c="dimmed">
            WebVTT, SRT, text, Markdown or JSON. It takes a minute.
          </Text>
        </List.Item>
        <List.Item>
          {role === "admin" ? (
            <Anchor renderRoot={(props) => <Link to="/developers" hash="recorders" {...props} />}>
              Connect a recorder
            </Anchor>
          ) : (
            "Ask an admin to connect a recorder"
          )}
          <Text size="sm" c="dimmed">
            New meetings then arrive on their own.
          </Text>
        </List.Item>
        <List.Item>
          <Anchor renderRoot={(props) => <Link to="/developers" hash="connect" {...props} />}>
            Connect an assistant
          </Anchor>
          <Text size="sm" c="dimmed">
            Ask Claude, Cursor or another assistant about your meetings.
          </Text>
        </List.Item>
      </List>
    </section>
  );
}
