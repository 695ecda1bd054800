import { Alert, Anchor, Button, Checkbox, Group, List, Progress, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDropzone } from "react-dropzone";
import { addUploads, clearUploads, type Upload as UploadedFile, useUploads } from "../api/uploads";
import { Page } from "../components/states";

/** File extensions that the importer accepts. */
const ENDINGS = [".vtt", ".srt", ".txt", ".md", ".json", ".jsonl"];

/** Uploads transcripts and meetings; shows each file's progress and result. */
export function Upload() {
  const uploads = useUploads();
  const [lenient, setLenient] = useState(false);
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    onDrop: (files) => addUploads(files, lenient),
    noClick: true,
    noKeyboard: true,
  });
  return (
    <Page>
      <div {...getRootProps({ className: "dropzone", "data-active": isDragActive })}>
        <input {...getInputProps({ accept: ENDINGS.join(","), "aria-label": "Files to upload" })} />
        <Stack align="center" gap="sm">
          <Text fw={600}>
            {isDragActive ? "Drop the files to upload them." : "Drop files here, or choose them."}
          </Text>
          <Text size="sm" c="dimmed" ta="center">
            Transcripts (WebVTT, SRT, text, Markdown) and meetings (JSON). The meetings become yours.
            Duplicates are skipped.
          </Text>
          <Button onClick={open}>Choose files</Button>
        </Stack>
      </div>
      <Checkbox
        label="Keep lines without a speaker"
        description="Otherwise transcripts with lines that have no speaker are not imported."
        checked={lenient}
        onChange={(event) => setLenient(event.currentTarget.checked)}
      />
      {uploads.length > 0 && (
        <section aria-label="Files">
          <Group justify="space-between" mb="sm">
            <Text size="sm" role="status">
              {describeAll(uploads)}
            </Text>
            <Button size="xs" variant="default" onClick={clearUploads}>
              Clear
            </Button>
          </Group>
          <Stack>
            {uploads.map((upload) => (
              <FileResult key={upload.id} upload={upload} />
            ))}
          </Stack>
        </section>
      )}
    </Page>
  );
}

function describeAll(uploads: readonly UploadedFile[]): string {
  const ended = uploads.filter(({ state }) => state === "done" || state === "failed").length;
  return `${ended} of ${uploads.length} ${uploads.length === 1 ? "file" : "files"} processed`;
}

const STATES = { waiting: "Waiting", sending: "Uploading", reading: "Importing" } as const;

/** One file: its progress, then the number of meetings created and any errors. */
function FileResult({ upload }: { upload: UploadedFile }) {
  const { name, state, progress, report, error } = upload;
  return (
    <article aria-label={name}>
      <Text fw={600} className="wrap-anywhere">
        {name}
      </Text>
      {state !== "done" && state !== "failed" && (
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
      {report && <Report report={report} />}
    </article>
  );
}

function Report({ report }: { report: NonNullable<UploadedFile["report"]> }) {
  const { created, unchanged, meetingIds, failed, unassigned, notStored, sharedByTag } = report;
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
      {failed.length > 0 && (
        <Alert color="red" role="alert" title="Not imported">
          <List size="sm">
            {failed.map(({ index, line, error }) => (
              <List.Item key={`${index} ${line}`}>
                {line !== null && `Line ${line}: `}
                {index !== null && `Meeting ${index + 1}: `}
                {error}
              </List.Item>
            ))}
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
