import { z } from "zod";
import { type ChatOptions, type ChatRequest, requestChat } from "./request.js";

/** Timeout of a streamed answer in ms, less than the idle timeout of the caller's connection. */
const TIMEOUT = 60_000;

const Chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).optional() })).optional(),
  error: z.unknown().optional(),
});

/**
 * Streams the text of one answer, piece by piece. Ends the request as soon as the reader stops.
 * @throws Error without content if the answer fails, is malformed, or breaks off before its end
 */
export async function* streamChat(
  options: ChatOptions,
  body: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const bytes = requestChat(options, { ...body, stream: true }, signal, TIMEOUT);
  for await (const line of splitIntoLines(bytes)) {
    if (!line.startsWith("data:")) continue;
    const data = line.slice("data:".length).trim();
    if (data === "[DONE]") return;
    yield readPiece(data);
  }
  throw new Error("The model's answer broke off.");
}

/** Yields complete lines. An event of this API is one line. */
async function* splitIntoLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Returns the text in an event. */
function readPiece(data: string): string {
  let chunk: z.infer<typeof Chunk>;
  try {
    chunk = Chunk.parse(JSON.parse(data));
  } catch {
    // The error of a parser has the text.
    throw new Error("The model's answer is malformed.");
  }
  if (chunk.error !== undefined) throw new Error("The model ended its answer with an error.");
  return chunk.choices?.[0]?.delta?.content ?? "";
}
