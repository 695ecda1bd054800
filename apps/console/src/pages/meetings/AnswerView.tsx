import { Loader, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Failure } from "../../components/states";
import { formatClock, formatDate } from "../../components/times";
import { MatchGroup } from "./MatchGroup";
import type { End, Sentence, StreamedAnswer } from "./use-answer";

/** Shows an answer as far as it has arrived. Everything is text: nothing that a model writes becomes a link. */
export function AnswerView({ answer, about }: { answer: StreamedAnswer; about: string }) {
  const { sentences, end, error, isRunning } = answer;
  return (
    <Stack gap="sm" role="status" aria-busy={isRunning}>
      {sentences.map((sentence) => (
        <SentenceView key={`${sentence.quote.link} ${sentence.text}`} sentence={sentence} />
      ))}
      {isRunning && <Loader size="sm" aria-label="Loading" />}
      {end?.note && (
        <Text size="sm" c="dimmed">
          {end.note}
        </Text>
      )}
      {end && <Rest end={end} about={about} />}
      {error !== null && <Failure error={error} />}
    </Stack>
  );
}

function SentenceView({ sentence: { text, quote } }: { sentence: Sentence }) {
  const { meetingId, meetingTitle, meetingDate, position, startSeconds, speakerName } = quote;
  const time = startSeconds === null ? [] : [formatClock(startSeconds)];
  return (
    <div>
      <Text>{text}</Text>
      <Link to="/meetings/$meetingId" params={{ meetingId }} search={{ at: position }} className="passage">
        <Text size="xs" c="dimmed">
          {[meetingTitle ?? "Untitled", formatDate(meetingDate), ...time, speakerName].join(" · ")}
        </Text>
        <Text size="sm">“{quote.text}”</Text>
      </Link>
    </div>
  );
}

/** Shows that nothing was found, or the turns of an answer without sentences. */
function Rest({ end: { found, isWritten, meetings, searched }, about }: { end: End; about: string }) {
  if (!found)
    return (
      <Text size="sm" c="dimmed">
        Not found in {about}. Searched for {searched.words.join(", ")}
        {searched.byMeaning ? " by words and by meaning." : " by words: try other words."}
      </Text>
    );
  if (isWritten) return null;
  return meetings.map(({ turns, ...meeting }) => (
    <MatchGroup
      key={meeting.meetingId}
      words={searched.words}
      chunks={joinNeighbors(turns).map((passage) => ({
        ...{ ...meeting, id: passage[0]?.link ?? "", text: passage.map(({ text }) => text).join("\n") },
        relevance: passage.some(({ relevance }) => relevance === "match") ? "match" : "related",
        segments: passage.map((turn) => ({ ...turn, endSeconds: null })),
      }))}
    />
  ));
}

type Turn = End["meetings"][number]["turns"][number];

/** Joins turns that follow each other into one passage. */
function joinNeighbors(turns: readonly Turn[]): readonly (readonly Turn[])[] {
  const passages: Turn[][] = [];
  for (const turn of turns) {
    const before = passages.at(-1);
    if (before?.at(-1)?.position === turn.position - 1) before.push(turn);
    else passages.push([turn]);
  }
  return passages;
}
