/** Codes of the languages that forms offer. The API and the command line take any. */
const OFFERED =
  "ar bg bn ca cs da de el en en-GB es et fa fi fr he hi hr hu id it ja ko lt lv ms nl nb pl pt-BR pt-PT ro ru sk sl sr sv ta th tr uk ur vi zh-Hans zh-Hant".split(
    " ",
  );

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** Returns the English name of a stored language code. */
export const nameLanguage = (code: string): string => names.of(code) ?? code;

/** Lists languages to choose from, by name. @param stored is offered as well */
export const listLanguages = (stored: string | null = null): { value: string; label: string }[] =>
  [...new Set([...OFFERED, ...(stored === null ? [] : [stored])])]
    .map((code) => ({ value: code, label: nameLanguage(code) }))
    .sort((one, other) => one.label.localeCompare(other.label, "en"));
