import { Anchor, Highlight, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { me } from "../../api/clients";
import { useDeletions } from "../../api/deletions";
import type { MeetingFilters } from "../../api/filters";
import { toSearchRanges } from "../../api/search-ranges";
import type { Selection } from "../../api/use-selection";
import { Query } from "../../components/Query";
import { Empty } from "../../components/states";
import { formatClock, formatDate } from "../../components/times";
import { MeetingRow } from "./MeetingRow";

/** Maximum number of passages per meeting. */
const PASSAGES = 3;
/** Maximum number of matches returned by the server. */
const MATCHES = 40;
/** Maximum number of meetings found by title or person. */
const TITLES = 10;

/** Writes `1 match`, `12 matches` or `40+ matches`. */
const formatMatches = (count: number) =>
  `${count}${count === MATCHES ? "+" : ""} ${count === 1 ? "match" : "matches"}`;

/** Says how many older passages match or, if none does, how many older meetings do by title or person. */
const describeOlder = (passages: number, titles: number): string | null => {
  if (passages > 0) return `${formatMatches(passages)} in older meetings`;
  if (titles === 0) return null;
  return `${titles}${titles === TITLES ? "+" : ""} older ${titles === 1 ? "meeting" : "meetings"} by title or person`;
};

/** Meetings whose title or people match, then passages of transcripts, grouped by meeting. */
export function SearchResults({
  filters,
  query,
  selection,
}: {
  filters: MeetingFilters;
  query: string;
  selection: Selection;
}) {
  const { searched, older } = toSearchRanges(filters);
  const placeholderData = keepPreviousData;
  const deletions = useDeletions();
  const found = useQuery(me.meetings.search.queryOptions({ query, ...searched }, { placeholderData }));
  const titles = useQuery(me.meetings.find.queryOptions({ text: query, ...searched }, { placeholderData }));
  const enabled = older !== null;
  const olderFound = useQuery(me.meetings.search.queryOptions({ query, ...older }, { enabled }));
  const olderTitles = useQuery(me.meetings.find.queryOptions({ text: query, ...older }, { enabled }));
  const words = query.split(/\s+/).filter((word) => word.length > 2);
  const byTitle = titles.data?.meetings.filter(({ id }) => !deletions.has(id)) ?? [];
  const more = enabled
    ? describeOlder(olderFound.data?.results.length ?? 0, olderTitles.data?.meetings.length ?? 0)
    : null;
  return (
    <Stack gap="lg">
      {byTitle.length > 0 && (
        <section aria-label="Titles and people">
          <Title order={2} size="h3" mb={4}>
            Titles and people
          </Title>
          {byTitle.map((meeting) => (
            <MeetingRow key={meeting.id} meeting={meeting} selection={selection} />
          ))}
        </section>
      )}
      <section aria-label="In meetings">
        <Query query={found}>
          {(data) => {
            const results = data.results.filter(({ meetingId }) => !deletions.has(meetingId));
            const groups = groupByMeeting(results);
            return (
              <>
                <Title order={2} size="h3" mb={4}>
                  In meetings
                </Title>
                {groups.length === 0 && more === null ? (
                  olderFound.isLoading ? null : (
                    <Empty title="No meeting mentions this.">Try other words or fewer filters.</Empty>
                  )
                ) : (
                  <Text size="sm" c="dimmed" role="status" mb="xs">
                    {formatMatches(results.length)}, best first
                  </Text>
                )}
                <Stack gap="md">
                  {groups.map((group) => (
                    <MatchGroup key={group[0]?.meetingId} chunks={group} words={words} />
                  ))}
                </Stack>
                {more !== null && (
                  <Anchor
                    mt="md"
                    size="sm"
                    display="inline-block"
                    renderRoot={(props) => (
                      <Link to="/meetings" search={{ ...filters, all: true }} {...props} />
                    )}
                  >
                    {more}
                  </Anchor>
                )}
              </>
            );
          }}
        </Query>
      </section>
    </Stack>
  );
}

interface Chunk {
  readonly id: string;
  readonly meetingId: string;
  readonly meetingTitle: string | null;
  readonly meetingDate: string;
  readonly text: string;
  /** `related` if the passage fits the query less than others do. */
  readonly relevance: "match" | "related";
  readonly segments: readonly Segment[];
}

interface Segment {
  readonly position: number;
  readonly speakerName: string;
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
}

/** Groups matches by meeting, ordered by each meeting's best match. */
function groupByMeeting(chunks: readonly Chunk[]): Chunk[][] {
  const groups = new Map<string, Chunk[]>();
  for (const chunk of chunks) groups.set(chunk.meetingId, [...(groups.get(chunk.meetingId) ?? []), chunk]);
  return [...groups.values()];
}

function MatchGroup({ chunks, words }: { chunks: readonly Chunk[]; words: readonly string[] }) {
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
          search={toPassage(chunk)}
          className="passage"
        >
          <VisuallyHidden>{best.meetingTitle ?? "Untitled"}: </VisuallyHidden>
          <Text size="xs" c="dimmed">
            {describeSegments(chunk.segments)}
            {chunk.relevance === "related" && " · Related"}
          </Text>
          <Highlight highlight={[...words]} size="sm" lineClamp={3}>
            {chunk.text}
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
const toPassage = ({ segments: [first], text }: Chunk) =>
  first ? { at: first.position } : { find: text.slice(0, 120) };

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
