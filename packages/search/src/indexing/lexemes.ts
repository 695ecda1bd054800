/** The positions of each lexeme in a text. */
export type Lexemes = ReadonlyMap<string, readonly number[]>;

/** Parses a tsvector without weights: `'remot':1,5 'it''s':2`. */
export function parseLexemes(tsvector: string): Lexemes {
  const lexemes = new Map<string, readonly number[]>();
  // Sticky, so that a quote without an end is not searched for again at every later quote.
  for (const [, quoted = "", places = ""] of tsvector.matchAll(
    / ?'((?:[^'\\]|''|\\.)*)'(?::([\d,]+))?/gsuy,
  )) {
    const lexeme = quoted.replace(
      /''|\\(.)/gsu,
      (pair, escaped: string | undefined) => escaped ?? pair.slice(1),
    );
    lexemes.set(lexeme, places === "" ? [] : places.split(",").map(Number));
  }
  return lexemes;
}
