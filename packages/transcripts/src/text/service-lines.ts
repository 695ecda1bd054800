/** Fields that services put before a transcript. Their values are not speech. */
const FIELD =
  /^(?:[-*•] )?\**(?<name>(?:meeting )?(?:title|date|time|start(?: time|ed)?|end(?: time|ed)?|duration|length|attendees|participants|invitees|invited|speakers|host|organi[sz]er|recorded by|recorded on|created|created at|location|meeting id|id|recording|link|url|language|tags|generated title|summary keywords|keywords|datum|beginn|ende|dauer|teilnehmer|titel))\**[:\uFF1A]\**(?:\s+(?<value>.*)|$)/i;

/** Headings of the same fields, with values on the following lines. */
const LIST_HEADING =
  /^#{0,6} *\**(?<name>attendees|participants|meeting participants|invitees|speakers|invited|attachments|keywords|summary keywords|teilnehmer)\**:?$/i;

const PEOPLE =
  /^(?:meeting )?(?:attendees|participants|invitees|invited|speakers|host|organi[sz]er|recorded by|teilnehmer)$/i;

const DAY = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?`;
const MONTH = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;
const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?`;
const ZONE = String.raw`(?: ?\(?(?:[A-Z]{2,5}|(?:GMT|UTC)[+-]\d{1,2}(?::\d{2})?)\)?)?`;

const LINES = [
  /^(?:-{3,}|={3,}|\*{3,}|_{3,})$/,
  /^[[(]?\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,3})?[\])]?$/,
  new RegExp(
    String.raw`^(?:${DAY},? )?(?:${MONTH} \d{1,2}|\d{1,2}\.? ${MONTH}),? ?(?:\d{4})?(?:,? ?(?:at )?${CLOCK}${ZONE})?(?: ?[•·|-] ?[\d:]+(?: ?[a-z]{1,7})?)?$`,
    "i",
  ),
  new RegExp(String.raw`^\d{4}-\d{2}-\d{2}(?:[ T]${CLOCK}${ZONE})?$`),
  /^(?:\d{1,3}h ?)?(?:\d{1,3}m(?:in)? ?)?(?:\d{1,2}s)?$/,
  /^(?:\[?\**)?VIEW RECORDING - \d+ mins?.*$/i,
  /^\S.{0,98}\S (?:started|stopped) (?:transcription|recording)$/i,
  /^#{0,6} *\**_?This editable transcript was computer generated and might contain errors\.?(?: People can also change the text after it was created\.)?_?\**$/i,
];

const FOOTERS = [
  /^Transcribed by https?:\/\/otter\.ai\/?$/i,
  /^#{0,6} *\**(?:Transcription|Meeting|Recording) ended after \d{1,3}:\d{2}(?::\d{2})?\**(?: \P{L}*)?$/iu,
  /^\**_?This editable transcript was computer generated and might contain errors\.?(?: People can also change the text after it was created\.)?_?\**$/i,
  /^\S.{0,98}\S stopped transcription$/i,
];

/** Maximum length of a service's line, in UTF-16 units. */
const LONGEST = 400;

/** Returns true for an empty line, and for one that services add before a transcript. */
export const isServiceLine = (line: string): boolean =>
  line === "" ||
  (line.length <= LONGEST &&
    (FIELD.test(line) || LIST_HEADING.test(line) || LINES.some((known) => known.test(line))));

/** A field such as `Date: 2026-11-05`. */
export interface Field {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** True if the value lists people. */
  readonly people: boolean;
}

/** Reads a line with a field, or a heading of a list, whose value is empty; null for other lines. */
export function readField(line: string): Field | null {
  if (line.length > LONGEST) return null;
  const { name, value = "" } = (FIELD.exec(line) ?? LIST_HEADING.exec(line))?.groups ?? {};
  if (name === undefined) return null;
  return {
    name: name.toLowerCase(),
    value: value.replaceAll("**", "").trim(),
    people: PEOPLE.test(name),
  };
}

/** Returns true for a heading followed by a list of people or words that ends at an empty line. */
export const isListHeading = (line: string): boolean => line.length <= LONGEST && LIST_HEADING.test(line);

/** Returns true for a line that services add after a transcript. */
export const isFooter = (line: string): boolean =>
  line === "" || (line.length <= LONGEST && FOOTERS.some((known) => known.test(line)));

/** Returns true for the heading above a transcript: `Transcript`, `## Transcript`, `Transcript:`. */
export const isTranscriptHeading = (line: string): boolean =>
  line.length <= 60 && /^#{0,6} *\**[^\p{L}]{0,4}(?:full |meeting )?transcript\**(?::\**)?$/iu.test(line);
