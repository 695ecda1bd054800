import { Link, useElementScrollRestoration } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { jumpToPage, type ListFilters } from "../../api/meeting-pages";
import { Empty, Failure, Loading } from "../../components/states";
import { formatDayAndTime, formatDuration } from "../../components/times";
import { usePages } from "./use-pages";

/** Pixels of a row, which has a line for the title and one for the time. */
const ROW_HEIGHT = 72;

/** Names the list's place for the router, which remembers it. */
const SCROLLER = "meetings";

/** An endless list of which only the visible rows are in the page. */
export function MeetingList({ filters }: { filters: ListFilters }) {
  const { query, meetings, firstRow, rows: count, show } = usePages(filters);
  const scroller = useRef<HTMLElement>(null);
  // The back button comes back to the same place in the list.
  const before = useElementScrollRestoration({ id: SCROLLER });
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
    initialOffset: before?.scrollY ?? 0,
    // Rows are drawn at once, before the height of the list is known.
    initialRect: { width: 0, height: window.innerHeight / 2 },
  });
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
    return (
      <Empty title="No meetings here.">
        Widen the filters, <Link to="/upload">upload a file</Link>, or connect a recorder.
      </Empty>
    );
  return (
    <section
      ref={scroller}
      className="scroller"
      aria-label="Meetings"
      data-scroll-restoration-id={SCROLLER}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
      tabIndex={0}
    >
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {items.map(({ index, key, start }) => {
          const meeting = meetings[index - firstRow];
          // A row whose page is on its way is empty.
          if (!meeting) return null;
          const duration = formatDuration(meeting.startTime, meeting.endTime);
          return (
            <div
              key={key}
              data-index={index}
              className="list-row"
              style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
            >
              <Link to="/meetings/$meetingId" params={{ meetingId: meeting.id }} className="meeting-row">
                {/* Plain elements: many rows a second are made while the list scrolls. */}
                <div className="row-title">{meeting.title}</div>
                <div className="row-facts">
                  <time dateTime={meeting.startTime}>{formatDayAndTime(meeting.startTime)}</time>
                  {duration && ` · ${duration}`}
                </div>
              </Link>
            </div>
          );
        })}
      </div>
    </section>
  );
}
