import { Button, Group, Highlight, Text, TextInput } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useVirtualizer, useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useAccount } from "../../api/account";
import { me } from "../../api/clients";
import { Copy } from "../../components/actions";
import { Query } from "../../components/Query";
import { formatClock } from "../../components/times";
import { foldText } from "../../components/words";
import { EditTurn } from "./dialogs";
import { listTurnDrafts } from "./drafts";
import { Player, usePlayback } from "./Player";

interface Segment {
  readonly speakerId: string;
  readonly speakerLabel: string;
  readonly speakerName: string;
  readonly text: string;
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
}

interface Passage {
  /** Index of the turn, from 0. */
  readonly at: number | undefined;
  /** Text of the passage, if the index is unknown. */
  readonly find: string | undefined;
}

interface TranscriptProps extends Passage {
  readonly meetingId: string;
  /** True if the meeting can be heard. */
  readonly hasAudio: boolean;
  /** IDs of the speakers in the order in which colors are assigned. */
  readonly speakers: readonly string[];
  /** Index of the turn at the top when a phone's tab of the transcript was left last; 0 if it wasn't. */
  readonly place: RefObject<number>;
  /** The scroll container: its own column, the window, or none, which renders all turns for printing. */
  readonly layout: "column" | "window" | "whole";
  /** Asks who the speaker with a label is; absent for readers, who can't edit. */
  readonly name?: ((label: string) => void) | undefined;
}

/** The transcript with speakers and times, scrolled to a passage. */
export function Transcript({ meetingId, ...props }: TranscriptProps) {
  const query = useQuery(me.meetings.transcript.queryOptions({ meetingId }));
  if (props.layout === "whole" && query.data === undefined)
    return <Text size="sm">To print the transcript, open it first.</Text>;
  return (
    <Query query={query}>
      {({ segments }) =>
        segments.length === 0 ? (
          <Text size="sm" c="dimmed">
            This meeting has no transcript.
          </Text>
        ) : (
          <Turns meetingId={meetingId} segments={segments} {...props} />
        )
      }
    </Query>
  );
}

const normalize = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");

/** Finds the first turn that starts or contains a passage. */
function findPassage(segments: readonly Segment[], passage: string): number {
  const wanted = normalize(passage);
  return segments.findIndex(({ speakerName, text }) => {
    const turn = normalize(`${speakerName} ${text}`).trim();
    return turn !== "" && (turn.includes(wanted.slice(0, 60).trim()) || wanted.includes(turn.slice(0, 60)));
  });
}

interface ListProps {
  readonly segments: readonly Segment[];
  readonly meetingId: string;
  readonly speakers: readonly string[];
  /** Index of the highlighted turn; -1 for none. */
  readonly current: number;
  readonly words: string;
  readonly place: RefObject<number>;
  readonly name?: ((label: string) => void) | undefined;
  /** Corrects the turn with an index. */
  readonly edit?: ((index: number) => void) | undefined;
  /** Plays from a time in seconds. */
  readonly play?: ((seconds: number) => void) | undefined;
  /** Index of the turn that is heard; -1 for none. */
  readonly spoken: number;
}

