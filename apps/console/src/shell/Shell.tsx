import {
  Alert,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { settings } from "../api/clients";
import { useReachable } from "../api/connection";
import { SECTIONS } from "./sections";

/** Switches between dark and light. */
function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => setColorScheme(dark ? "light" : "dark")}
      aria-label={dark ? "Use light colours" : "Use dark colours"}
    >
      {dark ? "Light" : "Dark"}
    </Button>
  );
}

/** The frame of every page after sign-in: header, navigation, and a note while the connection is lost. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const reachable = useReachable();
  const { data: account } = useQuery(settings.account.get.queryOptions({}));
  const sections = SECTIONS.filter((section) => !("forAdmins" in section) || account?.role === "admin");
  const { pathname } = useLocation();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between">
          <Group gap="sm">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? "Close the menu" : "Open the menu"}
            />
            <Title order={2} size="h4" component="div">
              Minutes
            </Title>
          </Group>
          <SchemeToggle />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <ScrollArea>
          {sections.map(({ path, label }) => (
            <NavLink
              key={path}
              renderRoot={(props) => <Link to={path} {...props} />}
              label={label}
              active={pathname === path || pathname.startsWith(`${path}/`)}
              onClick={close}
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main>
        {!reachable && (
          <Alert color="yellow" mb="md" role="status">
            The connection is lost. What you see may be old; the page goes on when the connection is back.
          </Alert>
        )}
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
