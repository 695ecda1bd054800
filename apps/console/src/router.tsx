import {
  IconActivity,
  IconAddressBook,
  IconBook2,
  IconCalendarEvent,
  IconCalendarTime,
  IconChartBar,
  IconCode,
  IconFileText,
  IconHistory,
  IconHourglass,
  IconSquareCheck,
  IconTag,
  IconUpload,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from "@tabler/icons-react";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { identity, me, queryClient, settings } from "./api/clients";
import { loadWhenReachable } from "./api/connection";
import {
  readAuditFilters,
  readDeliveryFilters,
  readMeetingFilters,
  readMeetingView,
  readSignInTarget,
  readTaskFilters,
} from "./api/filters";
import { createPageHistory } from "./api/layers";
import { listPeople, listTasks, listUpcoming, toTaskFilters } from "./api/lists";
import { listMeetings, toListFilters } from "./api/meeting-pages";
import { wantPageFocus } from "./api/page-focus";
import { Failure, Loading } from "./components/states";
import { ConnectionNote } from "./shell/ConnectionNote";
import { Shell } from "./shell/Shell";

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** Returns true unless the page was reloaded or returned to, when the router scrolls it to its place at once. */
const isFreshVisit = () =>
  performance.getEntriesByType("navigation").some((entry) => "type" in entry && entry.type === "navigate");

/** The first page. It is drawn in slices like the providers in `main.tsx`; the router would draw it as one task. */
function Root() {
  const isDrawn = useDeferredValue(true, !isFreshVisit());
  return isDrawn && <Outlet />;
}

const root = createRootRoute({ component: Root });

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  loader: () => queryClient.ensureQueryData(settings.account.get.queryOptions({})),
  component: Shell,
  pendingComponent: () => (
    <>
      <ConnectionNote />
      <Loading />
    </>
  ),
});
const shell = { getParentRoute: () => signedIn } as const;
const entry = { getParentRoute: () => root } as const;

/** Loads a page's script, and retries when the server is back. */
const page = <Name extends string>(load: () => Promise<Record<Name, () => React.ReactNode>>, name: Name) =>
  lazyRouteComponent(() => loadWhenReachable(load) as Promise<Record<string, () => React.ReactNode>>, name);

/**
 * Reads what a page shows first, while its script loads. The page shows failures. Nothing is read when a link is only
 * hovered.
 */
const read = (cause: "preload" | "enter" | "stay", ...reads: (() => Promise<unknown>)[]): Promise<unknown> =>
  Promise.allSettled(cause === "preload" ? [] : reads.map((begin) => begin()));