function Turns({
  segments,
  at,
  find,
  layout,
  hasAudio,
  ...props
}: TranscriptProps & { segments: readonly Segment[] }) {
  const [edited, setEdited] = useState<number | null>(null);
  const turn = edited === null ? undefined : segments[edited];
  const { userId } = useAccount();
  const canEdit = props.name !== undefined;
  const [unsaved] =
    canEdit && edited === null
      ? listTurnDrafts(userId, props.meetingId).filter((index) => index < segments.length)
      : [];
  const search = useFind(segments);
  const opened = useMemo(() => at ?? (find ? findPassage(segments, find) : -1), [segments, at, find]);
  const playback = usePlayback(segments, opened);
  const List = { column: ColumnOfTurns, window: WindowOfTurns, whole: AllTurns }[layout];
  return (
    <div className="transcript">
      {hasAudio && <Player meetingId={props.meetingId} playback={playback} />}
      <FindBar segments={segments} {...search} />
      {unsaved !== undefined && (
        <Group gap="xs" role="status">
          <Text size="sm">Your correction of turn {unsaved + 1} is not saved.</Text>
          <Button size="compact-xs" variant="default" onClick={() => setEdited(unsaved)}>
            Continue
          </Button>
        </Group>
      )}
      <List
        segments={segments}
        current={search.matches[search.place] ?? opened}
        words={search.query.trim()}
        edit={canEdit ? setEdited : undefined}
        play={hasAudio ? playback.play : undefined}
        spoken={playback.spoken}
        {...props}
      />
      <EditTurn
        meetingId={props.meetingId}
        turn={turn && edited !== null ? { index: edited, ...turn } : null}
        close={() => setEdited(null)}
      />
    </div>
  );
}

/** Finds words in a transcript, and steps through the turns that contain them. */
function useFind(segments: readonly Segment[]) {
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const matches = useMemo(() => {
    const wanted = foldText(query.trim());
    if (wanted === "") return [];
    return segments.flatMap(({ text }, index) => (foldText(text).includes(wanted) ? [index] : []));
  }, [segments, query]);
  const step = (by: number) => matches.length > 0 && setPlace((place + by + matches.length) % matches.length);
  const find = (words: string) => {
    setQuery(words);
    setPlace(0);
  };
  return { query, matches, place, find, step };
}

type FindBarProps = ReturnType<typeof useFind> & { readonly segments: readonly Segment[] };

function FindBar({ segments, query, matches, place, find, step }: FindBarProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        step(1);
      }}
    >
      <Group gap="xs">
        <TextInput
          aria-label="Find in the transcript"
          placeholder="Find in the transcript"
          type="search"
          value={query}
          onChange={(event) => find(event.currentTarget.value)}
          flex={1}
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
        <Copy
          value={segments.map(({ speakerName, text }) => `${speakerName}: ${text}`).join("\n")}
          label="Copy the whole transcript"
        />
      </Group>
    </form>
  );
}

/** Estimates a turn's height in pixels before it is measured. */
const estimateSize = () => 84;

function ColumnOfTurns(props: ListProps) {
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: props.segments.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    overscan: 6,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <section ref={scroller} className="scroller" aria-label="Turns" tabIndex={0}>
      <VirtualTurns rows={rows} top={0} {...props} />
    </section>
  );
}

function WindowOfTurns(props: ListProps) {
  const list = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY), []);
  const rows = useWindowVirtualizer({
    count: props.segments.length,
    estimateSize,
    scrollMargin: top,
    overscan: 6,
  });
  useKeptPlace(rows, props.place);
  return (
    <section ref={list} aria-label="Turns">
      <VirtualTurns rows={rows} top={top} {...props} />
    </section>
  );
}

/** Remembers the turn at the top when the transcript is left, and returns to it. */
function useKeptPlace(rows: Virtualizer<Window, Element>, place: RefObject<number>): void {
  const router = useRouter();
  const latest = useRef(rows);
  const top = useRef(0);
  latest.current = rows;
  top.current = rows.range?.startIndex ?? top.current;
  useEffect(() => {
    const kept = place.current;
    if (kept === 0) return;
    const scroll = () => latest.current.scrollToIndex(kept, { align: "start" });
    scroll();
    // The router scrolls to the top once, when it has drawn the tab.
    const unsubscribe = router.subscribe("onRendered", () => {
      unsubscribe();
      scroll();
    });
    return unsubscribe;
  }, [router, place]);
  useEffect(
    () => () => {
      place.current = top.current;
    },
    [place],
  );
}

const AllTurns = ({ segments, ...props }: ListProps) => (
  <section aria-label="Turns">
    {segments.map((segment, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: turns have no ID and never move
      <div key={index} className="turn" dir="auto">
        <Turn segment={segment} index={index} {...props} />
      </div>
    ))}
  </section>
);

