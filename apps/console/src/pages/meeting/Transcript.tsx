import { Button, Group, Highlight, Text, TextInput } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { me } from "../../api/clients";
import { Copy } from "../../components/actions";
import { Query } from "../../components/Query";
import { Empty } from "../../components/states";
import { formatClock } from "../../components/times";

interface Segment {
  readonly speakerName: string;
  readonly text: string;
  readonly startSeconds: number | null;
}

interface Passage {
  /** The place of a turn, from 0. */
  readonly at: number | undefined;
  /** Words, where the place is not known. */
  readonly find: string | undefined;
}

/** The transcript with speakers and times, opened at a passage. */
export function Transcript({ meetingId, ...passage }: { meetingId: string } & Passage) {
  const query = useQuery(me.meetings.transcript.queryOptions({ meetingId }));
  return (
    <Query query={query}>
      {({ segments }) =>
        segments.length === 0 ? (
          <Empty title="There is no transcript." />
        ) : (
          <Turns segments={segments} {...passage} />
        )
      }
    </Query>
  );
}

const normalise = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");

/** Finds the first turn whose words begin a passage, or that contains it. */
function findPassage(segments: readonly Segment[], passage: string): number {
  const wanted = normalise(passage);
  return segments.findIndex(({ speakerName, text }) => {
    const turn = normalise(`${speakerName} ${text}`).trim();
    return turn !== "" && (turn.includes(wanted.slice(0, 60).trim()) || wanted.includes(turn.slice(0, 60)));
  });
}

function Turns({ segments, at, find }: { segments: readonly Segment[] } & Passage) {
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: segments.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    overscan: 6,
  });
  const opened = useMemo(() => at ?? (find ? findPassage(segments, find) : -1), [segments, at, find]);
  const matches = useMemo(() => {
    const wanted = query.trim().toLowerCase();
    if (wanted === "") return [];
    return segments.flatMap(({ text }, index) => (text.toLowerCase().includes(wanted) ? [index] : []));
  }, [segments, query]);
  const current = matches[place] ?? opened;
  useEffect(() => {
    if (current >= 0) rows.scrollToIndex(current, { align: "center" });
  }, [current, rows]);
  const step = (by: number) => matches.length > 0 && setPlace((place + by + matches.length) % matches.length);
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          step(1);
        }}
      >
        <Group mb="sm" gap="xs">
          <Copy
            value={segments.map(({ speakerName, text }) => `${speakerName}: ${text}`).join("\n")}
            label="Copy the whole transcript"
          />
          <TextInput
            aria-label="Find in the transcript"
            placeholder="Find in the transcript"
            value={query}
            onChange={(event) => {
              setQuery(event.currentTarget.value);
              setPlace(0);
            }}
          />
          {query.trim() !== "" && (
            <>
              <Text size="sm" role="status">
                {matches.length === 0 ? "Not found" : `${place + 1} of ${matches.length}`}
              </Text>
              <Button size="xs" variant="default" onClick={() => step(-1)}>
                Previous
              </Button>
              <Button size="xs" variant="default" type="submit">
                Next
              </Button>
            </>
          )}
        </Group>
      </form>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section ref={scroller} className="scroller" aria-label="Transcript" tabIndex={0}>
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const segment = segments[index];
            if (!segment) return null;
            return (
              <div
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-current={index === current}
                className="turn"
                style={{
                  position: "absolute",
                  top: 0,
                  left: 0,
                  right: 0,
                  transform: `translateY(${start}px)`,
                }}
              >
                {/* Plain elements: many turns a second are made while the transcript scrolls. */}
                <div className="turn-head">
                  <span className="turn-speaker">{segment.speakerName}</span>
                  {segment.startSeconds !== null && (
                    <span className="turn-time">{formatClock(segment.startSeconds)}</span>
                  )}
                  <CopyTurn turn={`${segment.speakerName}: ${segment.text}`} />
                </div>
                {query.trim() === "" ? (
                  <div className="turn-text">{segment.text}</div>
                ) : (
                  <Highlight highlight={query.trim()} size="sm">
                    {segment.text}
                  </Highlight>
                )}
              </div>
            );
          })}
        </div>
      </section>
    </>
  );
}

/** Copies one turn. A plain button: there is one in every turn. */
function CopyTurn({ turn }: { turn: string }) {
  const { copy, copied } = useClipboard({ timeout: 2000 });
  return (
    <button type="button" className="turn-copy" aria-label="Copy this turn" onClick={() => copy(turn)}>
      {copied ? "Copied" : "Copy"}
    </button>
  );
}
