import type { MeetingDetail } from "@minutes/contract";
import { ApiError } from "@minutes/core";

/** Maximum page length in characters, some 1,500 tokens. */
export const PAGE_LENGTH = 6_000;

/**
 * Splits a transcript into pages: between turns if possible, otherwise between characters. The joined pages equal the
 * transcript.
 */
export function splitIntoPages(transcript: string, length = PAGE_LENGTH): string[] {
  const pages: string[] = [];
  for (let start = 0; start < transcript.length; ) {
    let end = Math.min(transcript.length, start + length);
    if (end < transcript.length) {
      const turn = transcript.lastIndexOf("\n\n", end - 2);
      if (turn > start) end = turn + 2;
      // Keeps surrogate pairs together.
      else if (/[\uDC00-\uDFFF]/.test(transcript.charAt(end))) end++;
    }
    pages.push(transcript.slice(start, end));
    start = end;
  }
  return pages.length === 0 ? [""] : pages;
}

/** Removes a meeting's largest parts: the transcript, and the summary's second format. */
export function removeTranscript(payload: unknown): unknown {
  const { transcript, summary, ...meeting } = payload as MeetingDetail;
  const { html, ...shorter } = summary;
  return { ...meeting, summary: shorter, transcriptPages: splitIntoPages(transcript).length };
}

/** Returns one page of a meeting's transcript. @throws ApiError 400 for a page that does not exist */
export async function getTranscriptPage(page: unknown, get: () => Promise<unknown>): Promise<unknown> {
  if (page !== undefined && !(Number.isInteger(page) && (page as number) >= 1)) {
    throw new ApiError("BAD_REQUEST", "page must be an integer from 1.");
  }
  const number = (page as number | undefined) ?? 1;
  const { id, title, transcript } = (await get()) as MeetingDetail;
  const pages = splitIntoPages(transcript);
  const text = pages[number - 1];
  if (text === undefined) throw new ApiError("BAD_REQUEST", `The transcript has ${pages.length} pages.`);
  return { meetingId: id, title, page: number, pages: pages.length, transcript: text };
}
