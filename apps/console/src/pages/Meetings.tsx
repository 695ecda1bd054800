import { Button, CloseButton, Group, NativeSelect, Pill, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { IconFilter, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { me } from "../api/clients";
import { loadWhenReachable } from "../api/connection";
import { createFilterFields, type MeetingFilters } from "../api/filters";
import { toListFilters } from "../api/meeting-pages";
import { useSelection } from "../api/use-selection";
import { AccessRequests } from "../components/AccessRequests";
import { Opening } from "../components/Opening";
import { RemovablePill } from "../components/RemovablePill";
import { Loading, Page } from "../components/states";
import { MeetingList } from "./meetings/MeetingList";

/** Loaded when it is opened. */
const loadAskPanel = () => import("./meetings/AskPanel");
const AskPanel = lazy(() => loadWhenReachable(loadAskPanel));
/** Loaded on the first selection. */
const loadSelectionBar = () => import("./meetings/SelectionBar");
const SelectionBar = lazy(() => loadWhenReachable(loadSelectionBar));
/** Loaded once the search field has the focus. */
const loadSearchResults = () => import("./meetings/SearchResults");
const SearchResults = lazy(() => loadWhenReachable(loadSearchResults));

const route = getRouteApi("/signed-in/meetings");

/** Debounce of the search field in ms: longer than between two letters that a thumb types. Enter searches at once. */
const PAUSE = 600;
/** Characters of a query that is searched without Enter. */
const MIN_LENGTH = 2;

/** Lists own and shared meetings by day; searches titles, people and transcripts. Filters are in the URL. */
export function Meetings() {
  const filters = route.useSearch();
  const listFilters = toListFilters(filters);
  const selection = useSelection();
  const [asks, { toggle }] = useDisclosure(false);
  return (
    <Page
      actions={
        <Button variant="default" aria-expanded={asks} onClick={toggle}>
          {asks ? "Close" : "Ask"}
        </Button>
      }
    >
      {asks && (
        <Suspense fallback={<Opening load={loadAskPanel} close={toggle} />}>
          <AskPanel focused />
        </Suspense>
      )}
      <AccessRequests />
      <Filters filters={filters} />
      {selection.meetings.length > 0 && (
        <Suspense fallback={<Opening load={loadSelectionBar} close={selection.clear} />}>
          <SelectionBar selection={selection} />
        </Suspense>
      )}
      {filters.q === undefined ? (
        <MeetingList
          key={JSON.stringify(listFilters)}
          filters={listFilters}
          isFiltered={isFiltered(filters)}
          selection={selection}
        />
      ) : (
        <Suspense fallback={<Loading />}>
          <SearchResults filters={filters} query={filters.q} selection={selection} />
        </Suspense>
      )}
    </Page>
  );
}

const isFiltered = ({ from, to, tag, whose }: MeetingFilters) => Boolean(from ?? to ?? tag ?? whose);

function Filters({ filters }: { filters: MeetingFilters }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState(filters.q ?? "");
  const [opened, { toggle }] = useDisclosure(false);
  const tags = useQuery(me.tags.list.queryOptions({}));
  const set = (change: MeetingFilters, replace = false) =>
    void navigate({ to: "/meetings", search: (before) => ({ ...before, ...change }), replace });
  const search = useDebouncedCallback(
    (text: string) => set({ q: text.trim() || undefined }, filters.q !== undefined),
    { delay: PAUSE },
  );
  useEffect(
    () => setQuery((typed) => (typed.trim() === (filters.q ?? "") ? typed : (filters.q ?? ""))),
    [filters.q],
  );
  const type = (text: string) => {
    setQuery(text);
    search(text);
    const { length } = text.trim();
    if (length === 0) search.flush();
    else if (length < MIN_LENGTH) search.cancel();
  };
  const searchNow = () => {
    search(query);
    search.flush();
  };
  return (
    <search>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          aria-label="Search meetings"
          placeholder="Search titles, people and what was said"
          type="search"
          leftSection={<IconSearch size={16} />}
          rightSection={
            query !== "" && <CloseButton size="sm" aria-label="Clear the search" onClick={() => type("")} />
          }
          value={query}
          onChange={(event) => type(event.currentTarget.value)}
          onFocus={() => void loadWhenReachable(loadSearchResults)}
          onKeyDown={(event) => event.key === "Enter" && searchNow()}
          maxLength={1000}
          flex={1}
        />
        <Button
          variant="default"
          leftSection={<IconFilter size={16} />}
          aria-expanded={opened}
          onClick={toggle}
        >
          Filter
        </Button>
      </Group>
      {opened && <FilterFields filters={filters} set={set} tags={tags.data?.tags ?? []} />}
      <Chips filters={filters} set={set} />
    </search>
  );
}

interface FilterProps {
  readonly filters: MeetingFilters;
  readonly set: (change: MeetingFilters) => void;
}

function FilterFields({ filters, set, tags }: FilterProps & { tags: readonly { name: string }[] }) {
  const names = [...new Set(tags.map(({ name }) => name))];
  const field = createFilterFields(filters, set);
  return (
    <Group gap="sm" mt="sm">
      <NativeSelect
        label="Show"
        data={[
          { value: "", label: "All meetings" },
          { value: "mine", label: "My meetings" },
          { value: "shared", label: "Shared with me" },
        ]}
        {...field("whose", { tag: undefined })}
      />
      <NativeSelect
        label="Tag"
        data={[{ value: "", label: "Any tag" }, ...names]}
        {...field("tag", { whose: undefined })}
      />
      <TextInput label="From" type="date" {...field("from")} />
      <TextInput label="To" type="date" {...field("to")} />
    </Group>
  );
}

/** The active filters as removable chips. */
function Chips({ filters, set }: FilterProps) {
  const { from, to, tag, whose, q, all } = filters;
  const chips: [label: string, name: string, off: MeetingFilters][] = [
    ...(whose
      ? [
          [
            whose === "mine" ? "My meetings" : "Shared with me",
            "whose meetings",
            { whose: undefined },
          ] as const,
        ]
      : []),
    ...(tag ? [[`Tag: ${tag}`, "tag", { tag: undefined }] as const] : []),
    ...(from ? [[`From ${from}`, "start date", { from: undefined }] as const] : []),
    ...(to ? [[`Until ${to}`, "end date", { to: undefined }] as const] : []),
    // A search without dates covers six months.
    ...(q && !from && !to && !all ? [["Last 6 months", "range", { all: true }] as const] : []),
  ].map(([label, name, off]) => [label, name, off]);
  if (chips.length === 0) return null;
  return (
    <Pill.Group mt="xs">
      {chips.map(([label, name, off]) => (
        <RemovablePill key={name} large label={`Remove the filter ${name}`} onRemove={() => set(off)}>
          {label}
        </RemovablePill>
      ))}
    </Pill.Group>
  );
}