/** Every page with the shell, in the order of the navigation. */
const pages = [
  createRoute({
    ...shell,
    path: "/meetings",
    staticData: {
      ...{ title: "Meetings", group: "main", icon: IconCalendarEvent },
      about: "Your meetings, and those that others share with you.",
    },
    validateSearch: readMeetingFilters,
    loaderDeps: ({ search }) => search,
    // The list has its full height before the router restores the scroll position.
    loader: ({ deps }) =>
      deps.q === undefined
        ? queryClient.ensureInfiniteQueryData(listMeetings(toListFilters(deps))).catch(() => null)
        : null,
    component: page(() => import("./pages/Meetings"), "Meetings"),
  }),
  createRoute({
    ...shell,
    path: "/upcoming",
    staticData: {
      ...{ title: "Upcoming", group: "main", icon: IconCalendarTime },
      about: "The next seven days of your calendar.",
    },
    loader: ({ cause }) =>
      read(
        cause,
        () => queryClient.ensureQueryData(listUpcoming()),
        () => queryClient.ensureQueryData(settings.calendar.get.queryOptions({})),
      ),
    component: page(() => import("./pages/Upcoming"), "Upcoming"),
  }),
  createRoute({
    ...shell,
    path: "/tasks",
    staticData: {
      ...{ title: "Tasks", group: "main", icon: IconSquareCheck },
      about: "Action items from your meetings, and from those that others share with you.",
    },
    validateSearch: readTaskFilters,
    loaderDeps: ({ search }) => search,
    loader: ({ cause, deps }) =>
      read(cause, () =>
        Promise.all(
          toTaskFilters(deps).map(
            (filter) => filter && queryClient.ensureInfiniteQueryData(listTasks(filter)),
          ),
        ),
      ),
    component: page(() => import("./pages/Tasks"), "Tasks"),
  }),
  createRoute({
    ...shell,
    path: "/people",
    staticData: {
      ...{ title: "People", group: "main", icon: IconAddressBook },
      about: "Everyone who spoke in your meetings or has a task from one.",
    },
    loader: ({ cause }) => read(cause, () => queryClient.ensureInfiniteQueryData(listPeople())),
    component: page(() => import("./pages/People"), "People"),
  }),
  createRoute({
    ...shell,
    path: "/tags",
    staticData: {
      ...{ title: "Tags", group: "main", icon: IconTag },
      about: "Group meetings by topic. Share a tag to share every meeting that has it.",
    },
    component: page(() => import("./pages/Tags"), "Tags"),
  }),
  createRoute({
    ...shell,
    path: "/upload",
    staticData: {
      ...{ title: "Add meetings", group: "main", icon: IconUpload },
      about: "Import transcripts and meetings from files.",
    },
    component: page(() => import("./pages/Upload"), "Upload"),
  }),
  createRoute({
    ...shell,
    path: "/account",
    staticData: {
      ...{ title: "Account", group: "you", icon: IconUserCircle },
      about: "Your name, how you sign in, and where you are signed in.",
    },
    // A link to the section needs it to be there.
    loader: ({ cause }) =>
      read(cause, () => queryClient.ensureQueryData(settings.calendar.get.queryOptions({}))),
    component: page(() => import("./pages/Account"), "Account"),
  }),
  createRoute({
    ...shell,
    path: "/summaries",
    staticData: {
      ...{ title: "Summaries", group: "you", icon: IconFileText },
      about: "What summaries should be like, and in which language.",
    },
    component: page(() => import("./pages/Summaries"), "Summaries"),
  }),
  createRoute({
    ...shell,
    path: "/vocabulary",
    staticData: {
      ...{ title: "Vocabulary", group: "you", icon: IconBook2 },
      about: "Words to spell correctly in transcripts.",
    },
    component: page(() => import("./pages/Vocabulary"), "Vocabulary"),
  }),
  createRoute({
    ...shell,
    path: "/members",
    staticData: {
      ...{ title: "Members", group: "workspace", icon: IconUsers },
      about: "People in this workspace, their roles, and open invitations.",
    },
    // The members do not push the invitations down.
    loader: ({ cause }) =>
      read(cause, () => queryClient.ensureQueryData(settings.members.list.queryOptions({}))),
    component: page(() => import("./pages/Members"), "Members"),
  }),
  createRoute({
    ...shell,
    path: "/plan",
    staticData: {
      ...{ title: "Plan and usage", group: "workspace", icon: IconChartBar },
      about: "What your plan includes, and how much of it is used.",
    },
    component: page(() => import("./pages/Plan"), "Plan"),
  }),
  createRoute({
    ...shell,
    path: "/retention",
    staticData: {
      ...{ title: "Retention", group: "workspace", icon: IconHourglass, forAdmins: true },
      about: "How long this workspace keeps its meetings.",
    },
    component: page(() => import("./pages/Retention"), "Retention"),
  }),
  createRoute({
    ...shell,
    path: "/public-links",
    staticData: {
      ...{ title: "Public links", group: "workspace", icon: IconWorld, forAdmins: true },
      about: "Links with which people outside read meetings.",
    },
    component: page(() => import("./pages/PublicLinks"), "PublicLinks"),
  }),
  createRoute({
    ...shell,
    path: "/audit",
    staticData: {
      ...{ title: "Audit log", group: "workspace", icon: IconHistory, forAdmins: true },
      about: "Who did what in this workspace.",
    },
    validateSearch: readAuditFilters,
    component: page(() => import("./pages/AuditLog"), "AuditLog"),
  }),
  createRoute({
    ...shell,
    path: "/developers",
    staticData: {
      ...{ title: "Developers", group: "workspace", icon: IconCode },
      about: "Connect programs, assistants and recorders.",
    },
    // All lists are there before the page is, so that none pushes the next one down.
    loader: ({ cause }) =>
      read(
        cause,
        () => queryClient.ensureQueryData(settings.keys.list.queryOptions({})),
        () => queryClient.ensureQueryData(settings.webhooks.list.queryOptions({})),
        async () => {
          const { role } = await queryClient.ensureQueryData(settings.account.get.queryOptions({}));
          if (role === "admin")
            await queryClient.ensureQueryData(settings.keys.listWorkspace.queryOptions({}));
        },
      ),
    component: page(() => import("./pages/Developers"), "Developers"),
  }),
  createRoute({
    ...shell,
    path: "/meetings/$meetingId",
    validateSearch: readMeetingView,
    loader: ({ cause, params: { meetingId } }) => {
      // Their places on the page wait for these, the page doesn't.
      void read(
        cause,
        () => queryClient.ensureInfiniteQueryData(listTasks({ meetingId })),
        () => queryClient.ensureQueryData(me.speakers.list.queryOptions({ meetingId })),
      );
      return read(cause, () => queryClient.ensureQueryData(me.meetings.get.queryOptions({ meetingId })));
    },
    component: page(() => import("./pages/Meeting"), "Meeting"),
  }),
  createRoute({
    ...shell,
    path: "/people/$personId",
    loader: ({ cause, params: { personId } }) =>
      read(cause, () => queryClient.ensureQueryData(me.people.get.queryOptions({ personId }))),
    component: page(() => import("./pages/Person"), "Person"),
  }),
  createRoute({
    ...shell,
    path: "/webhooks/$webhookId",
    staticData: { title: "Deliveries", icon: IconActivity },
    validateSearch: readDeliveryFilters,
    component: page(() => import("./pages/Deliveries"), "Deliveries"),
  }),
  createRoute({ ...shell, path: "/settings", beforeLoad: () => redirect({ to: "/account", throw: true }) }),
  createRoute({ ...shell, path: "/", beforeLoad: () => redirect({ to: "/meetings", throw: true }) }),
  // Every other address.
  createRoute({
    ...shell,
    path: "$",
    staticData: { title: "Page not found" },
    component: page(() => import("./pages/NotFound"), "NotFound"),
  }),
] as const;

