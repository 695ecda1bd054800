import type { Command } from "commander";

/** Placeholders of arguments and options that take an ID or a name. */
export const NAMED = ["tag", "key", "webhook", "person"] as const;
type Named = (typeof NAMED)[number];

const isNamed = (placeholder: string | undefined): placeholder is Named =>
  (NAMED as readonly (string | undefined)[]).includes(placeholder);

/** The procedure that turns an ID or a name into an ID. */
export interface NameFinder {
  readonly names: { readonly find: { query(named: { kind: Named; idOrName: string }): Promise<string> } };
}

/** Replaces names in a command's arguments and options by IDs. Text that is neither stays. */
export async function replaceNames(
  { registeredArguments, options: declared }: Command,
  given: readonly unknown[],
  { names }: NameFinder,
): Promise<unknown[]> {
  const replaced = [...given];
  for (const [at, argument] of registeredArguments.entries()) {
    const [kind, idOrName] = [argument.name(), given[at]];
    if (isNamed(kind) && typeof idOrName === "string")
      replaced[at] = await names.find.query({ kind, idOrName });
  }
  const options = { ...(given[registeredArguments.length] as Record<string, unknown>) };
  for (const option of declared) {
    const [kind, idOrName] = [/<(\w+)>/.exec(option.flags)?.[1], options[option.attributeName()]];
    if (isNamed(kind) && typeof idOrName === "string")
      options[option.attributeName()] = await names.find.query({ kind, idOrName });
  }
  replaced[registeredArguments.length] = options;
  return replaced;
}
