import { Button, Highlight, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { formatClock, formatDate } from "../../components/times";
import { findTurn, listFound, toExcerpt } from "./find-turn";

/** Number of passages of a meeting that are shown first. */
const PASSAGES = 3;

/** A passage of a meeting. */
export interface Chunk {
  readonly id: string;
  readonly meetingId: string;
  readonly meetingTitle: string | null;
  readonly meetingDate: string;
  readonly text: string;
  /** `related` if the passage may not fit the query. */
  readonly relevance: "match" | "related";
  readonly segments: readonly Segment[];
}

interface Segment {
  readonly position: number;
  readonly speakerName: string;
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
}

/** Shows passages of one meeting, each with a link to where it was said. */
export function MatchGroup({ chunks, words }: { chunks: readonly Chunk[]; words: readonly string[] }) {
  const [isWhole, { toggle }] = useDisclosure();
  const [best] = chunks;
  if (!best) return null;
  return (
    <article aria-label={best.meetingTitle ?? "Untitled"}>
      <Text fw={600} size="sm">
        <Link to="/meetings/$meetingId" params={{ meetingId: best.meetingId }} className="quiet-link">
          <bdi>{best.meetingTitle ?? "Untitled"}</bdi>
        </Link>{" "}
        ·{" "}
        <Text span c="dimmed" size="sm">
          {formatDate(best.meetingDate)}
        </Text>
      </Text>
      {chunks.slice(0, isWhole ? chunks.length : PASSAGES).map((chunk) => (
        <Link
          key={chunk.id}
          to="/meetings/$meetingId"
          params={{ meetingId: chunk.meetingId }}
          search={toPassage(chunk, words)}
          className="passage"
        >
          <VisuallyHidden>{best.meetingTitle ?? "Untitled"}: </VisuallyHidden>
          <Text size="xs" c="dimmed">
            {describeSegments(chunk.segments)}
            {chunk.relevance === "related" && " · Related"}
          </Text>
          <Excerpt text={toExcerpt(chunk.text, words)} words={words} />
        </Link>
      ))}
      {chunks.length > PASSAGES && (
        <Button variant="subtle" color="gray" size="compact-sm" aria-expanded={isWhole} onClick={toggle}>
          {isWhole ? "Fewer" : `${chunks.length - PASSAGES} more in this meeting`}
        </Button>
      )}
    </article>
  );
}

/** Marks the words of a passage that were found. */
const Excerpt = ({ text, words }: { text: string; words: readonly string[] }) => (
  <Highlight highlight={listFound(text, words)} wholeWord size="sm" lineClamp={3} dir="auto">
    {text}
  </Highlight>
);

/** Returns the position of a result in its transcript. Summaries, tasks and meetings indexed by old versions have none. */
function toPassage(chunk: Chunk, words: readonly string[]) {
  const at = findTurn(chunk, words);
  return at === undefined ? { find: chunk.text.slice(0, 120) } : { at };
}

/** Formats a result's time or time range, if known, and its speakers: `1:02 – 1:40 · Ada, Ben`. */
function describeSegments(segments: readonly Segment[]): string {
  if (segments.length === 0) return "Title, summary or task";
  const times = segments.flatMap(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].filter((seconds) => seconds !== null),
  );
  const ends = times.length > 0 ? [Math.min(...times), Math.max(...times)].map(formatClock) : [];
  const span = [...new Set(ends)].join(" – ");
  return [
    ...(span === "" ? [] : [span]),
    [...new Set(segments.map(({ speakerName }) => speakerName))].join(", "),
  ].join(" · ");
}
