import {
  ingestRouter,
  type MeRouter,
  meRouter,
  settingsRouter,
  type WorkspaceRouter,
  workspaceRouter,
} from "@minutes/core";
import type { inferRouterOutputs } from "@trpc/server";

const ROUTERS = { me: meRouter, workspace: workspaceRouter, ingest: ingestRouter, settings: settingsRouter };

interface Procedure {
  readonly type: "query" | "mutation";
  readonly inputFields: readonly string[];
}

/** Every procedure of every HTTP router, by its route, such as `me/meetings.list`. */
const PROCEDURES: ReadonlyMap<string, Procedure> = new Map(
  Object.entries(ROUTERS).flatMap(([prefix, router]) =>
    Object.entries(
      router._def.procedures as unknown as Record<string, { _def: { type: string; inputs: unknown[] } }>,
    ).map(
      ([path, { _def }]) =>
        [
          `${prefix}/${path}`,
          {
            type: _def.type === "mutation" ? "mutation" : "query",
            inputFields: _def.inputs.flatMap((input) =>
              Object.keys((input as { shape?: object }).shape ?? {}),
            ),
          },
        ] as const,
    ),
  ),
);

/** Lists the routes of `/v1` in the order of their routers, such as `me/meetings.list`. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [...PROCEDURES.keys()].filter(
  (route): route is PublicRoute => /^(me|workspace)\//.test(route),
);

/** Lists every field that some procedure of `/v1` has in its input. */
export const PUBLIC_INPUT_FIELDS: readonly string[] = [
  ...new Set(PUBLIC_ROUTES.flatMap((route) => PROCEDURES.get(route)?.inputFields ?? [])),
];

/** Tells whether a route writes, so that it is called with POST. An unknown route is read with GET. */
export const isWrite = (route: string): boolean => PROCEDURES.get(route)?.type === "mutation";

/** The routes of a router with the output of each. */
type Outputs<Prefix extends string, Router> = {
  [Domain in keyof Router & string]: {
    [Name in keyof Router[Domain] & string]: {
      route: `${Prefix}/${Domain}.${Name}`;
      output: Router[Domain][Name];
    };
  }[keyof Router[Domain] & string];
}[keyof Router & string];
type PublicOutputs =
  | Outputs<"me", inferRouterOutputs<MeRouter>>
  | Outputs<"workspace", inferRouterOutputs<WorkspaceRouter>>;

/** A route of `/v1`, such as `me/meetings.list`. */
export type PublicRoute = PublicOutputs["route"];

/** What a route of `/v1` answers with. */
export type Payload<Route extends PublicRoute> = Extract<PublicOutputs, { route: Route }>["output"];
