import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account";
import { Page } from "../../components/states";

/**
 * The page of a meeting that the reader can't read. It says the same of one that doesn't exist, so that trying links tells
 * nobody which meetings there are.
 */
export function NoAccess() {
  const { email } = useAccount();
  return (
    <Page title="You can't open this meeting">
      <Text>
        It was deleted, never existed, or isn't shared with you. Whoever sent you the link can share it with{" "}
        <strong>{email}</strong>, or say who owns it.
      </Text>
      <Text>
        <Link to="/meetings">All meetings that you can read</Link>
      </Text>
    </Page>
  );
}
