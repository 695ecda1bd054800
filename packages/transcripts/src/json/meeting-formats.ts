import type { Transcript } from "../transcript.js";
import { UNNAMED } from "../transcript.js";
import {
  get,
  getList,
  getText,
  listNotStored,
  type Piece,
  type Speech,
  toInstantText,
  toNumberedSpeaker,
  toSeconds,
  toSpeech,
} from "./fields.js";
import type { JsonFormat } from "./format.js";
import { findEmail, getPeople, type Person, readTasks, readTaskText, toEmail, toEvent } from "./people.js";

/** Exports and webhooks of meeting assistants. */
export const MEETING_FORMATS: readonly JsonFormat[] = [
  {
    name: "a Fireflies transcript",
    shape: [
      "sentences[].text|sentences[].sentence",
      "sentences[].speaker_name|sentences[].speaker_id|sentences[].start_time",
    ],
    read: readFireflies,
  },
  {
    name: "sentences of a Fireflies transcript",
    shape: ["[].sentence|[].text", "[].speaker_name"],
    read: (value) => ({ ...UNNAMED, ...toSpeech(toSentences(getList(value, ""), [])) }),
  },
  {
    name: "a Fathom meeting",
    shape: ["transcript[].speaker.display_name", "transcript[].text", "transcript[].timestamp"],
    read: readFathom,
  },
  {
    name: "a Fathom meeting without transcript",
    shape: ["recording_id|share_url", "calendar_invitees", "recorded_by"],
    read: readFathom,
  },
  {
    name: "a Granola note",
    shape: ["transcript[].speaker.source", "transcript[].text"],
    read: readGranola,
  },
  {
    name: "a Granola note without transcript",
    shape: ["id", "owner.email", "created_at", "summary_markdown|summary_text|attendees"],
    read: readGranola,
  },
  {
    name: "a Granola transcript",
    shape: ["[].source", "[].text", "[].start_timestamp"],
    read: (value) => ({ ...UNNAMED, ...readGranolaSpeech(getList(value, ""), undefined) }),
  },
  {
    name: "a Read AI report",
    shape: ["transcript.speaker_blocks[].words", "transcript.speaker_blocks[].speaker"],
    read: (value) => {
      const people = getPeople(value, "participants");
      const startTime = toInstantText(get(value, "start_time"));
      const speech = toSpeech(
        getList(value, "transcript.speaker_blocks").map((one) => ({
          ...toSpeaker(people, getText(one, "speaker.name", "speaker")),
          text: get(one, "words"),
          start: get(one, "start_time"),
          end: get(one, "end_time"),
        })),
        "instants",
        startTime,
      );
      return {
        ...UNNAMED,
        ...speech,
        startTime: startTime ?? speech.startTime,
        title: getText(value, "title"),
        endTime: toInstantText(get(value, "end_time")),
        notes: getText(value, "summary"),
        tasks: readTasks(getList(value, "action_items")),
        event: toEvent(people, { organizer: getText(value, "owner.email") }),
        notStored: listNotStored(value, ["key_questions", "topics", "chapter_summaries"]),
      };
    },
  },
  {
    name: "an Otter speech",
    shape: ["transcripts[].transcript", "transcripts[].start_offset"],
    read: (value) => {
      const names = new Map(
        getList(value, "speakers").map((one) => [
          get(one, "id", "speaker_id"),
          getText(one, "speaker_name", "name"),
        ]),
      );
      return {
        ...UNNAMED,
        ...toSpeech(
          getList(value, "transcripts").map((one) => {
            const id = get(one, "speaker_id");
            return {
              speaker:
                getText(one, "speaker_name", "speaker.speaker_name") ??
                names.get(id) ??
                (id === undefined ? undefined : `Speaker ${id}`),
              text: get(one, "transcript"),
              start: fromSamples(get(one, "start_offset")),
              end: fromSamples(get(one, "end_offset")),
            };
          }),
        ),
        title: getText(value, "title"),
        startTime: toInstantText(get(value, "start_time", "created_at")),
        endTime: toInstantText(get(value, "end_time")),
        notes: getText(value, "summary", "short_abstract_summary"),
        notStored: listNotStored(value, ["word_clouds", "outline"]),
      };
    },
  },
  {
    name: "a Grain recording",
    shape: [
      "transcript_json[].text|transcript[].text",
      "transcript_json[].participant_id|transcript[].participant_id",
    ],
    read: (value) => {
      const people = getPeople(value, "participants");
      return {
        ...UNNAMED,
        ...toSpeech(toGrain(getList(value, "transcript_json", "transcript"), people), "milliseconds"),
        title: getText(value, "title"),
        startTime: toInstantText(get(value, "start_datetime", "public_start_datetime")),
        endTime: toInstantText(get(value, "end_datetime")),
        notes: getText(value, "intelligence_notes_md", "summary", "ai_summary.text"),
        tasks: readTasks(getList(value, "ai_action_items", "action_items")),
        event: toEvent(people),
        notStored: listNotStored(value, ["highlights", "summary_points", "ai_template_sections"]),
      };
    },
  },
  {
    name: "a Grain transcript",
    shape: ["[].participant_id", "[].text", "[].speaker", "[].start"],
    read: (value) => ({ ...UNNAMED, ...toSpeech(toGrain(getList(value, ""), []), "milliseconds") }),
  },
  {
    name: "a Krisp transcript",
    shape: [
      "content[].text|transcript[].text|transcript.content[].text",
      "content[].speaker|transcript[].speaker|transcript.content[].speaker",
      "meeting",
    ],
    read: (value) => {
      const people = getPeople(value, "meeting.participants", "meeting.speakers", "participants");
      return {
        ...UNNAMED,
        ...toSpeech(
          getList(value, "content", "transcript.content", "transcript").map((one) => ({
            ...toSpeaker(
              people,
              getText(one, "speaker.name", "speaker") ??
                toNumberedSpeaker(get(one, "speakerIndex", "speaker")),
            ),
            text: get(one, "text"),
            start: get(one, "start", "startTime", "start_time", "timestamp"),
            end: get(one, "end", "endTime", "end_time"),
          })),
        ),
        title: getText(value, "meeting.title", "meeting.name", "title"),
        startTime: toInstantText(
          get(value, "meeting.start_date", "meeting.startDate", "meeting.start_time", "meeting.started_at"),
        ),
        endTime: toInstantText(
          get(value, "meeting.end_date", "meeting.endDate", "meeting.end_time", "meeting.ended_at"),
        ),
        notes: getText(value, "notes", "summary", "meeting.summary"),
        tasks: readTasks(getList(value, "action_items", "actionItems")),
        event: toEvent(people),
      };
    },
  },
];

