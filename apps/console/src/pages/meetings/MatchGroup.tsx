import { Highlight, Text, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatClock, formatDate } from "../../components/times";
import { findTurn, toExcerpt } from "./find-turn";

/** Maximum number of passages per meeting. */
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
  const [best] = chunks;
  if (!best) return null;
  return (
    <article aria-label={best.meetingTitle ?? "Untitled"}>
      <Text fw={600} size="sm">
        {best.meetingTitle ?? "Untitled"} ·{" "}
        <Text span c="dimmed" size="sm">
          {formatDate(best.meetingDate)}
        </Text>
      </Text>
      {chunks.slice(0, PASSAGES).map((chunk) => (
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
          <Highlight highlight={[...words]} size="sm" lineClamp={3}>
            {toExcerpt(chunk.text, words)}
          </Highlight>
        </Link>
      ))}
      {chunks.length > PASSAGES && (
        <Text size="xs" c="dimmed" px="sm">
          {chunks.length - PASSAGES} more in this meeting
        </Text>
      )}
    </article>
  );
}

/** Returns the position of a result in its transcript. Summaries, tasks and meetings indexed by old versions have none. */
function toPassage(chunk: Chunk, words: readonly string[]) {
  const at = findTurn(chunk, words);
  return at === undefined ? { find: chunk.text.slice(0, 120) } : { at };
}

/** Formats a result's time range, if known, and its speakers: `1:02 – 1:40 · Ada, Ben`. */
function describeSegments(segments: readonly Segment[]): string {
  if (segments.length === 0) return "Title, summary or task";
  const times = segments.flatMap(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].filter((seconds) => seconds !== null),
  );
  const span =
    times.length > 0 ? [`${formatClock(Math.min(...times))} – ${formatClock(Math.max(...times))}`] : [];
  return [...span, [...new Set(segments.map(({ speakerName }) => speakerName))].join(", ")].join(" · ");
}
