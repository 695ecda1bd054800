import type { RouteSet } from "@minutes/core";
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
  /** True for plain HTTP instead of tRPC's envelope. */
  readonly isPlain: boolean;
}

/** Lists every procedure of every mounted route set. */
export function listMountedProcedures(): MountedProcedure[] {
  // Dependencies are only read during a request.
  const sets: readonly RouteSet[] = createRouteSets({} as AppServices);
  return sets.flatMap(({ path, router, codec }) =>
    Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>).map(([name, { _def }]) => {
      const { inputs } = _def as unknown as { inputs: z.ZodType[] };
      if (!inputs[0] || inputs.length > 1) throw new Error(`${path}/${name} must have one input.`);
      return { mount: path, name, isWrite: _def.type === "mutation", input: inputs[0], isPlain: !!codec };
    }),
  );
}