/** Pages for visitors who are not signed in. */
const entries = [
  createRoute({
    ...entry,
    path: "/sign-in",
    validateSearch: readSignInTarget,
    loader: ({ cause }) =>
      read(cause, () => queryClient.ensureQueryData(identity.session.get.queryOptions({}))),
    component: page(() => import("./pages/SignIn"), "SignIn"),
  }),
  createRoute({ ...entry, path: "/setup", component: page(() => import("./pages/Setup"), "Setup") }),
  createRoute({
    ...entry,
    path: "/invitation",
    component: page(() => import("./pages/Invitation"), "Invitation"),
  }),
] as const;

/** The console's pages. A page is added here and in `pages/`; CONTRIBUTING.md shows how. */
export const router = createRouter({
  history: createPageHistory(),
  routeTree: root.addChildren([...entries, signedIn.addChildren([...pages])]),
  defaultPreload: "intent",
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  scrollRestoration: true,
});

// Opening a page refetches its data, so nobody keeps reading a meeting that is no longer shared with them.
router.subscribe("onBeforeNavigate", ({ fromLocation, toLocation, pathChanged }) => {
  if (fromLocation && pathChanged) wantPageFocus(fromLocation, toLocation);
  void queryClient.invalidateQueries({ refetchType: "none" });
});
