import { Alert, Anchor, Button, Checkbox, Code, Group, List, Progress, Stack, Text } from "@mantine/core";
import { AUDIO_EXTENSIONS, EXTENSIONS, hasAudioExtension } from "@minutes/transcripts/extensions";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDropzone } from "react-dropzone";
import { settings } from "../api/clients";
import { addRecordings, listed } from "../api/recordings";
import {
  addUploads,
  clearUploads,
  importUploads,
  type Upload as UploadedFile,
  useUploads,
} from "../api/uploads";
import { Page } from "../components/states";
import { formatDateTime } from "../components/times";
import { Preview } from "./upload/Preview";
import { Recordings } from "./upload/Recordings";

/** What the dialog for files offers. */
const ACCEPT = [...EXTENSIONS, "zip"].map((extension) => `.${extension}`).join(",");
const ACCEPT_AUDIO = [ACCEPT, ...AUDIO_EXTENSIONS.map((extension) => `.${extension}`)].join(",");

const TRANSCRIBED = `Recordings are transcribed: ${AUDIO_EXTENSIONS.map((name) => name.toUpperCase()).join(", ")}.`;

/** Uploads transcripts and meetings; shows what each file contains, and once it is imported, the result. */
export function Upload() {
  const uploads = useUploads();
  const shown = uploads.some(isBusy) ? uploads : [...uploads].sort((a, b) => countFailed(b) - countFailed(a));
  const ready = uploads.filter(({ state }) => state === "ready");
  const [lenient, setLenient] = useState(false);
  const { data: audio } = useQuery(listed);
  const takesAudio = audio?.refusal === null;
  const kept = useQuery(settings.keptAudio.get.queryOptions({}));
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    onDrop: (files) => {
      const isRecording = ({ name }: File) => takesAudio && hasAudioExtension(name);
      addRecordings(files.filter(isRecording), kept.data?.days ?? 0);
      addUploads(
        files.filter((file) => !isRecording(file)),
        lenient,
      );
    },
    noClick: true,
    noKeyboard: true,
  });
  return (
    <Page>
      <div {...getRootProps({ className: "dropzone", "data-active": isDragActive })}>
        <input
          {...getInputProps({ accept: takesAudio ? ACCEPT_AUDIO : ACCEPT, "aria-label": "Files to upload" })}
        />
        <Stack align="center" gap="sm">
          <Text fw={600} ta="center">
            {isDragActive ? "Drop the files to upload them." : "Drop files here, or choose them."}
          </Text>
          <Text size="sm" c="dimmed" ta="center">
            Transcripts, documents and exports of meeting tools, also in ZIP archives. You see what they
            contain before you import them. The meetings become yours. Duplicates are skipped.
          </Text>
          {audio && (
            <Text size="sm" c="dimmed" ta="center">
              {audio.refusal === null ? TRANSCRIBED : <WithCode text={audio.refusal} />}
            </Text>
          )}
          {takesAudio && <Consent days={kept.data?.days ?? null} isError={kept.isError} />}
          <Button onClick={open}>Choose files</Button>
        </Stack>
      </div>
      <Checkbox
        label="Keep lines without a speaker"
        description="Otherwise transcripts with lines that have no speaker are not imported."
        checked={lenient}
        onChange={(event) => setLenient(event.currentTarget.checked)}
      />
      <Recordings />
      {uploads.length > 0 && (
        <section aria-label="Files">
          <Group justify="space-between" mb="sm">
            <Text size="sm" role="status">
              {describeAll(uploads)}
            </Text>
            <Group gap="xs">
              {ready.length > 1 && (
                <Button size="xs" onClick={() => importUploads(ready.map(({ id }) => id))}>
                  Import {ready.length} files
                </Button>
              )}
              <Button size="xs" variant="default" onClick={clearUploads}>
                Clear
              </Button>
            </Group>
          </Group>
          <Stack>
            {shown.map((upload) => (
              <FileResult key={upload.id} upload={upload} />
            ))}
          </Stack>
        </section>
      )}
    </Page>
  );
}

