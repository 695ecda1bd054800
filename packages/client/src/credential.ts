/**
 * Returns a secret without whitespace around it, such as the line break at the end of a file.
 * @throws what `fail` creates, without the secret, for a character that is no printable ASCII: the error of `fetch` can quote it
 */
export function toSendable(secret: string, fail: (message: string) => Error): string {
  const trimmed = secret.trim();
  if (/^[ -~]*$/.test(trimmed)) return trimmed;
  throw fail("The key has a character that no key has. Copy it again.");
}
