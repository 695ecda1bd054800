import { MeetingCompleted } from "@minutes/contract";
import { jsonSchema, type Schemas } from "../schemas.js";
import { namedType } from "./routers.js";

const HEADER = "// Generated from the schemas of the service's events.\n";

/** The source of the types of everything that webhooks send, with its documentation. */
export function eventTypes(): string {
  const named: Schemas = {};
  jsonSchema(MeetingCompleted, "output", named);
  return [HEADER, ...Object.entries(named).map(([name, schema]) => namedType(name, schema))].join("\n");
}
