import type { Person } from "./accounts.js";
import { readPayload, send } from "./call.js";
import type { Given } from "./given.js";

/**
 * Calls procedures of the console as signed-in people.
 * @param open returns the server, which may start after this call
 * @param reads names of the procedures that are queries
 */
export function createConsoleCalls(
  open: () => { readonly url: string; readonly given: Given },
  reads: readonly string[],
) {
  const ask = async (who: Pick<Person, "userId">, procedure: string, input: object) => {
    const { url, given } = open();
    const headers = { authorization: `Bearer ${await given.session(who)}` };
    const path = `/console/v1/${procedure}`;
    const json = JSON.stringify({ json: input });
    const { status, body } = reads.includes(procedure)
      ? await send(url, `${path}?input=${encodeURIComponent(json)}`, { headers })
      : await send(url, path, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: json,
        });
    return { status, body: body as { error?: string; result?: { data: { json: unknown } } } };
  };
  return {
    /** Returns status and body. */
    ask,
    /** Returns the payload. @throws Error unless the status is 200 */
    askFor: async <Payload>(who: Person, procedure: string, input: object) =>
      readPayload<Payload>(await ask(who, procedure, input)),
  };
}
