import type { ServerResponse } from "node:http";

/** Allows no external and no inline resources, whatever a page might contain. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A public document, the same for everyone. Its bytes are created once and shared by all responses. */
export interface Document {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Creates a document from text or bytes. Browsers cache it for five minutes. */
export function createDocument(
  type: string,
  content: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Document {
  const body = Buffer.from(content as string);
  return {
    body,
    headers: {
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "public, max-age=300",
      "Content-Type": type,
      "Content-Length": body.length,
      ...headers,
    },
  };
}

/** Sends a document. */
export const sendDocument = (response: ServerResponse, { body, headers }: Document): void => {
  response.writeHead(200, { ...headers }).end(body);
};
