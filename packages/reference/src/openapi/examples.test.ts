import { splitRoute } from "@minutes/contract";
import { accountRouter, ingestRouter } from "@minutes/core";
import type { AnyTRPCProcedure } from "@trpc/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { buildOpenApiDocument } from "../index.js";
import { listProcedures, listResources, listSyncProcedures } from "../procedures.js";

interface Content {
  readonly content: { readonly "application/json": { readonly example: { readonly json: unknown } } };
}
interface Operation {
  readonly responses: Record<
    string,
    { content?: { "application/json"?: { example?: unknown } } } | undefined
  >;
  readonly requestBody?: Content;
  readonly parameters?: readonly Content[];
}

const procedures = Object.entries({ "/ingest/v1": ingestRouter, "/settings/v1": accountRouter }).flatMap(
  ([mount, router]) =>
    Object.entries(router._def.procedures as unknown as Record<string, AnyTRPCProcedure>).map(
      ([name, procedure]) => [`${mount}/${name}`, procedure] as const,
    ),
);

test("every procedure of ingest and settings has an example that its schema accepts", () => {
  const { paths } = buildOpenApiDocument() as unknown as { paths: Record<string, Record<string, Operation>> };
  const refused: unknown[] = [];
  for (const [path, { _def }] of procedures) {
    const [operation] = Object.values(paths[path] ?? {});
    const place = operation?.requestBody ?? operation?.parameters?.[0];
    const [schema] = (_def as unknown as { inputs: unknown[] }).inputs;
    if (!place || !(schema instanceof z.ZodType)) continue;
    const example = place.content["application/json"].example.json;
    const checked = schema.safeParse(example);
    if (!checked.success) refused.push([path, example, checked.error.issues]);
  }
  expect(refused).toEqual([]);
});

test("every answer of a resource, of /v1 and of the feed has an example that its schema accepts", () => {
  const { paths } = buildOpenApiDocument() as unknown as { paths: Record<string, Record<string, Operation>> };
  const resources = listResources()
    .filter(({ rest }) => !rest.streams)
    .map(
      ({ at, rest, output }) =>
        [at, splitRoute(rest).method.toLowerCase(), output, rest.redirects ? "302" : "200"] as const,
    );
  const named = [
    ...listProcedures().map((procedure) => ({ ...procedure, mount: "/v1" })),
    ...listSyncProcedures().map((procedure) => ({ ...procedure, mount: "/sync/v1" })),
  ].map(
    ({ mount, path, write, output }) => [`${mount}/${path}`, write ? "post" : "get", output, "200"] as const,
  );
  const refused: unknown[] = [];
  for (const [path, method, output, status] of [...resources, ...named]) {
    const example = paths[path]?.[method]?.responses[status]?.content?.["application/json"]?.example;
    const payload = path.startsWith("/rest/")
      ? example
      : (example as { result: { data: { json: unknown } } }).result.data.json;
    const { success, data, error } = output.safeParse(payload);
    if (!success) refused.push([path, payload, error.issues]);
    else if (JSON.stringify(data) !== JSON.stringify(payload)) refused.push([path, payload]);
  }
  expect(refused).toEqual([]);
});
