/** Error message for a secret that was not sent. Doesn't contain the secret. */
export const UNSENDABLE =
  "The key has a character that no key can have, such as … or a line break. Copy the key again.";

/**
 * Returns a secret without whitespace around it, such as the line break at the end of a file. Null if a character is left
 * that is no printable ASCII: `fetch` can fail with an error that quotes the secret.
 */
export function toSendable(secret: string): string | null {
  const trimmed = secret.trim();
  return /^[\x20-\x7e]*$/.test(trimmed) ? trimmed : null;
}
