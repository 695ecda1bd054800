import { getReferenceName, type JsonSchema } from "../schemas.js";

/** A line that stays empty and separates paragraphs. */
export const PARAGRAPH = " ";

/** Writes text as a doc comment. */
export function writeDocComment(lines: readonly string[], indent = ""): string {
  const text = lines.filter((line) => line !== "").map((line) => line.replaceAll("*/", "*\\/"));
  if (text.length === 0) return "";
  if (text.length === 1) return `${indent}/** ${text[0]} */\n`;
  return `${indent}/**\n${text.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

const WIDTH = 100;

/** Wraps text to a readable width. */
export function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** Writes the TypeScript type of a schema. @param arrays `readonly ` for inputs, so that callers can pass both kinds of arrays */
export function toType(schema: JsonSchema, arrays: "readonly " | "" = "", indent = ""): string {
  if (Object.keys(schema).length === 0) return "unknown";
  const name = getReferenceName(schema);
  if (name) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map((one) => toType(one, arrays, indent)))].join(" | ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => toType({ ...schema, type }, arrays, indent)).join(" | ");
  }
  if (schema.type === "array" && schema.items) {
    const item = toType(schema.items, arrays, indent);
    const generic = arrays === "" ? "Array" : "ReadonlyArray";
    return /[ |{]/.test(item) ? `${generic}<${item}>` : `${arrays}${item}[]`;
  }
  const { additionalProperties: values } = schema;
  if (schema.type === "object" && !schema.properties && typeof values === "object")
    return `Record<string, ${toType(values, arrays, indent)}>`;
  if (schema.type === "object") {
    const others =
      typeof values === "object"
        ? `${indent}  [key: string]: ${toType(values, arrays, `${indent}  `)};\n`
        : "";
    return `{\n${toFields(schema, arrays, `${indent}  `)}${others}${indent}}`;
  }
  const scalar = SCALARS[schema.type as string];
  if (!scalar) throw new Error(`No type for ${JSON.stringify(schema)}.`);
  return scalar;
}

/** Writes an object's fields with their doc comments. */
export function toFields(schema: JsonSchema, arrays: "readonly " | "" = "", indent = "  "): string {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const optional = required.has(name) ? "" : "?";
      const or = optional ? " | undefined" : "";
      return `${writeDocComment(wrap(field.description ?? ""), indent)}${indent}${name}${optional}: ${toType(field, arrays, indent)}${or};\n`;
    })
    .join("");
}
