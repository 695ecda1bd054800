import { createHash } from "node:crypto";
import { answerInPieces } from "@minutes/background/pieces";
import { type FeedAnswer, type FeedEvent, type FeedQuestion, parseFeed } from "./parse-feed.js";

// Runs in a worker thread (read-feed.ts). All that takes time for a large calendar is done here.

/** A calendar to parse, as its server sent it. */
export type BytesQuestion = Omit<FeedQuestion, "text"> & { readonly bytes: Uint8Array };

/** An event as it is stored. */
export interface ReadEvent extends Omit<FeedEvent, "attendees"> {
  /** As JSON. */
  readonly attendees: string;
  /** Addresses of those who declined. */
  readonly declined: readonly string[];
}

export interface ReadEvents {
  readonly events: ReadEvent[];
  /** SHA-256 of the events, in hex. */
  readonly hash: string;
}

/** The events, or why there are none. */
export type BytesAnswer = ReadEvents | Exclude<FeedAnswer, { readonly events: unknown }>;

const toReadEvent = ({ attendees, ...event }: FeedEvent): ReadEvent => ({
  ...event,
  attendees: JSON.stringify(attendees),
  declined: attendees.flatMap(({ email, responseStatus }) => (responseStatus === "declined" ? [email] : [])),
});

answerInPieces(({ bytes, ...question }: BytesQuestion): BytesAnswer => {
  const answer = parseFeed({ ...question, text: new TextDecoder().decode(bytes) });
  if ("fault" in answer) return answer;
  const events = answer.events.map(toReadEvent);
  return { events, hash: createHash("sha256").update(JSON.stringify(events)).digest("hex") };
});
