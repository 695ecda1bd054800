/**
 * Yields the innermost JSON objects of a text as soon as each is complete, whatever is around them: lines, a list, a code
 * fence or prose. An object without an end is left out.
 * @param pieces of the text, in order
 */
export async function* scanObjects(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  /** The object that has begun; null outside of objects. */
  let object: string | null = null;
  let isQuoted = false;
  let isEscaped = false;
  for await (const piece of pieces)
    for (const character of piece) {
      if (!isQuoted && character === "{") object = "";
      if (object === null) continue;
      object += character;
      if (isEscaped) isEscaped = false;
      else if (isQuoted && character === "\\") isEscaped = true;
      else if (character === '"') isQuoted = !isQuoted;
      else if (!isQuoted && character === "}") {
        yield object;
        object = null;
      }
    }
}
