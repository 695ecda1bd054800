import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { MeetingFilters } from "./api/filters";
import { Empty, Failure, Loading } from "./components/states";
import { Shell } from "./shell/Shell";

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <Empty title="This page does not exist." />,
});

const signedIn = createRoute({ getParentRoute: () => rootRoute, id: "signed-in", component: Shell });

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
  validateSearch: (search): MeetingFilters => ({
    q: text(search.q),
    from: text(search.from),
    to: text(search.to),
    tag: text(search.tag),
  }),
  component: lazyRouteComponent(() => import("./pages/Meetings"), "Meetings"),
});

const meetingRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/meetings/$meetingId",
  validateSearch: (search): { find?: string | undefined } => ({ find: text(search.find) }),
  component: lazyRouteComponent(() => import("./pages/Meeting"), "Meeting"),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks/$webhookId/deliveries",
  component: lazyRouteComponent(() => import("./pages/Deliveries"), "Deliveries"),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { to?: string | undefined; problem?: string | undefined } => ({
    to: text(search.to),
    problem: text(search.problem),
  }),
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
    page("/tasks", () => import("./pages/Tasks"), "Tasks"),
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

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
