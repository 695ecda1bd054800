import { z } from "zod";
import { LIMITS } from "./limits.js";
import { meetingRange } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, query } from "./operation.js";
import { Relevance } from "./search.js";
import { Id, trimmedText } from "./text.js";

/** Parameters of `meetings.ask` and `meetings.answer`. */
export const Ask = z
  .strictObject({
    question: trimmedText(1, LIMITS.searchQueryMax).describe(
      "The question, 1 to 1,000 characters after trimming. Days and people that it names narrow the answer.",
    ),
    meetingId: Id.optional().describe("Only this meeting; all that the caller can read when absent."),
    ...meetingRange,
  })
  .meta({ id: "Ask", description: "Parameters of `meetings.ask` and `meetings.answer`." });
export type Ask = z.output<typeof Ask>;

const day = (text: string) => z.string().nullable().meta({ format: "date" }).describe(text);

const MeetingHead = z.object({
  meetingId: z.string().describe("The meeting's `id`."),
  meetingTitle: z.string().nullable().describe("The meeting's title."),
  meetingDate: z.string().meta({ format: "date" }).describe("Day of the meeting (UTC), `YYYY-MM-DD`."),
});

const Turn = z.object({
  position: z.int().describe("Index in the transcript, from 0."),
  speakerName: z.string().describe("Display name."),
  startSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
  text: z.string().describe("What was said; of a long turn, the part that fits the question."),
  link: z.string().describe("Path of the turn in the console, such as `/meetings/…?at=12`."),
});

const AnsweringTurn = Turn.extend({
  relevance: Relevance.describe(
    "`match` if it answers about as well as the best turn; `related` if it has less of the question, so that it may not answer it.",
  ),
});

/** Answer of `meetings.ask`: verbatim turns. */
export const Answer = z
  .object({
    found: z.boolean().describe("False if no meeting that the caller can read answers the question."),
    meetings: z
      .array(
        MeetingHead.extend({
          turns: z
            .array(AnsweringTurn)
            .describe("The turns that answer the question, in the order in which they were said."),
        }),
      )
      .describe(
        "The meetings with the turns that answer the question, best first; none if it isn't answered.",
      ),
    searched: z
      .object({
        words: z.array(z.string()).describe("The words of the question that were searched."),
        people: z
          .array(z.string())
          .describe("People named in the question who spoke in a meeting that was found."),
        startDate: day("First day that was searched (UTC); null without a bound."),
        endDate: day("Last day that was searched (UTC); null without a bound."),
        byMeaning: z.boolean().describe("True if meetings were also searched by meaning, not only by words."),
      })
      .describe("What was searched, and how."),
  })
  .meta({ id: "Answer", description: "What was said that answers a question." });
export type Answer = z.infer<typeof Answer>;

/** A line of the answer of `meetings.answer`: a sentence that a model wrote, or the end. */
export const AnswerLine = z.discriminatedUnion("kind", [
  z
    .object({
      kind: z.literal("sentence").describe("A sentence with its quote."),
      text: z.string().describe("The sentence, plain text."),
      quote: MeetingHead.extend(Turn.shape).describe("The turn that proves it; `text` has the words quoted."),
    })
    .meta({
      id: "AnswerSentence",
      description: "A sentence that a model wrote, with the turn that proves it.",
    }),
  Answer.extend({
    kind: z.literal("end").describe("The last line."),
    isWritten: z
      .boolean()
      .describe(
        "True if a model wrote the sentences. If not, `meetings` has the turns that `meetings.ask` finds.",
      ),
    note: z.string().nullable().describe("Why the model did not write, or did not finish; null otherwise."),
  }).meta({ id: "AnswerEnd", description: "The end of an answer: whether it was found, and the turns." }),
]);
export type AnswerLine = z.infer<typeof AnswerLine>;

const REFUSALS = [
  ...["question", "meetingId", "startDate", "endDate"].map(createFieldRefusal),
  createRefusal(403, MESSAGES.noMeetingAccess),
  createRefusal(404, MESSAGES.meetingNotFound),
];

export const askMeetings = query("meetings.ask", {
  callers: ["user"],
  rest: { at: "GET /ask", id: "askMeetings" },
  input: Ask,
  output: Answer,
  summary: "Ask a question about your meetings",
  description:
    "Answers with the turns of own and shared meetings that answer a question, word by word, with speaker, time and link; or with none. " +
    "No text is generated, and nothing leaves the service. All time is searched unless the question or the parameters name days.",
  example: { question: "Why did the backup fail?" },
  refuses: REFUSALS,
});

export const answerQuestion = query("meetings.answer", {
  callers: ["user"],
  rest: { at: "GET /answer", id: "answerQuestion", streams: true },
  input: Ask,
  output: AnswerLine,
  summary: "Have a model answer a question about your meetings",
  description:
    "Streams lines of JSON: sentences that the model of the installation writes (`kind` is `sentence`), each with a quote that the service has " +
    "found word by word in a turn of an own or shared meeting, then one line whose `kind` is `end`. Sentences without such a quote are dropped. Without a model, " +
    "and if it fails, the end has the turns that `meetings.ask` finds. Only turns are sent to the model.",
  example: { question: "Why did the backup fail?" },
  refuses: REFUSALS,
});
