/**
 * Returns a secret without whitespace around it, such as the line break at the end of a file.
 * @param secret undefined if its environment variable isn't set, whatever the caller's types say
 * @throws what `fail` creates, without the secret: if it is undefined or has a character that is no printable ASCII, as the error of
 * `fetch` can quote it
 */
export function toSendable(secret: string | null | undefined, fail: (message: string) => Error): string {
  if (secret == null) throw fail(`The key is ${secret}. Is its environment variable set?`);
  const trimmed = secret.trim();
  if (/^[ -~]*$/.test(trimmed)) return trimmed;
  throw fail("The key has a character that no key has. Copy it again.");
}
