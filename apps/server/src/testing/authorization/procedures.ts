import { type RestRoute, splitRoute } from "@minutes/contract";
import { isBelow, type RouteSet } from "@minutes/core";
import type { AnyTRPCProcedure } from "@trpc/server";
import type { z } from "zod";
import { createRouteSets } from "../../http/routes/index.js";
import type { AppServices } from "../../http/routes/services.js";

/** A mounted procedure. */
export interface MountedProcedure {
  /** `/settings/v1` */
  readonly mount: string;
  /** `keys.revoke` */
  readonly name: string;
  readonly isWrite: boolean;
  readonly input: z.ZodType;
  /** Method and path of a resource; absent if called by name in tRPC's envelope. */
  readonly resource?: RestRoute | undefined;
}

/** Lists every procedure of every mounted route set. */
export function listMountedProcedures(): MountedProcedure[] {
  // Dependencies are only read during a request.
  const sets: readonly RouteSet[] = createRouteSets({} as AppServices);
  return sets.flatMap(({ path, router, resources, section = "" }) =>
    Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>).flatMap(([name, { _def }]) => {
      const resource = resources?.[name];
      if (resources && !(resource && isBelow(section, resource))) return [];
      const { inputs } = _def as unknown as { inputs: z.ZodType[] };
      if (!inputs[0] || inputs.length > 1) throw new Error(`${path}/${name} must have one input.`);
      const isWrite = _def.type === "mutation";
      return {
        mount: path,
        name,
        isWrite,
        input: inputs[0],
        resource: resource && withoutSection(resource, section),
      };
    }),
  );
}

function withoutSection(route: RestRoute, section: string): RestRoute {
  const { method, path } = splitRoute(route);
  return { ...route, at: `${method} ${path.slice(section.length)}` as RestRoute["at"] };
}
