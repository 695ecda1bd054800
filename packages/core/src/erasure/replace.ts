import { ERASED_EMAIL, ERASED_NAME } from "../lib/erased.js";
import { generateId } from "../lib/ids.js";
import { toAddressPattern } from "./sought.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAddress = (value: Json | undefined, email: string): boolean =>
  typeof value === "string" && value.toLowerCase() === email;

/**
 * Replaces a person in a draft's JSON text: as speaker, with their label, attendee and assignee, and deletes the address of the
 * recording with their voice. Texts that mention them stay unchanged.
 * @param email in lower case
 * @returns null if there is nothing to replace
 */
export function replaceInDraft(content: string, email: string): string | null {
  const draft = JSON.parse(content) as Json;
  const speakers: Speakers = { erased: new Set(), labels: new Map() };
  collectSpeakers(draft, email, speakers);
  const replaced = replace(draft, email, speakers);
  if (JSON.stringify(replaced) === JSON.stringify(draft)) return null;
  return JSON.stringify(isObject(replaced) ? { ...replaced, recordingUrl: undefined } : replaced);
}

interface Speakers {
  /** Labels of the person. */
  readonly erased: Set<Json>;
  /** New labels, by the former: of the person, and of others if theirs contain the address. */
  readonly labels: Map<Json, string>;
}

/** Collects the labels of the person, and those that contain the address. */
function collectSpeakers(value: Json | undefined, email: string, speakers: Speakers): void {
  if (Array.isArray(value)) for (const item of value as Json[]) collectSpeakers(item, email, speakers);
  if (!isObject(value)) return;
  const { speakerId: label, speakerName, speakerEmail } = value;
  const isCalled = speakerEmail === undefined && [label, speakerName].some((text) => contains(text, email));
  const isPerson = isAddress(speakerEmail, email) || isCalled;
  if (label !== undefined && isPerson) speakers.erased.add(label);
  if (label !== undefined && (isPerson || contains(label, email)) && !speakers.labels.has(label))
    speakers.labels.set(label, generateId("spk"));
  for (const child of Object.values(value)) collectSpeakers(child, email, speakers);
}

const contains = (value: Json | undefined, email: string): boolean =>
  typeof value === "string" && new RegExp(toAddressPattern(email)).test(value.toLowerCase());

function replace(value: Json, email: string, speakers: Speakers): Json {
  if (Array.isArray(value)) return (value as Json[]).map((item) => replace(item, email, speakers));
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, child]) => !isAssignee(value, child, email))
    .map(([key, child]) => [key, replace(child, email, speakers)] as const);
  const copy: Record<string, Json> = Object.fromEntries(entries);
  const label = value.speakerId;
  if (label !== undefined) copy.speakerId = speakers.labels.get(label) ?? label;
  if (label !== undefined && speakers.erased.has(label)) {
    copy.speakerName = ERASED_NAME;
    delete copy.speakerEmail;
  }
  if (isAddress(value.email, email)) {
    copy.email = ERASED_EMAIL;
    copy.name = ERASED_NAME;
  }
  return copy;
}

/** Returns true if `child` is the person as assignee of the task `parent`, which then becomes unassigned. */
const isAssignee = (parent: JsonObject, child: Json, email: string): boolean =>
  parent.assignee === child &&
  isObject(child) &&
  (isAddress(child.email, email) || (child.email === undefined && contains(child.name, email)));
