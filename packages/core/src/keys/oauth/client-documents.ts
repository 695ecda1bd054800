import { createGuardedClient } from "../../lib/http/guarded-connector.js";
import { createTargetPolicy, type TargetPolicy } from "../../lib/http/target-policy.js";

/** Maximum bytes of a document. */
const DOCUMENT_BYTES = 5 * 1_024;

/** Reads the document at an address, as the library's `fetch`. @throws errors of connecting, and of the signal */
export type ClientDocuments = (url: string, signal: AbortSignal) => Promise<Response>;

interface ClientDocumentsOptions {
  /** Public addresses only by default: anybody can ask for a document, so networks allowed for webhooks don't count. */
  readonly targetPolicy?: TargetPolicy;
  /** PEM certificates trusted in addition to the well-known ones. */
  readonly extraCa?: string;
}

/**
 * Creates a reader of Client ID Metadata Documents, in which clients describe themselves at their own address. It connects
 * as webhooks do, follows no redirect and reads at most `DOCUMENT_BYTES`.
 */
export function createClientDocuments({
  targetPolicy = createTargetPolicy(),
  extraCa,
}: ClientDocumentsOptions = {}): ClientDocuments {
  let client: ReturnType<typeof createGuardedClient> | undefined;
  return async (url, signal) => {
    client ??= createGuardedClient(targetPolicy, extraCa);
    const { request, agent } = await client;
    const { statusCode, headers, body } = await request(url, {
      ...{ dispatcher: agent, signal, headers: { accept: "application/json" } },
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > DOCUMENT_BYTES) throw new RangeError("The document is too long."); // Closes the connection.
      chunks.push(chunk);
    }
    const known = Object.entries(headers).filter(
      (pair): pair is [string, string] => typeof pair[1] === "string",
    );
    const hasBody = statusCode === 200;
    return new Response(hasBody ? Buffer.concat(chunks) : null, {
      ...{ status: statusCode < 200 ? 502 : statusCode, headers: known },
    });
  };
}
