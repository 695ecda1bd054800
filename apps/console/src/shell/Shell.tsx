import { Alert, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { settings } from "../api/clients";
import { useReachable } from "../api/connection";
import { SECTIONS } from "./sections";

/** Switches between dark and light. */
function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <button
      type="button"
      className="shell-button"
      onClick={() => setColorScheme(dark ? "light" : "dark")}
      aria-label={dark ? "Use light colours" : "Use dark colours"}
    >
      {dark ? "Light" : "Dark"}
    </button>
  );
}

/**
 * The frame of every page after sign-in: header, navigation, and a note while the connection is lost. `frame.css` and
 * `pages.ts` draw the same before the scripts are here.
 */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const reachable = useReachable();
  const { data: account } = useQuery(settings.account.get.queryOptions({}));
  const sections = SECTIONS.filter((section) => !("forAdmins" in section) || account?.role === "admin");
  return (
    <>
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <header className="shell-header">
        <button type="button" className="shell-button shell-menu" onClick={toggle} aria-expanded={opened}>
          Menu
        </button>
        <div className="shell-name">Minutes</div>
        <SchemeToggle />
      </header>
      <nav className="shell-nav" aria-label="Main" data-opened={opened}>
        {sections.map(({ path, label }) => (
          <Link key={path} to={path} className="shell-link" onClick={close}>
            {label}
          </Link>
        ))}
      </nav>
      <main className="shell-main" id="content" tabIndex={-1}>
        {!reachable && (
          <Alert color="yellow" mb="md" role="status">
            The connection is lost. What you see may be old; the page goes on when the connection is back.
          </Alert>
        )}
        <Outlet />
      </main>
    </>
  );
}