const toSpeaker = (
  people: readonly Person[],
  speaker: string | undefined,
): Pick<Piece, "speaker" | "email"> => ({
  speaker,
  email: findEmail(people, speaker),
});

/** Converts samples of 16 kHz to seconds. */
const fromSamples = (samples: unknown): number | undefined => {
  const count = toSeconds(samples);
  return count === undefined ? undefined : count / 16_000;
};

const toGrain = (list: readonly unknown[], people: readonly Person[]): Piece[] =>
  list.map((one) => ({
    ...toSpeaker(people, getText(one, "speaker")),
    text: get(one, "text"),
    start: get(one, "start"),
    end: get(one, "end"),
  }));

/** Reads a transcript of the API. @see https://docs.fireflies.ai/schema/transcript */
function readFireflies(value: unknown): Transcript {
  const organizer = getText(value, "organizer_email", "host_email");
  const people = [
    ...getPeople(value, "meeting_attendees"),
    ...getPeople(value, "participants").filter(({ email }) => email),
  ];
  const names = new Map(getList(value, "speakers").map((one) => [get(one, "id"), getText(one, "name")]));
  const date = get(value, "date", "dateString");
  const startTime = toInstantText(date);
  const speech = toSpeech(toSentences(getList(value, "sentences"), people, names));
  const tasks = get(value, "summary.action_items");
  const written = Array.isArray(tasks)
    ? readTasks(tasks)
    : readTaskText(typeof tasks === "string" ? tasks : undefined);
  return {
    ...UNNAMED,
    ...speech,
    remarks: [
      ...speech.remarks,
      ...(date !== undefined && startTime === undefined ? ["The date is not valid."] : []),
    ],
    title: getText(value, "title"),
    startTime,
    notes: getText(
      value,
      "summary.overview",
      "summary.notes",
      "summary.short_summary",
      "summary.gist",
      "summary.shorthand_bullet",
    ),
    tasks: written.map(({ assignee, ...task }) => ({
      ...task,
      ...(assignee ? { assignee: { ...assignee, ...withEmail(people, assignee.name) } } : {}),
    })),
    event: toEvent(people, { organizer }),
    notStored: listNotStored(value, [
      "summary.keywords",
      "summary.outline",
      "summary.bullet_gist",
      "summary.topics_discussed",
      "apps_preview",
      "analytics",
    ]),
  };
}

