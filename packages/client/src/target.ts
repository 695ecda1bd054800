import type { Operation } from "@trpc/client";
import { CREATES } from "./operations.generated.js";
import type { Request } from "./send.js";

/** What an operation calls below its mount. */
export interface Target extends Omit<Request, "url" | "headers"> {
  /** With parameters. */
  readonly path: string;
  /** True if the service runs it once per idempotency key. */
  readonly runsOnce: boolean;
}

/** Removes the direction added by TanStack's infinite queries; lists have only one. */
function withoutDirection(input: unknown): unknown {
  const { direction: _, ...fields } = input as { direction?: unknown };
  return fields;
}

/** Builds the request of a procedure in tRPC's format. @see docs/specification.md#common-request-and-response-format */
export function aimAtProcedure(op: Operation): Target {
  const write = op.type === "mutation";
  const input = op.input == null ? null : JSON.stringify({ json: withoutDirection(op.input) });
  const query = write || input === null ? "" : `?input=${encodeURIComponent(input)}`;
  return {
    method: write ? "POST" : "GET",
    path: `/${op.path}${query}`,
    body: write ? input : null,
    runsOnce: (CREATES as readonly string[]).includes(op.path),
    isBare: false,
    streams: false,
  };
}
