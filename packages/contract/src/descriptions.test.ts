import { expect, test } from "vitest";
import { z } from "zod";
import * as contract from "./index.js";

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

/** Lists the paths of fields without a description. */
function bare(node: Node, path: string): string[] {
  const fields = Object.entries(node.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...bare(field, `${path}.${name}`),
  ]);
  const parts = [node.items, ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return [...fields, ...parts.flatMap((part) => (part ? bare(part, path) : []))];
}

/** Export lines mirror the database's columns, which are described in its schema. */
const OWN_FORMAT = /^Export/;

test("every field of every schema has a description", () => {
  const found = Object.entries<unknown>(contract).flatMap(([name, schema]) =>
    schema instanceof z.ZodType && !OWN_FORMAT.test(name)
      ? bare(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Node, name)
      : [],
  );
  expect(found).toEqual([]);
});
