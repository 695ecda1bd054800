import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useDeletions } from "../../api/deletions";
import { jumpToPage, type ListFilters } from "../../api/meeting-pages";
import type { Selection } from "../../api/use-selection";
import { Empty, Failure, Loading } from "../../components/states";
import { formatDay, toLocalStart } from "../../components/times";
import { FirstSteps } from "./FirstSteps";
import { MeetingRow } from "./MeetingRow";
import { usePages } from "./use-pages";

/** Heights in pixels. They are fixed so the scroll position stays while pages load and unload. */
const ROW = { wide: 64, narrow: 76 };
const DAY = 44;

/** Meetings by day: an infinite list that renders only visible rows. The window scrolls. */
export function MeetingList({
  filters,
  isFiltered,
  selection,
}: {
  filters: ListFilters;
  isFiltered: boolean;
  selection: Selection;
}) {
  const { query, meetings, firstRow, rows: count, days, show } = usePages(filters);
  const deletions = useDeletions();
  const moves = [selection.meetings.length > 0, query.isPending];
  const { list, rows, top, height } = useRows(count, days, moves);
  const items = rows.getVirtualItems();
  const first = items[0]?.index;
  const last = items.at(-1)?.index;
  useEffect(() => {
    if (first !== undefined && last !== undefined) void show(first, last);
  }, [show, first, last]);

  if (query.isError && meetings.length === 0)
    return <Failure error={query.error} retry={() => void jumpToPage(filters, [])} />;
  if (query.isPending) return <Loading />;
  if (count === 0)
    return isFiltered ? (
      <Empty title="No meetings match.">
        Change the filters, or <Link to="/meetings">show all meetings</Link>.
      </Empty>
    ) : (
      <FirstSteps />
    );
  return (
    <section ref={list} aria-label="Meetings" className="meeting-list">
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {items.map(({ index, key, start }) => {
          const meeting = meetings[index - firstRow];
          // A row is empty until its page has loaded.
          if (!meeting) return null;
          return (
            <div
              key={key}
              data-index={index}
              className="list-row"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {days.has(index) && (
                <h2 className="day" style={{ height: DAY }}>
                  {formatDay(toLocalStart(meeting))}
                </h2>
              )}
              <div style={{ height }}>
                {deletions.has(meeting.id) ? (
                  <div className="meeting-row deleted">
                    <s>{meeting.title}</s>
                  </div>
                ) : (
                  <MeetingRow meeting={meeting} selection={selection} />
                )}
              </div>
            </div>
          );
        })}
      </div>
    </section>
  );
}

/**
 * Renders only the visible rows of a list.
 * @param moves changes when something above the list appears or disappears
 */
function useRows(count: number, days: ReadonlySet<number>, moves: readonly boolean[]) {
  const height = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false })
    ? ROW.narrow
    : ROW.wide;
  const list = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list moves with what is above it
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), moves);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: (index) => height + (days.has(index) ? DAY : 0),
    scrollMargin: top,
    overscan: 6,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: these set the rows' heights
  useLayoutEffect(() => rows.measure(), [days, height]);
  return { list, rows, top, height };
}
