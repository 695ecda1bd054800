import { ActionIcon, AppShell, Burger, Button, NavLink, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconArrowLeft, IconSearch, IconSettings } from "@tabler/icons-react";
import { Link, Outlet, useMatches, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useAccount } from "../api/account";
import { loadWhenReachable } from "../api/connection";
import { followChanges } from "../api/follow-changes";
import { useLayer } from "../api/layers";
import { setOtherAccount, setShownUser, useOtherAccount } from "../api/shown-user";
import { endSignIn, usePlaceToAsk, useSignInQuestion } from "../api/sign-in-again";
import { Dialog } from "../components/Dialog";
import { Opening } from "../components/Opening";
import { ConnectionNote } from "./ConnectionNote";
import type { PageGroup } from "./navigation";
import { useShortcuts } from "./shortcuts";
import { UserButton } from "./UserButton";

const SignInAgain = lazy(() => loadWhenReachable(() => import("./SignInAgain")));
const ShortcutHelp = lazy(() => loadWhenReachable(() => import("./ShortcutHelp")));
/** Loaded when first opened. */
const loadSearch = () => import("./Search");
const Search = lazy(() => loadWhenReachable(loadSearch));

const SETTINGS: Readonly<Record<Exclude<PageGroup, "main">, string>> = {
  you: "You",
  workspace: "Workspace",
};

/** The frame of every page after sign-in: the rail, and a note while the server refuses reads or can't be reached. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  useLayer(opened, close);
  const [searches, setSearches] = useState(0);
  const openSearch = () => setSearches((count) => count + 1);
  // Also while typing: people search for what they are about to write.
  useHotkeys([["mod+K", openSearch]], []);
  useHotkeys([["/", openSearch]]);
  const [helps, { open: showHelp, close: hideHelp }] = useDisclosure(false);
  useShortcuts(showHelp);
  const asksToSignIn = useSignInQuestion();
  usePlaceToAsk();
  useEffect(() => {
    const end = new AbortController();
    void followChanges(end.signal);
    return () => end.abort();
  }, []);
  const { userId } = useAccount();
  // Before the pages within call the server.
  setShownUser(userId);
  const isOther = useOtherAccount();
  const router = useRouter();
  // The menu closes when a page opens, even the current one.
  useEffect(() => router.subscribe("onResolved", close), [router, close]);
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 236, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", sm: "xl" }}
      transitionDuration={0}
    >
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm" className="top-bar">
        <Burger opened={opened} onClick={toggle} size="sm" aria-label="Menu" aria-expanded={opened} />
        <Wordmark />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          onClick={openSearch}
          aria-label="Search"
          aria-haspopup="dialog"
        >
          <IconSearch size={20} />
        </ActionIcon>
      </AppShell.Header>
      <Rail openSearch={openSearch} />
      <AppShell.Main id="content" tabIndex={-1}>
        <ConnectionNote />
        <Outlet />
      </AppShell.Main>
      <Dialog
        opened={asksToSignIn}
        onClose={() => endSignIn(false)}
        title="Confirm that it's you"
        closeOnEscape
      >
        <SignInAgain />
      </Dialog>
      <Dialog opened={isOther} onClose={() => setOtherAccount(false)} title="Another account is signed in">
        <Stack>
          <Text size="sm">
            Somebody signed in with another account in this browser, perhaps in another tab. Nothing more is
            read or changed here until you reload the page as that account, or sign in again with yours.
          </Text>
          <Button onClick={() => location.reload()}>Reload</Button>
        </Stack>
      </Dialog>
      <Dialog opened={helps} onClose={hideHelp} title="Shortcuts">
        <ShortcutHelp />
      </Dialog>
      {searches > 0 && (
        <Suspense fallback={<Opening load={loadSearch} close={() => setSearches(0)} />}>
          <Search openings={searches} />
        </Suspense>
      )}
    </AppShell>
  );
}

/** The navigation: the main pages, or those of the settings. */
function Rail({ openSearch }: { openSearch: () => void }) {
  const { role, workspaceName } = useAccount();
  const current = useMatches().at(-1);
  const { group } = current?.staticData ?? {};
  const inSettings = (group !== undefined && group !== "main") || current?.routeId.includes("/webhooks/");
  return (
    <AppShell.Navbar className="rail" aria-label="Main">
      <AppShell.Section visibleFrom="sm" mb="sm">
        <Wordmark />
      </AppShell.Section>
      {inSettings ? (
        <SettingsLinks admin={role === "admin"} />
      ) : (
        <AppShell.Section grow component="div">
          <Text size="xs" c="dimmed" px="sm" mb={6} truncate title={workspaceName}>
            {workspaceName}
          </Text>
          <SearchButton open={openSearch} />
          <PageLinks group="main" admin={role === "admin"} />
        </AppShell.Section>
      )}
      <AppShell.Section>
        {!inSettings && (
          <NavLink
            label="Settings"
            leftSection={<IconSettings size={18} stroke={1.7} />}
            renderRoot={(props) => <Link to="/account" {...props} />}
          />
        )}
        <UserButton />
      </AppShell.Section>
    </AppShell.Navbar>
  );
}

/** Leads to the meetings. The keyboard skips it, because the rail has the same link. */
const Wordmark = () => (
  <Link to="/meetings" className="wordmark" tabIndex={-1} aria-label="Minutes: all meetings">
    <img src="/icon.svg" alt="" width={24} height={24} />
    Minutes
  </Link>
);

/** Opens the search, like Ctrl+K and `/`. */
const SearchButton = ({ open }: { open: () => void }) => (
  <UnstyledButton className="rail-search" onClick={open} title="Ctrl+K or /" aria-haspopup="dialog">
    <IconSearch size={16} stroke={1.7} />
    <span>Search</span>
    <kbd aria-hidden>Ctrl K</kbd>
  </UnstyledButton>
);

function SettingsLinks({ admin }: { admin: boolean }) {
  return (
    <AppShell.Section grow component="div">
      <NavLink
        label="Back to meetings"
        leftSection={<IconArrowLeft size={18} stroke={1.7} />}
        renderRoot={(props) => <Link to="/meetings" {...props} />}
        mb="sm"
      />
      {(Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).map((group) => (
        <div key={group} className="rail-group">
          <Text size="xs" c="dimmed" fw={600} px="sm" mb={4}>
            {SETTINGS[group]}
          </Text>
          <PageLinks group={group} admin={admin} />
        </div>
      ))}
    </AppShell.Section>
  );
}

/** Links to the pages of a group, in the router's order. */
function PageLinks({ group, admin }: { group: PageGroup; admin: boolean }) {
  const router = useRouter();
  return Object.values(router.routesById)
    .filter(({ options: { staticData } }) => staticData?.group === group && (admin || !staticData.forAdmins))
    .map(({ fullPath, options: { staticData } }) => {
      const Icon = staticData?.icon;
      return (
        <NavLink
          key={fullPath}
          label={staticData?.title}
          leftSection={Icon && <Icon size={18} stroke={1.7} />}
          renderRoot={(props) => <Link to={fullPath} {...props} />}
        />
      );
    });
}
