import { Button, Group, Highlight, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { me } from "../api/clients";
import type { MeetingFilters } from "../api/filters";
import { Query } from "../components/Query";
import { Empty, Page } from "../components/states";
import { formatClock } from "../components/times";
import { MeetingList } from "./meetings/MeetingList";

const route = getRouteApi("/signed-in/meetings");

/** Lists own and shared meetings, newest first; searches what was said. Filters are kept in the address. */
export function Meetings() {
  const filters = route.useSearch();
  const listFilters = toListFilters(filters);
  return (
    <Page title="Meetings">
      <Filters filters={filters} />
      {filters.q === undefined ? (
        <MeetingList key={JSON.stringify(listFilters)} filters={listFilters} />
      ) : (
        <SearchResults filters={filters} query={filters.q} />
      )}
    </Page>
  );
}

function Filters({ filters }: { filters: MeetingFilters }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState(filters.q ?? "");
  const [person, setPerson] = useState(filters.person ?? "");
  useEffect(() => setQuery(filters.q ?? ""), [filters.q]);
  useEffect(() => setPerson(filters.person ?? ""), [filters.person]);
  const tags = useQuery(me.tags.list.queryOptions({}));
  const set = (change: MeetingFilters) =>
    void navigate({ to: "/meetings", search: { ...filters, ...change } });
  const names = [...new Set(tags.data?.tags.map(({ name }) => name))];
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const q = query.trim() || undefined;
          set({ q, person: q && (person.trim() || undefined) });
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Search what was said"
            type="search"
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            maxLength={1000}
            flex="1 1 240px"
          />
          <Button type="submit">Search</Button>
          {filters.q !== undefined && (
            <Button variant="default" onClick={() => set({ q: undefined, person: undefined })}>
              Clear search
            </Button>
          )}
          <TextInput
            label="From"
            type="date"
            value={filters.from ?? ""}
            onChange={(event) => set({ from: event.currentTarget.value || undefined })}
          />
          <TextInput
            label="To"
            type="date"
            value={filters.to ?? ""}
            onChange={(event) => set({ to: event.currentTarget.value || undefined })}
          />
          <NativeSelect
            label="Tag"
            data={[{ value: "", label: "All" }, ...names]}
            value={filters.tag ?? ""}
            onChange={(event) => set({ tag: event.currentTarget.value || undefined })}
            w={160}
          />
          {filters.q !== undefined && (
            <TextInput
              label="Who spoke"
              placeholder="Name or e-mail"
              value={person}
              onChange={(event) => setPerson(event.currentTarget.value)}
              maxLength={254}
              w={160}
            />
          )}
        </Group>
      </form>
    </search>
  );
}

const toListFilters = ({ from, to, tag }: MeetingFilters) => ({
  ...(from ? { startDate: from } : {}),
  ...(to ? { endDate: to } : {}),
  ...(tag ? { tag } : {}),
});

function SearchResults({ filters, query }: { filters: MeetingFilters; query: string }) {
  const { person } = filters;
  const search = useQuery(
    me.meetings.search.queryOptions({ query, ...toListFilters(filters), ...(person ? { person } : {}) }),
  );
  const words = query.split(/\s+/).filter((word) => word.length > 2);
  return (
    <Query query={search}>
      {({ results, allTime }) =>
        results.length === 0 ? (
          <NothingFound filters={filters} allTime={allTime} />
        ) : (
          <Stack gap="xs">
            <Text size="sm" c="dimmed" role="status">
              {formatMatches(results.length)}, best first
            </Text>
            {results.map((chunk) => (
              <Link
                key={chunk.id}
                to="/meetings/$meetingId"
                params={{ meetingId: chunk.meetingId }}
                search={toPassage(chunk)}
                className="meeting-row"
              >
                <Text fw={600}>
                  {chunk.meetingTitle ?? "Untitled"} · {chunk.meetingDate}
                </Text>
                <Text size="xs" c="dimmed">
                  {describeSegments(chunk.segments)}
                </Text>
                <Highlight highlight={words} size="sm" lineClamp={4}>
                  {chunk.text}
                </Highlight>
              </Link>
            ))}
          </Stack>
        )
      }
    </Query>
  );
}

const formatMatches = (count: number) => `${count} ${count === 1 ? "match" : "matches"}`;

interface Segment {
  readonly position: number;
  readonly speakerName: string;
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
}

/** Says where a result is in its transcript. Meetings that were indexed long ago don't know the place. */
const toPassage = ({ segments: [first], text }: { segments: readonly Segment[]; text: string }) =>
  first ? { at: first.position } : { find: text.slice(0, 120) };

/** Writes `1:02 – 1:40 · Ada, Ben`: when a result was said, where that is known, and by whom. */
function describeSegments(segments: readonly Segment[]): string {
  const times = segments.flatMap(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].filter((seconds) => seconds !== null),
  );
  const span =
    times.length > 0 ? [`${formatClock(Math.min(...times))} – ${formatClock(Math.max(...times))}`] : [];
  return [...span, [...new Set(segments.map(({ speakerName }) => speakerName))].join(", ")].join(" · ");
}

/** Says what there is outside the range that was searched. */
function NothingFound({
  filters,
  allTime,
}: {
  filters: MeetingFilters;
  allTime: { matches: number; firstDate: string } | null;
}) {
  const dated = filters.from !== undefined || filters.to !== undefined;
  const where = dated ? "between these dates" : "in the last six months";
  if (allTime === null)
    return <Empty title="Nothing was found in all time.">Try other words or filters.</Empty>;
  return (
    <Empty title={`Nothing was found ${where}.`}>
      <Link to="/meetings" search={{ ...filters, from: allTime.firstDate, to: undefined }}>
        {formatMatches(allTime.matches)} in all time
      </Link>
    </Empty>
  );
}
