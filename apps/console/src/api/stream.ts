import { fetchWithSession, NotReached } from "./transport";

/** Creates an error that `getStatus` and `getSentence` can read. */
const toError = (message: string, data: object): Error => Object.assign(new Error(message), { data });

/** Returns the payload of a line. @throws Error with the API's message */
function readLine<Payload>(line: string): Payload {
  const { result, error, status } = JSON.parse(line);
  if (error !== undefined) throw toError(error, { httpStatus: status });
  return result.data.json;
}

/**
 * Calls a procedure whose answer is a stream of lines, and yields them as they arrive. Never retries.
 * @param path such as `/console/v1/meetings.answer`
 * @throws Error with the API's message
 */
export async function* streamLines<Payload>(
  path: string,
  input: object,
  signal: AbortSignal,
): AsyncGenerator<Payload> {
  const query = new URLSearchParams({ input: JSON.stringify({ json: input }) });
  const response = await fetchWithSession(`${path}?${query}`, { signal }).catch(() => {
    throw new NotReached();
  });
  if (!response.ok) {
    const { message, data } = (await response.json()).error.json;
    throw toError(message, data);
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: "", done: true };
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield readLine<Payload>(line);
  }
}
