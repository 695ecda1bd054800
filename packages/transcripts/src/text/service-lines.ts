/** Fields that services put before a transcript. Their values are not speech. */
const FIELD =
  /^(?:[-*] )?\**(?:meeting )?(?:title|date|time|start(?: time)?|end(?: time)?|duration|length|attendees|participants|invitees|speakers|organi[sz]er|recorded by|recorded on|location|meeting id|recording|link|url|language|tags|generated title|summary keywords)\**:\**(?:\s|$)/i;

/** Headings of the same fields, with values on the following lines. */
const LIST_HEADING =
  /^#{0,6} *\**(?:attendees|participants|meeting participants|invitees|speakers|invited|attachments|keywords|summary keywords)\**:?$/i;

const DAY = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?`;
const MONTH = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;
const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?`;

const LINES = [
  /^(?:-{3,}|={3,}|\*{3,}|_{3,})$/,
  /^[[(]?\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,3})?[\])]?$/,
  new RegExp(
    String.raw`^(?:${DAY},? )?(?:${MONTH} \d{1,2}|\d{1,2} ${MONTH}),? ?(?:\d{4})?(?:,? ?(?:at )?${CLOCK})?(?: ?[•·|-] ?[\d:]+)?$`,
    "i",
  ),
  /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?$/,
  /^(?:\d{1,3}h ?)?(?:\d{1,3}m(?:in)? ?)?(?:\d{1,2}s)?$/,
  /^(?:\[?\**)?VIEW RECORDING - \d+ mins?.*$/i,
  /^\S.{0,98}\S (?:started|stopped) transcription$/i,
  /^#{0,6} *\**_?This editable transcript was computer generated and might contain errors\.?(?: People can also change the text after it was created\.)?_?\**$/i,
];

const FOOTERS = [
  /^Transcribed by https?:\/\/otter\.ai\/?$/i,
  /^#{0,6} *\**(?:Transcription|Meeting|Recording) ended after \d{1,3}:\d{2}(?::\d{2})?\**(?: \P{L}*)?$/iu,
  /^\**_?This editable transcript was computer generated and might contain errors\.?(?: People can also change the text after it was created\.)?_?\**$/i,
  /^\S.{0,98}\S stopped transcription$/i,
];

/** Returns true for an empty line, and for one that services add before a transcript. */
export const isServiceLine = (line: string): boolean =>
  line === "" || FIELD.test(line) || LIST_HEADING.test(line) || LINES.some((known) => known.test(line));

/** Returns true for a heading followed by a list of people or words that ends at an empty line. */
export const isListHeading = (line: string): boolean => LIST_HEADING.test(line);

/** Returns true for a line that services add after a transcript. */
export const isFooter = (line: string): boolean => line === "" || FOOTERS.some((known) => known.test(line));

const TITLE_FIELD = /^\**(?:meeting )?title\**:/i;

/** Returns the value of a `Title:` or `Meeting Title:` field; null for other lines. */
export function readTitleField(line: string): string | null {
  const field = TITLE_FIELD.exec(line)?.[0];
  return field === undefined ? null : line.slice(field.length).replace(/^\**/, "").trim() || null;
}

/** Returns true for the heading above a transcript: `Transcript`, `## Transcript`, `Transcript:`. */
export const isTranscriptHeading = (line: string): boolean =>
  /^#{0,6} *\**[^\p{L}]{0,4}(?:full |meeting )?transcript\**(?::\**)?$/iu.test(line);
