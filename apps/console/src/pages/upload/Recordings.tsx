import { Alert, Anchor, Button, Group, Progress, Stack, Text } from "@mantine/core";
import type { Transcription } from "@minutes/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type RefObject, useRef, useState } from "react";
import {
  cancelRecording,
  deleteRecording,
  isBegunHere,
  listed,
  pauseRecording,
  recallName,
  resumeRecording,
  type SentRecording,
  useSentRecordings,
} from "../../api/recordings";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";
import { useAction } from "../../components/use-action";

/** Interval in ms at which unfinished recordings are read again. */
const INTERVAL = 3_000;
/** Maximum number of recordings shown at first. */
const SHOWN = 20;

const MEGABYTE = 1024 * 1024;

/** Writes `25 MB`. */
const formatSize = (bytes: number): string =>
  `${(bytes / MEGABYTE).toLocaleString(undefined, { maximumFractionDigits: bytes < MEGABYTE ? 2 : 0 })} MB`;

const isUnfinished = ({ state }: Transcription) => state !== "completed" && state !== "failed";
const isToTranscribe = ({ state }: Transcription) => state === "queued" || state === "transcribing";

/** The recordings that this page uploads, then the user's latest ones with what became of them. */
export function Recordings() {
  const sent = useSentRecordings();
  const { data } = useQuery({
    ...listed,
    refetchInterval: ({ state }) => (state.data?.transcriptions.some(isUnfinished) ? INTERVAL : false),
  });
  const [all, setAll] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const others = (data?.transcriptions ?? []).filter(({ id }) => !sent.some((one) => one.id === id));
  if (sent.length + others.length === 0) return null;
  const shown = all ? others : others.slice(0, SHOWN);
  return (
    <Section
      title="Recordings"
      about="Recordings that are uploaded are transcribed on the server: you can leave this page. They are listed for a week."
    >
      <Text size="sm" role="status">
        {describeAll(sent, others)}
      </Text>
      <Stack ref={list} tabIndex={-1} aria-label="Your recordings" role="group">
        {sent.map((recording) => (
          <Sent key={recording.key} recording={recording} list={list} />
        ))}
        {shown.map((recording) => (
          <Uploaded key={recording.id} recording={recording} list={list} />
        ))}
      </Stack>
      {shown.length < others.length && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            Show all {others.length}
          </Button>
        </Group>
      )}
    </Section>
  );
}

function describeAll(sent: readonly SentRecording[], others: readonly Transcription[]): string {
  const counts = [
    [sent.filter(({ state }) => state !== "failed").length, "to upload"],
    [others.filter(isToTranscribe).length, "to transcribe"],
    [others.filter(({ state }) => state === "summarizing").length, "to summarize"],
    [others.filter(({ state }) => state === "completed").length, "completed"],
    [[...sent, ...others].filter(({ state }) => state === "failed").length, "failed"],
  ] as const;
  return counts.flatMap(([count, words]) => (count > 0 ? `${count} ${words}` : [])).join(", ");
}

const SENDING = {
  waiting: "Waiting",
  sending: "Uploading",
  paused: "Paused",
  failed: "Not uploaded",
} as const;

type List = RefObject<HTMLDivElement | null>;

/** A recording that this page sends. */
function Sent({ recording, list }: { recording: SentRecording; list: List }) {
  const { key, name, size, state, received, error } = recording;
  const isStopped = state === "paused" || state === "failed";
  const words = state === "sending" && received === size ? "Checking" : SENDING[state];
  return (
    <Entry name={name} words={received > 0 ? `${words}, ${describeProgress(received, size)}` : words}>
      <Progress value={toPercent(received, size)} aria-label={`Upload progress of ${name}`} />
      {error !== null && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={`${isStopped ? "Continue" : "Pause"} ${name}`}
          onClick={() => (isStopped ? resumeRecording(key) : pauseRecording(key))}
        >
          {isStopped ? "Continue" : "Pause"}
        </Button>
        <Remove label="Cancel" name={name} list={list} act={() => cancelRecording(key)} />
      </Group>
    </Entry>
  );
}

const STATES: Readonly<Record<Transcription["state"], string>> = {
  uploading: "Uploading",
  queued: "Waiting to be transcribed",
  transcribing: "Transcribing",
  summarizing: "Summarizing",
  completed: "Completed",
  failed: "Failed",
};

/** A recording that the server has, or part of one that this page does not send. */
function Uploaded({ recording, list }: { recording: Transcription; list: List }) {
  const { id, fileName, title, state, size, received, parts, failure, meetingId, createdAt } = recording;
  const name = fileName ?? recallName(id) ?? title ?? "Recording";
  const uploaded = state === "uploading" ? `, ${describeProgress(received, size)}` : "";
  const heard = parts === null ? "" : `, ${toPercent(parts.finished, parts.total)} %`;
  const isDeleted = state === "completed" && title === null;
  return (
    <Entry
      name={name}
      words={
        <>
          {isDeleted ? "Completed, and its meeting deleted since" : STATES[state]}
          {uploaded}
          {heard} · <Timestamp at={createdAt} />
        </>
      }
    >
      {state === "uploading" && (
        <Text size="sm">
          {isBegunHere(id)
            ? "The upload was interrupted. Choose the same file again to continue."
            : "It is uploaded from another browser or program."}
        </Text>
      )}
      {state === "summarizing" && (
        <Text size="sm">The meeting can be opened when its summary is written.</Text>
      )}
      {failure !== null && (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      <Group gap="xs">
        {state === "completed" && meetingId !== null && !isDeleted && (
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/meetings/$meetingId" params={{ meetingId }} {...props} />}
          >
            Open the meeting
          </Anchor>
        )}
        <Remove
          label={isUnfinished(recording) && state !== "summarizing" ? "Cancel" : "Remove from this list"}
          name={name}
          list={list}
          act={() => deleteRecording(id)}
        />
      </Group>
    </Entry>
  );
}

function Entry(props: { name: string; words: React.ReactNode; children: React.ReactNode }) {
  const { name, words, children } = props;
  return (
    <Stack component="article" aria-label={name} gap="xs">
      <div>
        <Text fw={600} className="wrap-anywhere">
          {name}
        </Text>
        <Text size="sm" component="div">
          {words}
        </Text>
      </div>
      {children}
    </Stack>
  );
}

/** Ends or removes a recording. The list takes the focus, because the button disappears. */
function Remove(props: { label: string; name: string; list: List; act: () => Promise<void> }) {
  const { label, name, list, act } = props;
  const action = useAction(act, {
    failure: `Could not ${label.toLowerCase()} the recording`,
    onSuccess: () => list.current?.focus(),
  });
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`${label}: ${name}`}
      loading={action.isPending}
      onClick={() => action.run()}
    >
      {label}
    </Button>
  );
}

const toPercent = (received: number, size: number) => Math.floor((100 * received) / Math.max(size, 1));

const describeProgress = (received: number, size: number) =>
  `${toPercent(received, size)} % of ${formatSize(size)}`;