interface VirtualProps extends ListProps {
  readonly rows: Virtualizer<HTMLElement, Element> | Virtualizer<Window, Element>;
  /** Offset of the list in its scroll container, in pixels. */
  readonly top: number;
}

function VirtualTurns({ rows, top, segments, current, spoken, ...props }: VirtualProps) {
  const router = useRouter();
  useEffect(() => {
    if (current < 0) return;
    const scroll = () => rows.scrollToIndex(current, { align: "center" });
    scroll();
    // A transcript that was read before is shown at once, and only then the router scrolls to the top.
    return router.subscribe("onRendered", scroll);
  }, [current, rows, router]);
  return (
    <div style={{ height: rows.getTotalSize(), position: "relative" }}>
      {rows.getVirtualItems().map(({ index, key, start }) => {
        const segment = segments[index];
        return segment ? (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            data-current={index === current}
            aria-current={index === spoken ? "true" : undefined}
            className="turn list-row"
            dir="auto"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <Turn segment={segment} index={index} {...props} />
          </div>
        ) : null;
      })}
    </div>
  );
}

/** Number of speaker colors. */
const COLORS = 6;

interface TurnProps extends Pick<ListProps, "meetingId" | "speakers" | "words" | "name" | "edit" | "play"> {
  readonly segment: Segment;
  readonly index: number;
}

/** Writes what the time of a turn does. */
function describeTime({ startSeconds }: Segment, index: number, plays: boolean): string {
  if (startSeconds === null) return `Link to turn ${index + 1}`;
  return `${plays ? "Play" : "Link to"} turn ${index + 1}, at ${formatClock(startSeconds)}`;
}

/**
 * One turn, whose text decides its direction: names and buttons have their own. Uses plain elements, because scrolling
 * renders many turns a second.
 */
const Turn = ({ segment, index, meetingId, speakers, words, name, edit, play }: TurnProps) => (
  <>
    <div className="turn-head" data-speaker={Math.max(0, speakers.indexOf(segment.speakerId)) % COLORS}>
      {name ? (
        <button
          type="button"
          className="turn-speaker"
          dir="auto"
          title="Who is this?"
          aria-haspopup="dialog"
          onClick={() => name(segment.speakerLabel)}
        >
          {segment.speakerName}
        </button>
      ) : (
        <bdi className="turn-speaker">{segment.speakerName}</bdi>
      )}
      <Link
        to="/meetings/$meetingId"
        params={{ meetingId }}
        search={(before) => ({ ...before, at: index, find: undefined })}
        replace
        resetScroll={false}
        className="turn-time"
        aria-label={describeTime(segment, index, play !== undefined)}
        onClick={() => segment.startSeconds !== null && play?.(segment.startSeconds)}
      >
        {segment.startSeconds === null ? "#" : formatClock(segment.startSeconds)}
      </Link>
      <CopyTurn turn={`${segment.speakerName}: ${segment.text}`} />
      {edit && (
        <button
          type="button"
          className="turn-copy"
          dir="ltr"
          aria-label="Edit this turn"
          aria-haspopup="dialog"
          onClick={() => edit(index)}
        >
          Edit
        </button>
      )}
    </div>
    {words === "" ? (
      <div className="turn-text">{segment.text}</div>
    ) : (
      <Highlight highlight={words} className="turn-text">
        {segment.text}
      </Highlight>
    )}
  </>
);

/** Copies one turn. A plain button, because every turn has one. */
function CopyTurn({ turn }: { turn: string }) {
  const { copy, copied } = useClipboard({ timeout: 2000 });
  return (
    <button
      type="button"
      className="turn-copy"
      dir="ltr"
      aria-label="Copy this turn"
      onClick={() => copy(turn)}
    >
      {copied ? "Copied" : "Copy"}
    </button>
  );
}