/** Renders a server message, with text in backticks as code. */
const WithCode = ({ text }: { text: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
  text.split("`").map((part, at) => (at % 2 === 1 ? <Code key={at}>{part}</Code> : part));

function describeAll(uploads: readonly UploadedFile[]): string {
  const ended = uploads.filter(({ state }) => state === "done" || state === "failed").length;
  const ready = uploads.filter(({ state }) => state === "ready").length;
  const waiting = ready === 0 ? "" : `, ${ready} to check`;
  const files = `${ended} of ${uploads.length} ${uploads.length === 1 ? "file" : "files"} processed${waiting}`;
  const reports = uploads.flatMap(({ report }) => report ?? []);
  if (reports.length < 2) return files;
  const sum = (count: (report: (typeof reports)[number]) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const failed = uploads.reduce((total, upload) => total + countFailed(upload), 0);
  return `${files}: ${sum(({ created }) => created)} imported, ${sum(({ unchanged }) => unchanged)} duplicates skipped, ${failed} failed`;
}

const isBusy = ({ state }: UploadedFile): boolean => STATES[state] !== undefined;

/** Counts the meetings of a file that could not be imported; 1 if the file couldn't be read. */
const countFailed = ({ report, preview, error }: UploadedFile): number =>
  error === null ? ((report ?? preview)?.failed.length ?? 0) : 1;

/** What a file waits for; absent once it is read. */
const STATES: Partial<Record<UploadedFile["state"], string>> = {
  waiting: "Waiting",
  sending: "Uploading",
  reading: "Reading",
};

/** One file: its progress, then what it contains, then the number of meetings created and any errors. */
function FileResult({ upload }: { upload: UploadedFile }) {
  const { name, state, progress, preview, report, error } = upload;
  const busy = isBusy(upload);
  return (
    <article aria-label={name}>
      <Text fw={600} className="wrap-anywhere">
        {name}
      </Text>
      {busy && (
        <>
          <Text size="sm">{STATES[state]}</Text>
          <Progress value={100 * progress} aria-label={`Upload progress of ${name}`} />
        </>
      )}
      {error !== null && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {!report && !busy && preview && (
        <>
          <Failures failed={preview.failed} />
          <Skipped skipped={preview.skipped} />
        </>
      )}
      {state === "ready" && <Preview upload={upload} />}
      {report && <Report report={report} />}
    </article>
  );
}

/** Maximum number of meetings listed that have the time of their file. */
const FILE_TIMES = 20;

function Report({ report }: { report: NonNullable<UploadedFile["report"]> }) {
  const { created, unchanged, meetingIds, failed, skipped, unassigned, notStored, fileTimes, sharedByTag } =
    report;
  const fields = [...new Set(notStored.flatMap((meeting) => meeting.fields))];
  const [first] = meetingIds;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {created} imported, {unchanged} {unchanged === 1 ? "duplicate" : "duplicates"} skipped,{" "}
        {failed.length} failed.{" "}
        {first !== undefined && (
          <Anchor
            renderRoot={(props) => (
              <Link to="/meetings/$meetingId" params={{ meetingId: first }} {...props} />
            )}
          >
            Open {meetingIds.length === 1 ? "the meeting" : "the first meeting"}
          </Anchor>
        )}
      </Text>
      <Failures failed={failed} />
      <Skipped skipped={skipped} />
      {fileTimes.length > 0 && (
        <Alert color="yellow" role="status" title="Date taken from the file's time">
          <List size="sm">
            {fileTimes.slice(0, FILE_TIMES).map(({ file, index, line, title, startTime }) => (
              <List.Item key={`${file} ${index} ${line}`} className="wrap-anywhere">
                {title}: {formatDateTime(startTime)}
              </List.Item>
            ))}
            {fileTimes.length > FILE_TIMES && <List.Item>And {fileTimes.length - FILE_TIMES} more</List.Item>}
          </List>
        </Alert>
      )}
      {sharedByTag.length > 0 && (
        <Alert color="yellow" role="status" title="Others can read these meetings">
          <List size="sm">
            {sharedByTag.map(({ tag, readers }) => (
              <List.Item key={tag}>
                {readers.join(", ")}, because you share the tag “{tag}” with them
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {fields.length > 0 && (
        <Text size="sm" c="dimmed">
          Not imported: {fields.join(", ")}.
        </Text>
      )}
      {unassigned.length > 0 && (
        <Text size="sm" c="dimmed">
          Imported without a speaker: {unassigned.length === 1 ? "line" : "lines"}{" "}
          {unassigned.slice(0, 20).join(", ")}
          {unassigned.length > 20 && ` and ${unassigned.length - 20} more`}.
        </Text>
      )}
    </Stack>
  );
}

/** Maximum number of skipped files listed of an archive. */
const SKIPPED = 20;

/** Files of an archive in an unknown format. */
function Skipped({ skipped }: Pick<NonNullable<UploadedFile["report"]>, "skipped">) {
  if (skipped.length === 0) return null;
  const more = skipped.length - SKIPPED;
  return (
    <Text size="sm" className="wrap-anywhere">
      {skipped.length} {skipped.length === 1 ? "file" : "files"} skipped, unknown format:{" "}
      {skipped.slice(0, SKIPPED).join(", ")}
      {more > 0 && ` and ${more} more`}.
    </Text>
  );
}

/** Meetings, or the whole file, that can't be imported. */
function Failures({ failed }: Pick<NonNullable<UploadedFile["report"]>, "failed">) {
  if (failed.length === 0) return null;
  return (
    <Alert color="red" role="alert" title="Not imported">
      <List size="sm">
        {failed.map(({ file, index, line, error }) => (
          <List.Item key={`${file} ${index} ${line}`}>
            {file !== null && `${file}: `}
            {line !== null && `Line ${line}: `}
            {index !== null && `Meeting ${index + 1}: `}
            {error}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Says that the workspace keeps audio, before any is sent. */
function Consent({ days: kept, isError }: { days: number | null; isError: boolean }) {
  if (isError && kept === null)
    return (
      <Text size="sm" ta="center">
        Could not find out whether your workspace keeps audio. That of recordings you add now is not kept.
      </Text>
    );
  if (kept === null) return null;
  const days = kept === 1 ? "a day" : `${kept} days`;
  return (
    <Text size="sm" ta="center">
      Your workspace keeps the audio of recordings for {days}. Anyone who can read the transcript can play it.
      Upload only recordings whose speakers have agreed to this.
    </Text>
  );
}
