import { MeetingCompleted } from "@minutes/contract";
import { jsonSchema, type Schemas } from "../schemas.js";
import { namedType } from "./routers.js";

const HEADER =
  "// Generated from the service's events by `pnpm --filter @minutes/client generate`; edit the contract instead.\n";

/** The source of the types of everything that webhooks send, with its documentation. */
export function eventTypes(): string {
  const named: Schemas = {};
  jsonSchema(MeetingCompleted, "output", named);
  return [HEADER, ...Object.entries(named).map(([name, schema]) => namedType(name, schema))].join("\n");
}