const withEmail = (people: readonly Person[], name: string) => {
  const email = findEmail(people, name);
  return email === undefined ? {} : { email };
};

const toSentences = (
  list: readonly unknown[],
  people: readonly Person[],
  names?: ReadonlyMap<unknown, string | undefined>,
): Piece[] =>
  list.map((one) => {
    const id = get(one, "speaker_id");
    const speaker = getText(one, "speaker_name") ?? names?.get(id) ?? toNumberedSpeaker(id);
    return {
      ...toSpeaker(people, speaker),
      text: getText(one, "text", "sentence", "raw_text"),
      start: get(one, "start_time", "startTime"),
      end: get(one, "end_time", "endTime"),
    };
  });

/** Reads a meeting of the API or of a webhook. @see https://developers.fathom.ai */
function readFathom(value: unknown): Transcript {
  const invitees = getList(value, "calendar_invitees");
  const people = getPeople(value, "calendar_invitees");
  const matched = invitees.flatMap((one): Person[] => {
    const name = getText(one, "matched_speaker_display_name");
    return name === undefined ? [] : [{ name, email: toEmail(getText(one, "email")) }];
  });
  const speech = toSpeech(
    getList(value, "transcript").map((one) => {
      const speaker = getText(one, "speaker.display_name");
      const email =
        toEmail(getText(one, "speaker.matched_calendar_invitee_email")) ??
        findEmail([...matched, ...people], speaker);
      return { speaker, email, text: get(one, "text"), start: get(one, "timestamp") };
    }),
  );
  return {
    ...UNNAMED,
    ...speech,
    title: getText(value, "title", "meeting_title"),
    startTime: toInstantText(get(value, "recording_start_time", "scheduled_start_time", "created_at")),
    endTime: toInstantText(get(value, "recording_end_time")),
    notes: getText(value, "default_summary.markdown_formatted", "default_summary", "summary"),
    tasks: readTasks(getList(value, "action_items")),
    event: toEvent(people, {
      organizer: getText(value, "recorded_by.email"),
      scheduledTime: people.length > 0 ? toInstantText(get(value, "scheduled_start_time")) : undefined,
    }),
    notStored: listNotStored(value, ["crm_matches"]),
  };
}

/** Reads the speech of a Granola note. The microphone is the person who recorded; the rest is their computer's audio. */
function readGranolaSpeech(list: readonly unknown[], owner: string | undefined): Speech {
  return toSpeech(
    list.map((one) => {
      const mine = getText(one, "speaker.source", "source") === "microphone";
      const label = getText(one, "speaker.name", "speaker.diarization_label");
      return {
        speaker: label ?? (mine ? "Me" : "Them"),
        email: mine && label === undefined ? owner : undefined,
        text: get(one, "text"),
        start: get(one, "start_time", "start_timestamp"),
        end: get(one, "end_time", "end_timestamp"),
      };
    }),
    "instants",
  );
}

/** Reads a note of the API. @see https://docs.granola.ai */
function readGranola(value: unknown): Transcript {
  const list = getList(value, "transcript");
  const owner = toEmail(getText(value, "owner.email"));
  const speech = readGranolaSpeech(list, owner);
  const people = [...getPeople(value, "attendees"), ...getPeople(value, "calendar_event.invitees")];
  const last = list.findLast((one) => get(one, "end_time", "end_timestamp") !== undefined);
  return {
    ...UNNAMED,
    ...speech,
    title: getText(value, "title"),
    startTime:
      speech.startTime ?? toInstantText(get(value, "calendar_event.scheduled_start_time", "created_at")),
    endTime: toInstantText(get(last, "end_time", "end_timestamp")),
    notes: getText(value, "summary_markdown", "summary_text", "notes_markdown"),
    event: toEvent(people, {
      organizer: getText(value, "calendar_event.organiser", "calendar_event.organizer"),
    }),
    notStored: listNotStored(value, ["folder_membership"]),
  };
}
