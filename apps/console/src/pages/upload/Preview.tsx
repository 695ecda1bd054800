import { Alert, Button, Checkbox, Group, List, Select, Stack, Text, TextInput } from "@mantine/core";
import type { UploadPreview } from "@minutes/contract";
import { chooseForUpload, chooseStart, findStart, importUploads, type Upload } from "../../api/uploads";
import { formatClock } from "../../components/times";

type Reading = UploadPreview["meetings"][number];

/** Maximum number of meetings of a file that are shown. */
const SHOWN = 5;

/** What a file contains, before it is stored: the person can correct it, then imports it. */
export function Preview({ upload }: { upload: Upload }) {
  const meetings = upload.preview?.meetings ?? [];
  const [only] = meetings.length === 1 ? meetings : [];
  const duplicates = meetings.filter(({ duplicate }) => duplicate).length;
  return (
    <Stack gap="sm">
      {duplicates > 0 && (
        <Text size="sm" role="status">
          {only
            ? "This meeting was imported before."
            : `${duplicates} of ${meetings.length} meetings were imported before.`}{" "}
          Duplicates are skipped.
        </Text>
      )}
      {only && <Facts upload={upload} reading={only} />}
      {meetings.slice(0, SHOWN).map((reading) => (
        <Contents key={toKey(reading)} upload={upload} reading={reading} titled={!only} />
      ))}
      {meetings.length > SHOWN && (
        <details open={meetings.slice(SHOWN).some(({ startSource }) => startSource === "fileTime")}>
          <summary>{meetings.length - SHOWN} more meetings</summary>
          <Stack gap="sm" mt="sm">
            {meetings.slice(SHOWN).map((reading) => (
              <Heading key={toKey(reading)} upload={upload} reading={reading} />
            ))}
          </Stack>
        </details>
      )}
      <FileTimes upload={upload} />
      <Group>
        <Button size="xs" onClick={() => importUploads([upload.id])}>
          Import {meetings.length === 1 ? "this meeting" : `${meetings.length} meetings`}
        </Button>
      </Group>
    </Stack>
  );
}

/** Warns of meetings that would get the time of their file, and says what to do about it. */
function FileTimes({ upload }: { upload: Upload }) {
  const meetings = upload.preview?.meetings ?? [];
  const count = meetings.filter((one) => getSource(upload, one) === "fileTime").length;
  if (count === 0) return null;
  return (
    <Alert color="yellow" role="status" title="Date taken from the file's time">
      {meetings.length === 1
        ? "The file has no date. Set the start if this isn't when the meeting was."
        : `${count} of ${meetings.length} meetings have no date. Set the start of each that was at another time.`}
    </Alert>
  );
}

/** The title and start of a file's only meeting, which can be changed. */
function Facts({ upload, reading }: { upload: Upload; reading: Reading }) {
  const { id, choices } = upload;
  const zones = [...new Set(["UTC", choices.timeZone, ...Intl.supportedValuesOf("timeZone")])];
  return (
    <Group align="end">
      <TextInput
        label="Title"
        value={choices.title ?? reading.title}
        onChange={(event) => chooseForUpload(id, { title: event.currentTarget.value })}
      />
      <Start upload={upload} reading={reading} label="Start" />
      {reading.timeZone !== null && getSource(upload, reading) !== "given" && (
        <Select
          label="Time zone of the file's date"
          data={zones}
          value={choices.timeZone}
          searchable
          allowDeselect={false}
          onChange={(timeZone) => timeZone !== null && chooseForUpload(id, { timeZone })}
        />
      )}
    </Group>
  );
}

/** The start of a meeting, and where it comes from. */
const Start = ({ upload, reading, label }: { upload: Upload; reading: Reading; label: string }) => (
  <TextInput
    label={label}
    type="datetime-local"
    step={1}
    description={describeSource(upload, reading)}
    value={toLocalInput(findStart(upload, reading) ?? reading.startTime)}
    onChange={(event) => {
      const start = new Date(event.currentTarget.value);
      if (!Number.isNaN(start.getTime())) chooseStart(upload, reading, start.toISOString());
    }}
  />
);

