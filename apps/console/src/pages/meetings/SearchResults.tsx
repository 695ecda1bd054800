import { Anchor, Highlight, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { me } from "../../api/clients";
import type { MeetingFilters } from "../../api/filters";
import { toListFilters } from "../../api/meeting-pages";
import { Query } from "../../components/Query";
import { Empty } from "../../components/states";
import { formatClock, formatDateTime } from "../../components/times";
import { MeetingRow } from "./MeetingRow";

/** The start of a search in all time. */
const ALL_TIME = "0001-01-01";
/** Maximum number of passages per meeting. */
const PASSAGES = 3;
/** Maximum number of matches returned by the server. */
const MATCHES = 40;

/** Writes `1 match`, `12 matches` or `40+ matches`. */
const formatMatches = (count: number) =>
  `${count}${count === MATCHES ? "+" : ""} ${count === 1 ? "match" : "matches"}`;

/** Meetings whose title or people match, then passages of transcripts, grouped by meeting. */
export function SearchResults({ filters, query }: { filters: MeetingFilters; query: string }) {
  const { whose: _, ...range } = toListFilters(filters);
  const isDated = filters.from !== undefined || filters.to !== undefined;
  const searchesAll = isDated || filters.all === true;
  const allTime = isDated ? {} : { startDate: ALL_TIME };
  const placeholderData = keepPreviousData;
  const found = useQuery(
    me.meetings.search.queryOptions(
      { query, ...range, ...(filters.all ? allTime : {}) },
      { placeholderData },
    ),
  );
  const older = useQuery(
    me.meetings.search.queryOptions({ query, ...range, ...allTime }, { enabled: !searchesAll }),
  );
  const titles = useQuery(me.meetings.find.queryOptions({ text: query }, { placeholderData }));
  const words = query.split(/\s+/).filter((word) => word.length > 2);
  return (
    <Stack gap="lg">
      {titles.data && titles.data.meetings.length > 0 && (
        <section aria-label="Titles and people">
          <Title order={2} size="h3" mb={4}>
            Titles and people
          </Title>
          {titles.data.meetings.map((meeting) => (
            <MeetingRow key={meeting.id} meeting={meeting} />
          ))}
        </section>
      )}
      <section aria-label="In meetings">
        <Query query={found}>
          {({ results }) => {
            const groups = groupByMeeting(results);
            const ids = new Set(results.map(({ id }) => id));
            const missing = older.data?.results.filter(({ id }) => !ids.has(id)).length ?? 0;
            return (
              <>
                <Title order={2} size="h3" mb={4}>
                  In meetings
                </Title>
                {groups.length === 0 && missing === 0 ? (
                  older.isLoading ? null : (
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
                {missing > 0 && (
                  <Anchor
                    mt="md"
                    size="sm"
                    display="inline-block"
                    renderRoot={(props) => (
                      <Link to="/meetings" search={{ ...filters, all: true }} {...props} />
                    )}
                  >
                    {formatMatches(missing)} in older meetings
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
          {formatDateTime(`${best.meetingDate}T12:00:00`).split(",")[0]}
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
