import { Button, Checkbox, Group, NativeSelect, Text } from "@mantine/core";
import { useCallback, useEffect, useRef, useState } from "react";
import { leaveWhenSignedOut, meClient } from "../../api/clients";

/** When a turn is spoken, in seconds; null: unknown. */
interface Timed {
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
}

/** Where to go on once the audio has been opened. */
interface Resumption {
  readonly at: number;
  readonly plays: boolean;
}

/** A meeting's audio in step with its turns. */
export type Playback = ReturnType<typeof usePlayback>;

/** Returns the index of the turn that is spoken at a time; -1 before the first one. */
const findSpoken = (turns: readonly Timed[], seconds: number): number =>
  turns.reduce(
    (found, { startSeconds }, index) => (startSeconds !== null && startSeconds <= seconds ? index : found),
    -1,
  );

/** Minimum length in seconds of a pause that is skipped, and how much of it is still played at each end. */
const LONG_PAUSE = 3;
const MARGIN = 0.5;

/** Returns where the next turn is heard, if a time is in a long pause between turns; null elsewhere, and where times are unknown. */
function findSkip(turns: readonly Timed[], seconds: number): number | null {
  const index = findSpoken(turns, seconds);
  const end = turns[index]?.endSeconds ?? null;
  const next = turns[index + 1]?.startSeconds ?? null;
  if (end === null || next === null || next - end < LONG_PAUSE) return null;
  return seconds > end + MARGIN && seconds < next - 2 * MARGIN ? next - MARGIN : null;
}

/**
 * Keeps which turn is spoken, and plays from a time.
 * @param opened index of the turn that the page was opened for, where it begins to play; -1 for none
 */
export function usePlayback(turns: readonly Timed[], opened: number) {
  const audio = useRef<HTMLAudioElement>(null);
  const from = turns[opened]?.startSeconds ?? null;
  const resumption = useRef<Resumption | null>(from === null ? null : { at: from, plays: false });
  const [spoken, setSpoken] = useState(-1);
  const [skips, setSkips] = useState(false);
  const follow = () => {
    const element = audio.current;
    if (!element) return;
    // Times of turns are rounded.
    setSpoken(findSpoken(turns, element.currentTime + 0.05));
    const skip = skips && !element.paused && !element.seeking ? findSkip(turns, element.currentTime) : null;
    if (skip !== null) element.currentTime = skip;
  };
  const play = (seconds: number) => {
    const element = audio.current;
    if (!element) return;
    if (element.readyState === 0) resumption.current = { at: seconds, plays: true };
    else element.currentTime = seconds;
    void element.play().catch(() => {});
  };
  return { audio, resumption, spoken, follow, play, skips, setSkips };
}

/** Time in ms before which another address would fail as well. */
const FRESH = 10_000;

/** Gets the address of a meeting's audio, and another one when it has ended. */
function useAddress(meetingId: string, { audio, resumption }: Playback) {
  const [address, setAddress] = useState<string | undefined>();
  const [isFailed, setFailed] = useState(false);
  const got = useRef(0);
  const load = useCallback(async () => {
    got.current = Date.now();
    setFailed(false);
    try {
      const { address: next, expiresAt } = await meClient.meetings.recording.query({ meetingId });
      // The kept audio has ended since; the recorder's own address must not be loaded without a click.
      if (expiresAt === null) return setFailed(true);
      // Within a second, it is the same one.
      if (audio.current?.getAttribute("src") === next) audio.current.load();
      setAddress(next);
    } catch (error) {
      leaveWhenSignedOut(error);
      setFailed(true);
    }
  }, [meetingId, audio]);
  useEffect(() => void load(), [load]);
  const recover = () => {
    const element = audio.current;
    if (element && resumption.current === null)
      resumption.current = { at: element.currentTime, plays: !element.paused };
    if (Date.now() - got.current > FRESH) void load();
    else setFailed(true);
  };
  return { address, isFailed, load, recover };
}

/** Seek step of the arrow keys, in seconds. */
const STEP = 5;

const SPEEDS = ["0.75", "1", "1.25", "1.5", "1.75", "2"];

/** Plays the audio of a meeting. */
export function Player({ meetingId, playback }: { meetingId: string; playback: Playback }) {
  const { audio, resumption, follow, skips, setSkips } = playback;
  const { address, isFailed, load, recover } = useAddress(meetingId, playback);
  const [speed, setSpeed] = useState("1");
  useEffect(() => {
    if (!audio.current) return;
    // A new address begins with the default one.
    audio.current.defaultPlaybackRate = Number(speed);
    audio.current.playbackRate = Number(speed);
  }, [audio, speed]);
  const seek = (event: React.KeyboardEvent<HTMLAudioElement>) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.currentTarget.currentTime += by;
  };
  const resume = () => {
    const [element, from] = [audio.current, resumption.current];
    resumption.current = null;
    if (!element || !from) return;
    element.currentTime = from.at;
    if (from.plays) void element.play().catch(() => {});
  };
  return (
    <div className="player">
      <Group gap="xs">
        {/* biome-ignore lint/a11y/useMediaCaption: the transcript is beside it */}
        <audio
          ref={audio}
          src={address}
          controls
          preload="metadata"
          aria-label="Recording"
          onTimeUpdate={follow}
          onSeeked={follow}
          onLoadedMetadata={resume}
          onError={recover}
          onKeyDown={seek}
        />
        <NativeSelect
          aria-label="Speed"
          size="xs"
          data={SPEEDS.map((value) => ({ value, label: `${value}×` }))}
          value={speed}
          onChange={(event) => setSpeed(event.currentTarget.value)}
        />
        <Checkbox
          label="Skip pauses"
          size="xs"
          checked={skips}
          onChange={(event) => setSkips(event.currentTarget.checked)}
        />
      </Group>
      {isFailed && (
        <Group gap="xs" role="alert">
          <Text size="sm">The recording can't be played.</Text>
          <Button size="compact-xs" variant="default" onClick={() => void load()}>
            Try again
          </Button>
        </Group>
      )}
    </div>
  );
}
