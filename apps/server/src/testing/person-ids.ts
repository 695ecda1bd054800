type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const PERSON_ID = /"per_[0-9A-Za-z]{22}"/g;

/**
 * Compares answers from before people had IDs with answers of today. The mapping must be
 * injective: an ID stands for one address, or for one speaker of one meeting.
 */
export class PersonIds {
  /** By ID, the address and the speaker under which it was first seen. */
  readonly #people = new Map<string, { email: string | null; readonly speaker: string }>();
  readonly #ids = new Map<string, string>();

  /** The number of IDs seen. */
  get size(): number {
    return this.#people.size;
  }

  /**
   * Returns an answer's JSON text with the labels of `expected` instead of the people's IDs at the same place.
   * @throws Error if two people have one ID, or a speaker of a meeting has two
   */
  translate(answer: string, expected: string): string {
    if (!PERSON_ID.test(answer)) return answer;
    PERSON_ID.lastIndex = 0;
    const labels: Json[] = [];
    this.#walk(parse(answer), parse(expected), "", labels);
    let at = 0;
    return answer.replace(PERSON_ID, (id) => (at < labels.length ? JSON.stringify(labels[at++]) : id));
  }

  #walk(now: Json | undefined, before: Json | undefined, meeting: string, labels: Json[]): void {
    if (Array.isArray(now)) {
      now.forEach((item, at) => {
        this.#walk(item, Array.isArray(before) ? before[at] : undefined, meeting, labels);
      });
    } else if (isObject(now)) {
      const then = isObject(before) ? before : {};
      const of =
        typeof now.meetingId === "string" ? now.meetingId : now.participants ? String(now.id) : meeting;
      for (const [key, value] of Object.entries(now)) {
        const is = typeof value === "string" && (key === "id" || key === "speakerId");
        if (!is || !value.startsWith("per_")) this.#walk(value, then[key], of, labels);
        else {
          labels.push(then[key] ?? null);
          if (key === "id") this.#note(value, now.email, `${of}/${String(then[key] ?? now.email)}`);
        }
      }
    }
  }

  #note(id: string, email: Json | undefined, speaker: string): void {
    const address = typeof email === "string" ? email.toLowerCase() : null;
    const known = this.#people.get(id) ?? { email: address, speaker };
    const differs =
      address === null ? known.email === null && known.speaker !== speaker : known.email !== address;
    if (differs && known.email !== null) throw new Error(`${id} is ${known.email} and ${address ?? speaker}`);
    if (differs && known.speaker !== speaker) throw new Error(`${id} is ${known.speaker} and ${speaker}`);
    const first = this.#ids.get(speaker) ?? id;
    if (first !== id) throw new Error(`${speaker} has two IDs: ${first} and ${id}`);
    known.email ??= address;
    this.#people.set(id, known);
    this.#ids.set(speaker, id);
  }
}

/** Parses an answer; a status can precede it. */
const parse = (text: string): Json | undefined => {
  try {
    return JSON.parse(text.replace(/^\d{3} /, "")) as Json;
  } catch {
    return undefined;
  }
};
