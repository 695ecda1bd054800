/** Replacement for an erased person's name. */
export const ERASED_NAME = "Erased person";
/** Replacement for an erased attendee's address, which can't be empty. Its top-level domain never exists (RFC 2606). */
export const ERASED_EMAIL = "erased@erased.invalid";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAddress = (value: Json | undefined, email: string): boolean =>
  typeof value === "string" && value.toLowerCase() === email;

/**
 * Replaces a person in a draft's JSON text: as speaker, attendee and assignee. Texts that mention them stay unchanged.
 * @param email in lower case
 * @returns null if there is nothing to replace
 */
export function replaceInDraft(content: string, email: string): string | null {
  const draft = JSON.parse(content) as Json;
  const speakers = new Set<Json>();
  collectSpeakers(draft, email, speakers);
  const replaced = JSON.stringify(replace(draft, email, speakers));
  return replaced === JSON.stringify(draft) ? null : replaced;
}

/** Collects the speaker ids of the person. */
function collectSpeakers(value: Json | undefined, email: string, speakers: Set<Json>): void {
  if (Array.isArray(value)) for (const item of value as Json[]) collectSpeakers(item, email, speakers);
  if (!isObject(value)) return;
  if (isAddress(value.speakerEmail, email) && value.speakerId !== undefined) speakers.add(value.speakerId);
  for (const child of Object.values(value)) collectSpeakers(child, email, speakers);
}

function replace(value: Json, email: string, speakers: ReadonlySet<Json>): Json {
  if (Array.isArray(value)) return (value as Json[]).map((item) => replace(item, email, speakers));
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, child]) => !isAssignee(value, child, email))
    .map(([key, child]) => [key, replace(child, email, speakers)] as const);
  const copy: Record<string, Json> = Object.fromEntries(entries);
  if (value.speakerId !== undefined && speakers.has(value.speakerId)) {
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
  parent.assignee === child && isObject(child) && isAddress(child.email, email);
