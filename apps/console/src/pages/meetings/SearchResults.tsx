import { Anchor, Button, Code, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { me } from "../../api/clients";
import { useDeletions } from "../../api/deletions";
import type { MeetingFilters } from "../../api/filters";
import { toSearchRanges } from "../../api/meeting-pages";
import type { Selection } from "../../api/use-selection";
import { Query } from "../../components/Query";
import { Empty } from "../../components/states";
import { type Chunk, MatchGroup } from "./MatchGroup";
import { MeetingRow } from "./MeetingRow";

/** Maximum number of matches returned by the server. */
const MATCHES = 40;
/** Number of meetings by title or person that are shown first, and after "Show more". */
const TITLES = 10;
const MORE_TITLES = 100;

/** Writes `1 match`, `12 matches` or `40+ matches`. */
const formatMatches = (count: number) =>
  `${count}${count === MATCHES ? "+" : ""} ${count === 1 ? "match" : "matches"}`;

const countMatches = (chunks: readonly Pick<Chunk, "relevance">[]) =>
  chunks.filter(({ relevance }) => relevance === "match").length;

/** Says how many passages match, or that maybe none answers the query. */
function describeFound(chunks: readonly Chunk[]): string {
  const matches = countMatches(chunks);
  if (matches === 0) return "No close match. These passages may be about something else.";
  const related = chunks.length - matches;
  return `${formatMatches(matches)}${related > 0 ? ` and ${related} related` : ""}, best first`;
}

/** Says how many older passages match or, if none does, how many older meetings do by title or person. */
const describeOlder = (passages: readonly Pick<Chunk, "relevance">[], titles: number): string | null => {
  const matches = countMatches(passages);
  if (matches > 0) return `${formatMatches(matches)} in older meetings`;
  if (titles === 0) return passages.length > 0 ? "Related passages in older meetings" : null;
  return `${titles}${titles === TITLES ? "+" : ""} older ${titles === 1 ? "meeting" : "meetings"} by title or person`;
};

interface SearchProps {
  readonly filters: MeetingFilters;
  readonly query: string;
}

/** Meetings whose title or people match, then passages of transcripts, grouped by meeting. */
export default function SearchResults({ selection, ...search }: SearchProps & { selection: Selection }) {
  return (
    <Stack gap="lg">
      <SearchProgress />
      <TitleMatches {...search} selection={selection} />
      <PassageMatches {...search} />
    </Stack>
  );
}

/** Results of the last query stay until there are others, and a query that isn't shown any more is cancelled. */
const asTyped = { placeholderData: keepPreviousData, trpc: { abortOnUnmount: true } } as const;

function TitleMatches({ filters, query, selection }: SearchProps & { selection: Selection }) {
  const { searched } = toSearchRanges(filters);
  const deletions = useDeletions();
  /** The query of which all titles are shown. */
  const [whole, setWhole] = useState<string | null>(null);
  const limit = whole === query ? MORE_TITLES : TITLES + 1;
  const titles = useQuery(me.meetings.find.queryOptions({ text: query, limit, ...searched }, asTyped));
  const byTitle = titles.data?.meetings.filter(({ id }) => !deletions.has(id)) ?? [];
  const shownTitles = whole === query ? byTitle : byTitle.slice(0, TITLES);
  if (byTitle.length === 0) return null;
  return (
    <section aria-label="Titles and people">
      <Title order={2} size="h3" mb={4}>
        Titles and people
      </Title>
      {shownTitles.map((meeting) => (
        <MeetingRow key={meeting.id} meeting={meeting} selection={selection} dated />
      ))}
      {byTitle.length > shownTitles.length && (
        <Button variant="default" size="xs" mt="xs" onClick={() => setWhole(query)}>
          Show more
        </Button>
      )}
      {byTitle.length === MORE_TITLES && (
        <Text size="sm" c="dimmed">
          These are the newest {MORE_TITLES}. Filter by date for older ones.
        </Text>
      )}
    </section>
  );
}

/**
 * Searches before the range of a search without dates.
 * @param isWanted false until the range itself has been searched
 * @returns what it found; null if nothing
 */
function useOlder({ filters, query }: SearchProps, isWanted: boolean) {
  const { older } = toSearchRanges(filters);
  const enabled = older !== null && isWanted;
  const passages = useQuery(me.meetings.search.queryOptions({ query, ...older }, { enabled, ...asTyped }));
  const titles = useQuery(me.meetings.find.queryOptions({ text: query, ...older }, { enabled, ...asTyped }));
  const found = older ? describeOlder(passages.data?.results ?? [], titles.data?.meetings.length ?? 0) : null;
  return { found, isLoading: passages.isLoading };
}

function PassageMatches({ filters, query }: SearchProps) {
  const { searched } = toSearchRanges(filters);
  const deletions = useDeletions();
  const found = useQuery(me.meetings.search.queryOptions({ query, ...searched }, asTyped));
  const older = useOlder({ filters, query }, found.isSuccess && !found.isPlaceholderData);
  const words = listTellingWords(query);
  return (
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
              {groups.length === 0 && older.found === null ? (
                older.isLoading ? null : (
                  <Empty title="No meeting mentions this.">Try other words or fewer filters.</Empty>
                )
              ) : (
                <Text size="sm" c="dimmed" role="status" mb="xs">
                  {describeFound(results)}
                </Text>
              )}
              <Stack gap="md">
                {groups.map((group) => (
                  <MatchGroup key={group[0]?.meetingId} chunks={group} words={words} />
                ))}
              </Stack>
              {older.found !== null && (
                <Anchor
                  mt="md"
                  size="sm"
                  display="inline-block"
                  renderRoot={(props) => (
                    <Link to="/meetings" search={{ ...filters, all: true }} {...props} />
                  )}
                >
                  {older.found}
                </Anchor>
              )}
            </>
          );
        }}
      </Query>
    </section>
  );
}

/** Lists the words of a query to mark in its results: the long ones, if there are any, because "the" is in most words. */
function listTellingWords(query: string): string[] {
  const words = query.split(/\s+/).filter((word) => word.length > 2);
  const long = words.filter((word) => word.length > 3);
  return long.length > 0 ? long : words;
}

/** Groups matches by meeting, ordered by each meeting's best match. */
function groupByMeeting(chunks: readonly Chunk[]): Chunk[][] {
  const groups = new Map<string, Chunk[]>();
  for (const chunk of chunks) groups.set(chunk.meetingId, [...(groups.get(chunk.meetingId) ?? []), chunk]);
  return [...groups.values()];
}

/** Interval in ms at which the state is refreshed while meetings wait or the model fails. */
const INTERVAL = 10_000;

/** Says that the model fails, or how many meetings a new one has not encoded yet; nothing once it has. */
function SearchProgress() {
  const { data } = useQuery(
    me.meetings.searchProgress.queryOptions(undefined, {
      refetchInterval: ({ state }) => (state.data?.waiting || state.data?.failing ? INTERVAL : false),
    }),
  );
  if (data?.failing)
    return (
      <Text size="sm" c="dimmed" role="status">
        Search by meaning is not available at the moment, so only words find meetings. It is retried by
        itself. If this stays, ask your operator to run <Code>minutes doctor</Code>.
      </Text>
    );
  if (!data?.waiting) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      Still being prepared for search by meaning: {data.waiting} of {data.meetings} meetings. Until then, only
      their words find them.
    </Text>
  );
}
