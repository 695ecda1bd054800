import { WEBHOOK_PAYLOADS } from "@minutes/contract";
import { type Schemas, toJsonSchema } from "../schemas.js";
import { writeNamedType } from "./routers.js";

const HEADER = "// Generated from the schemas of the service's events.\n";

/** Writes the source of the documented types of all webhook events. */
export function writeEventTypes(): string {
  const named: Schemas = {};
  for (const payload of Object.values(WEBHOOK_PAYLOADS)) toJsonSchema(payload, "output", named);
  return [HEADER, ...Object.entries(named).map(([name, schema]) => writeNamedType(name, schema))].join("\n");
}
