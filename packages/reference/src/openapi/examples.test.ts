import { accountRouter, ingestRouter } from "@minutes/core";
import type { AnyTRPCProcedure } from "@trpc/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { buildOpenApiDocument } from "../index.js";

interface Content {
  readonly content: { readonly "application/json": { readonly example: { readonly json: unknown } } };
}
interface Operation {
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
