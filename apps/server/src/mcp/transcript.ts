import type { MeetingDetail, MeetingWithFacts } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { runSteps, type Steps } from "@minutes/db";

/** Maximum page length in bytes of JSON, which leaves space for the title in an answer of 6 KB. */
const PAGE_BYTES = 5_500;

/** Pages made per step, of the thousand that the longest meetings have. */
const PAGES_AT_ONCE = 20;

const getLength = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Returns the end of the longest page from `start`: after a turn if possible, otherwise between characters. */
function findEnd(transcript: string, start: number, bytes: number): number {
  let end = Math.min(transcript.length, start + bytes);
  for (let length = bytes + 1; length > bytes; ) {
    length = getLength(transcript.slice(start, end));
    if (length > bytes) end = start + Math.floor(((end - start) * bytes) / length);
  }
  if (end === transcript.length) return end;
  const turn = transcript.lastIndexOf("\n\n", end - 2);
  if (turn > start) return turn + 2;
  // Keeps surrogate pairs together, and advances at least one character.
  if (/[\uDC00-\uDFFF]/.test(transcript.charAt(end))) end--;
  return Math.max(end, start + ((transcript.codePointAt(start) ?? 0) > 0xffff ? 2 : 1));
}

/** Splits a transcript into pages of at most so many bytes of JSON. The joined pages equal the transcript. */
export function* splitIntoPages(transcript: string, bytes = PAGE_BYTES): Steps<string[]> {
  const pages: string[] = [];
  for (let start = 0; start < transcript.length; ) {
    const end = findEnd(transcript, start, bytes);
    pages.push(transcript.slice(start, end));
    start = end;
    if (pages.length % PAGES_AT_ONCE === 0) yield;
  }
  return pages.length === 0 ? [""] : pages;
}

/** Returns a meeting without its largest parts: the transcript, of which it has the number of pages, and the summary's HTML. */
export async function withoutTranscriptAndHtml({ transcript, summary, ...meeting }: MeetingWithFacts) {
  const { html: _, ...shorter } = summary;
  return {
    ...meeting,
    summary: shorter,
    transcriptPages: (await runSteps(splitIntoPages(transcript))).length,
  };
}

/** Returns one page of a meeting's transcript, from 1. @throws ApiError 400 for a page that does not exist */
export async function getTranscriptPage(page: number, get: () => Promise<unknown>): Promise<unknown> {
  const { id, title, transcript } = (await get()) as MeetingDetail;
  const pages = await runSteps(splitIntoPages(transcript));
  const text = pages[page - 1];
  if (text === undefined)
    throw new ApiError(
      "BAD_REQUEST",
      `The transcript has ${pages.length} page${pages.length === 1 ? "" : "s"}.`,
    );
  return { meetingId: id, title, page, pages: pages.length, transcript: text };
}
