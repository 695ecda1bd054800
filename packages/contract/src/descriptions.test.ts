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

/** Paths of the fields below a schema that say nothing about themselves. */
function bare(node: Node, path: string): string[] {
  const fields = Object.entries(node.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...bare(field, `${path}.${name}`),
  ]);
  const parts = [node.items, ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return [...fields, ...parts.flatMap((part) => (part ? bare(part, path) : []))];
}

/** Lines of an export repeat the database's columns, whose words are in its schema. */
const OWN_FORMAT = /^Export/;

test("every field of every schema says what it is", () => {
  const found = Object.entries<unknown>(contract).flatMap(([name, schema]) =>
    schema instanceof z.ZodType && !OWN_FORMAT.test(name)
      ? bare(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Node, name)
      : [],
  );
  expect(found).toEqual([]);
});