/** One of several meetings: its title, its file and its start. */
const Heading = ({ upload, reading }: { upload: Upload; reading: Reading }) => (
  <Group justify="space-between" align="end">
    <div>
      <Text size="sm" fw={600} className="wrap-anywhere">
        {reading.title}
        {reading.duplicate && " · Duplicate"}
      </Text>
      {reading.file !== null && (
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          {reading.file}
        </Text>
      )}
    </div>
    <Start upload={upload} reading={reading} label={`Start of ${reading.title}`} />
  </Group>
);

const toKey = ({ file, index, line }: Reading) => `${file} ${index} ${line}`;

const getSource = (upload: Upload, reading: Reading) =>
  findStart(upload, reading) === undefined ? reading.startSource : "given";

/** Describes the source of a start, and whether its time is unknown. */
function describeSource(upload: Upload, reading: Reading): string {
  const source = getSource(upload, reading);
  const isDay = source !== "given" && reading.startPrecision === "day";
  return isDay ? `${SOURCES[source]}, without a time` : SOURCES[source];
}

const SOURCES = {
  file: "From the file",
  fileName: "From the file's name",
  fileTime: "From the file's time",
  given: "As you chose",
} as const;

/** Formats an instant for an input of local date and time. */
function toLocalInput(instant: string): string {
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Speakers, first turns, doubts and remarks of a meeting. */
function Contents({ upload, reading, titled }: { upload: Upload; reading: Reading; titled: boolean }) {
  const { speakers, speakerCount, firstTurns, encoding, remarks, notStored, unassigned } = reading;
  const more = speakerCount - speakers.length;
  const names = speakers.map(({ name, turns }) => `${name} (${turns === 1 ? "1 turn" : `${turns} turns`})`);
  const notes = [
    ...(encoding === null ? [] : [`Read as ${encoding}.`]),
    ...(unassigned > 0 ? [`${unassigned} lines have no speaker.`] : []),
    ...(notStored.length > 0 ? [`Not imported: ${notStored.join(", ")}.`] : []),
    ...remarks,
  ];
  return (
    <Stack gap="xs">
      {titled && <Heading upload={upload} reading={reading} />}
      <Text size="sm">
        Speakers: {names.join(", ") || "none"}
        {more > 0 && ` and ${more} more`}
      </Text>
      <List size="sm" listStyleType="none">
        {firstTurns.map(({ speaker, text, start }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the turns have no other identity, and don't move.
          <List.Item key={at} className="wrap-anywhere">
            {start !== null && `${formatClock(start)} `}
            <b>{speaker}:</b> {text}
          </List.Item>
        ))}
      </List>
      <Doubts upload={upload} reading={reading} />
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
    </Stack>
  );
}

/** The labels of which it is uncertain whether they are speakers, and those that the person decided. */
function Doubts({ upload: { id, choices }, reading }: { upload: Upload; reading: Reading }) {
  // The person's word holds at once; the file is read again with it, and then has no such doubt.
  const decided = new Map<string, boolean>([
    ...choices.speakers.map((label) => [label, true] as const),
    ...choices.notSpeakers.map((label) => [label, false] as const),
  ]);
  const open = reading.doubts.filter(({ label }) => !decided.has(label));
  const doubts = [...open, ...[...decided].map(([label, speaker]) => ({ label, speaker, count: null }))].sort(
    (one, other) => one.label.localeCompare(other.label),
  );
  if (doubts.length === 0) return null;
  const decide = (label: string, speaker: boolean) =>
    chooseForUpload(id, {
      speakers: [...choices.speakers.filter((one) => one !== label), ...(speaker ? [label] : [])],
      notSpeakers: [...choices.notSpeakers.filter((one) => one !== label), ...(speaker ? [] : [label])],
    });
  return (
    <fieldset className="plain">
      <legend>Are these speakers?</legend>
      <Group>
        {doubts.map(({ label, count, speaker }) => (
          <Checkbox
            key={label}
            label={count === null ? label : `${label} (${count})`}
            checked={speaker}
            onChange={(event) => decide(label, event.currentTarget.checked)}
          />
        ))}
      </Group>
    </fieldset>
  );
}
