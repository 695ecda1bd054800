import { accountRouter, ingestRouter } from "@minutes/core";
import type { AnyTRPCProcedure, AnyTRPCRouter } from "@trpc/server";
import { z } from "zod";
import { getReferenceName, type JsonSchema, type Schemas, toJsonSchema } from "../schemas.js";
import { toAnswerContent, toInputExample, wrapExample } from "./examples.js";

/** A route set outside `/v1`, as described in the document. */
interface RouteSetDescription {
  readonly mount: string;
  readonly router: AnyTRPCRouter;
  readonly tag: { readonly name: string; readonly description: string };
  readonly scheme: { readonly name: string; readonly definition: object };
}

const ROUTE_SETS: readonly RouteSetDescription[] = [
  {
    mount: "/ingest/v1",
    router: ingestRouter,
    tag: { name: "Ingest", description: "Recorders and importers send meetings to a workspace." },
    scheme: {
      name: "ingestKey",
      definition: {
        type: "apiKey",
        in: "header",
        name: "x-api-key",
        description: "An ingest credential; starts with `ik_`.",
      },
    },
  },
  {
    mount: "/settings/v1",
    router: accountRouter,
    tag: {
      name: "Settings",
      description: "A signed-in user manages their keys, webhooks, shares, tags, vocabulary and members.",
    },
    scheme: {
      name: "sessionToken",
      definition: {
        type: "http",
        scheme: "bearer",
        description: "A token of `pnpm minutes login`; starts with `mst_`.",
      },
    },
  },
];

/** Tags of these route sets. */
export const OTHER_TAGS = ROUTE_SETS.map(({ tag }) => tag);

/** Security schemes of these route sets, by name. */
export const OTHER_SECURITY_SCHEMES = Object.fromEntries(
  ROUTE_SETS.map(({ scheme }) => [scheme.name, scheme.definition]),
);

/** Builds the path items of all ingest and settings procedures, by path. Adds schemas with an id to `named`. */
export function toOtherPathItems(named: Schemas): Record<string, Record<string, object>> {
  return Object.fromEntries(
    ROUTE_SETS.flatMap((routes) =>
      Object.entries(routes.router._def.procedures as Record<string, AnyTRPCProcedure>).map(
        ([name, procedure]) => [`${routes.mount}/${name}`, toPathItem(routes, name, procedure, named)],
      ),
    ),
  );
}

/** Converts `webhooks.redeliverFailed` to "Webhooks: redeliver failed". */
function toSummary(name: string): string {
  const [subject = "", action = ""] = name.split(".");
  const toWords = (text: string) => text.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${subject.charAt(0).toUpperCase()}${toWords(subject).slice(1)}: ${toWords(action)}`;
}

function toPathItem(
  { mount, tag, scheme }: RouteSetDescription,
  name: string,
  procedure: AnyTRPCProcedure,
  named: Schemas,
): Record<string, object> {
  const write = procedure._def.type === "mutation";
  const { inputs, output } = procedure._def as unknown as { inputs: unknown[]; output?: unknown };
  const input = inputs[0] instanceof z.ZodType ? toJsonSchema(inputs[0], "input", named) : {};
  const payload = output instanceof z.ZodType ? toJsonSchema(output, "output", named) : {};
  const fields = named[getReferenceName(input) ?? ""] ?? input;
  const takesNothing = Object.keys(fields.properties ?? {}).length === 0 && !fields.anyOf;
  const content = {
    "application/json": {
      schema: wrap("json", input),
      example: { json: toInputExample(name, input, named) },
    },
  };
  const required = (fields.required ?? []).length > 0;
  const error = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  const operation = {
    operationId: `${mount.split("/")[1]}${name.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag.name],
    summary: toSummary(name),
    description: `\`${name}\`, ${write ? "a write" : "a read"}. ${tag.description}`,
    security: [{ [scheme.name]: [] }],
    ...(write
      ? { requestBody: { required: true, content } }
      : takesNothing
        ? {}
        : {
            parameters: [{ name: "input", in: "query", required, description: "URL-encoded JSON.", content }],
          }),
    responses: {
      "200": {
        description: "Success.",
        content: toAnswerContent(
          payload,
          named,
          wrap("result", wrap("data", wrap("json", payload))),
          wrapExample,
        ),
      },
      "400": { description: "The input is not valid. Says why.", content: error },
      default: {
        description: "Another 4xx: refused, with the reason. 5xx: a fault of the service.",
        content: error,
      },
    },
  };
  return { [write ? "post" : "get"]: operation };
}

const wrap = (name: string, schema: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { [name]: schema },
  required: [name],
});
