import type { AnswerLine, Ask } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { UserCaller } from "../access/index.js";
import { countTowardsDay } from "../api/rate-limit/index.js";
import type { StreamHelp } from "../lib/stream-help.js";
import { groupTurns, toAnswer, toLink } from "./ask.js";
import { type AnswerModel, streamChat } from "./chat/index.js";
import { estimateTokens, listSources, SENTENCES, toChatRequest } from "./prompt.js";
import { type Retrieved, type RetrieveOptions, retrieve, type TimedTurn } from "./retrieve.js";
import { verify } from "./verify.js";

interface Models extends RetrieveOptions {
  readonly model?: AnswerModel | undefined;
}

const NOTES = {
  limit: "Today's answers by the model are used up, so these are the turns, word by word.",
  failed: "The model did not answer, so these are the turns, word by word.",
  partial: "The model did not finish its answer.",
};

/**
 * Answers a question with sentences of the model. Each quotes a turn that the caller can read, and the quote is verified;
 * other sentences are dropped. Without a model, and if it fails, the answer is that of `ask`. Only the turns are sent to the
 * model, and it can do nothing but write.
 * @returns a function that starts the stream
 * @throws ApiError 403 or 404 for a meeting that the caller can't read
 */
export async function answer(
  db: Database,
  caller: UserCaller,
  input: Ask,
  { model, ...options }: Models,
): Promise<(help: StreamHelp) => AsyncGenerator<AnswerLine>> {
  const found = await retrieve(db, caller, input, options);
  return (help) => (model ? write(db, caller, { input, found, model }, help) : extract(found));
}

/** Answers without a model. */
async function* extract(found: Retrieved, note: string | null = null): AsyncGenerator<AnswerLine> {
  yield { kind: "end", isWritten: false, note, ...(await toAnswer(found)) };
}

interface Asked {
  readonly input: Ask;
  readonly found: Retrieved;
  readonly model: AnswerModel;
}

async function* write(
  db: Database,
  { userId }: UserCaller,
  { input, found, model }: Asked,
  { signal, report }: StreamHelp,
): AsyncGenerator<AnswerLine> {
  const sources = await listSources(found);
  if (sources.length === 0) return yield* extract(found);
  const request = toChatRequest(input.question, sources, found);
  const tokens = estimateTokens(request);
  const isAllowed =
    (await countTowardsDay(db, { what: "answers", userId, amount: 1, limit: model.answersPerDay })) &&
    (await countTowardsDay(db, { what: "tokens", userId, amount: tokens, limit: model.tokensPerDay }));
  if (!isAllowed) return yield* extract(found, NOTES.limit);

  const quoted: TimedTurn[] = [];
  let note: string | null = null;
  try {
    for await (const json of scanObjects(streamChat(model, request, signal))) {
      const sentence = verify(json, sources);
      if (!sentence) continue;
      quoted.push(sentence.source);
      yield toSentence(sentence, found);
      if (quoted.length === SENTENCES) break;
    }
  } catch (error) {
    if (signal.aborted) return;
    report(error);
    if (quoted.length === 0) return yield* extract(found, NOTES.failed);
    note = NOTES.partial;
  }
  const { meetings, searched } = found;
  const proofs = [...new Set(quoted)].map((turn) => ({ ...turn, relevance: "match" as const }));
  const turns = groupTurns(proofs, meetings, searched.words);
  yield { kind: "end", isWritten: true, note, found: quoted.length > 0, meetings: turns, searched };
}

function toSentence(
  { text, quote, source }: { text: string; quote: string; source: TimedTurn },
  { meetings }: Retrieved,
): AnswerLine {
  const { meetingId, position, speakerName, startSeconds } = source;
  const head = meetings.find((meeting) => meeting.meetingId === meetingId);
  return {
    kind: "sentence",
    text,
    quote: {
      ...{ meetingId, meetingTitle: head?.meetingTitle ?? null, meetingDate: head?.meetingDate ?? "" },
      ...{ position, speakerName, startSeconds, text: quote, link: toLink(source) },
    },
  };
}

/**
 * Yields the innermost JSON objects of a text as soon as each is complete, whatever is around them: lines, a list, a code
 * fence or prose. An object without an end is left out.
 * @param pieces of the text, in order
 */
async function* scanObjects(pieces: AsyncIterable<string>): AsyncGenerator<string> {
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
