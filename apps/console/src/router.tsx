import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { queryClient } from "./api/clients";
import {
  readAuditFilters,
  readDeliveryFilters,
  readMeetingFilters,
  readMeetingView,
  readSignInTarget,
  readTaskFilters,
} from "./api/filters";
import { readAccount, readMeeting, readMeetings } from "./api/first-reads";
import { Empty, Failure, Loading } from "./components/states";
import { Shell } from "./shell/Shell";

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <Empty title="This page does not exist." />,
});

const signedIn = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  loader: readAccount,
  component: Shell,
});

const page = <Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    component: lazyRouteComponent(load as never, name as never),
  });

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/meetings" });
  },
});

const meetingsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/meetings",
  validateSearch: readMeetingFilters,
  loaderDeps: ({ search }) => ({ hasFilters: Object.values(search).some((value) => value !== undefined) }),
  loader: ({ deps }) => (deps.hasFilters ? undefined : readMeetings()),
  component: lazyRouteComponent(() => import("./pages/Meetings"), "Meetings"),
});

const meetingRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/meetings/$meetingId",
  validateSearch: readMeetingView,
  loader: ({ params }) => readMeeting(params.meetingId),
  component: lazyRouteComponent(() => import("./pages/Meeting"), "Meeting"),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks/$webhookId/deliveries",
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(() => import("./pages/Deliveries"), "Deliveries"),
});

const tasksRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/tasks",
  validateSearch: readTaskFilters,
  component: lazyRouteComponent(() => import("./pages/Tasks"), "Tasks"),
});

const auditRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/audit",
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import("./pages/AuditLog"), "AuditLog"),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: readSignInTarget,
  component: lazyRouteComponent(() => import("./pages/SignIn"), "SignIn"),
});

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/setup",
  component: lazyRouteComponent(() => import("./pages/Setup"), "Setup"),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation",
  component: lazyRouteComponent(() => import("./pages/Invitation"), "Invitation"),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  setupRoute,
  invitationRoute,
  signedIn.addChildren([
    home,
    meetingsRoute,
    meetingRoute,
    deliveriesRoute,
    tasksRoute,
    auditRoute,
    page("/upload", () => import("./pages/Upload"), "Upload"),
    page("/tags", () => import("./pages/Tags"), "Tags"),
    page("/keys", () => import("./pages/Keys"), "Keys"),
    page("/webhooks", () => import("./pages/Webhooks"), "Webhooks"),
    page("/recorders", () => import("./pages/Recorders"), "Recorders"),
    page("/members", () => import("./pages/Members"), "Members"),
    page("/plan", () => import("./pages/Plan"), "Plan"),
    page("/vocabulary", () => import("./pages/Vocabulary"), "Vocabulary"),
    page("/account", () => import("./pages/Account"), "Account"),
    page("/connect", () => import("./pages/Connect"), "Connect"),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  scrollRestoration: true,
});

// A page that is opened asks again for what it shows: nobody goes on reading what they may not see any more.
router.subscribe("onBeforeNavigate", () => void queryClient.invalidateQueries({ refetchType: "none" }));

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
