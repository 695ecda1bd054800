import { z } from "zod";
import { LIMITS } from "./limits.js";

/** English names of languages; undefined for an unknown code. */
const englishNames = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Returns the English name of a language code, such as `Swiss High German` for `de-CH`; null if it is unknown. */
export function nameLanguage(code: string): string | null {
  try {
    return englishNames.of(code) ?? null;
  } catch {
    return null;
  }
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
let codes: ReadonlyMap<string, string> | undefined;

/** Lists the languages with a code of two letters by their English names in lower case. */
const listByName = (): ReadonlyMap<string, string> => {
  codes ??= new Map(
    LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((code) => {
      const [canonical = code] = Intl.getCanonicalLocales(code);
      const name = nameLanguage(canonical);
      return name === null ? [] : [[name.toLowerCase(), canonical] as const];
    }),
  );
  return codes;
};

/** A language, maybe with script and region. Private parts such as `-x-…` can have any words, which would reach the model. */
const PLAIN = /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/;

/** Finds a language by its code or its English name, ignoring case. Returns its canonical code, or null. */
export function findLanguage(text: string): string | null {
  const sought = text.trim();
  const named = listByName().get(sought.toLowerCase());
  if (named !== undefined) return named;
  try {
    const [code] = Intl.getCanonicalLocales(sought.replaceAll("_", "-"));
    return code !== undefined && PLAIN.test(code) && nameLanguage(code) !== null ? code : null;
  } catch {
    return null;
  }
}

/** A language, by its code such as `de` or its English name. Parsed to the code. */
export const Language = z
  .string()
  .max(LIMITS.languageMax)
  .transform((text, context) => {
    const code = findLanguage(text);
    if (code !== null) return code;
    context.addIssue({ code: "custom", message: "must be a language such as German or de" });
    return z.NEVER;
  });
