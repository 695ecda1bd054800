import { InvalidArgumentError } from "commander";

/** Parses an option that is a whole number from `from` to `to`. The parser throws for others, which ends with 2. */
export const toWholeNumber =
  (from: number, to = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (text.trim() !== "" && Number.isSafeInteger(number) && number >= from && number <= to) return number;
    const limit = to === Number.MAX_SAFE_INTEGER ? "" : ` to ${to}`;
    throw new InvalidArgumentError(`It must be a whole number from ${from}${limit}.`);
  };
