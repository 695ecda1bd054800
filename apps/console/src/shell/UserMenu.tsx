import { Menu, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconLogout, IconUserCircle, IconUserPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account";
import { identityClient, settingsClient } from "../api/clients";
import { leaveFor } from "../api/sign-out";
import { LoadedMenu } from "../components/LoadedMenu";
import { useAction } from "../components/use-action";
import { UserTarget } from "./UserTarget";

const SCHEMES = [
  ["auto", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

const leave = () => leaveFor("/sign-in");

/** Shows who is signed in, and offers the theme and sign-out. Loaded by the first click, then opens. */
export default function UserMenu() {
  const { email, role } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useAction(() => identityClient.session.end.mutate({}), {
    failure: "Could not sign out",
    onSuccess: leave,
  });
  const signOutEverywhere = useAction(() => settingsClient.account.endAllSessions.mutate({}), {
    failure: "Could not sign out everywhere",
    onSuccess: leave,
  });
  return (
    <LoadedMenu position="top-start" width={220}>
      <Menu.Target>
        <UserTarget />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        <Menu.Item
          leftSection={<IconUserCircle size={16} />}
          renderRoot={(props) => <Link to="/account" {...props} />}
        >
          Your account
        </Menu.Item>
        {role === "admin" && (
          <Menu.Item
            leftSection={<IconUserPlus size={16} />}
            renderRoot={(props) => <Link to="/members" hash="invitations" {...props} />}
          >
            Invite people
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        {SCHEMES.map(([value, label]) => (
          <Menu.Item
            key={value}
            aria-current={colorScheme === value}
            closeMenuOnClick={false}
            leftSection={colorScheme === value ? <IconCheck size={16} /> : <span className="no-icon" />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.run()}>
          Sign out
        </Menu.Item>
        <Menu.Item leftSection={<span className="no-icon" />} onClick={() => signOutEverywhere.run()}>
          Sign out everywhere
        </Menu.Item>
      </Menu.Dropdown>
    </LoadedMenu>
  );
}
