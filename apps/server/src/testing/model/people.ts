import { listCompleted } from "./rules.js";
import type { Meeting, World } from "./world.js";

/** A person of the model, in place of an ID: an address in a workspace. */
const toAddress = ({ owner }: Meeting, email: string): string =>
  `${owner.workspace.id} ${email.toLowerCase()}`;

/** Returns the person behind a speaker's label: by their address, else a person of this meeting only. */
export function toSpeaker(meeting: Meeting, label: string): string {
  const turn = meeting.sent.transcript.find(
    ({ speakerId, speakerEmail }) => speakerId === label && speakerEmail !== undefined,
  );
  return turn?.speakerEmail ? toAddress(meeting, turn.speakerEmail) : `${meeting.id} ${label}`;
}

/** Returns the person behind an assignee: the speaker, else by their address; null if they have neither. */
export function toAssignee(
  meeting: Meeting,
  { label, email }: { readonly label: string | null; readonly email: string | null },
): string | null {
  if (label !== null) return toSpeaker(meeting, label);
  return email === null ? null : toAddress(meeting, email);
}

/** Lists the people of all meetings. Nobody else exists. */
function listPeople(world: World): Set<string> {
  return new Set(
    listCompleted(world).flatMap((meeting) => [
      ...meeting.sent.transcript.map(({ speakerId }) => toSpeaker(meeting, speakerId)),
      ...meeting.tasks.flatMap(({ assignee }) => (assignee ? (toAssignee(meeting, assignee) ?? []) : [])),
    ]),
  );
}

/** Matches the IDs of answers to people of the model. */
export class PeopleOfModel {
  readonly #ids = new Map<string, string>();
  /** By ID, also of people who are gone: nobody else gets their ID. */
  readonly #people = new Map<string, string>();

  /**
   * Returns an answer with people instead of IDs. An ID stays if it is another person's, or if the expected person has
   * another one.
   */
  translate(answer: unknown, expected: unknown): unknown {
    if (Array.isArray(answer)) {
      const items: unknown[] = Array.isArray(expected) ? expected : [];
      return answer.map((item, at) => this.translate(item, items[at]));
    }
    if (typeof answer === "object" && answer !== null) {
      const fields = new Map(Object.entries(expected ?? {}));
      return Object.fromEntries(
        Object.entries(answer).map(([key, value]) => [key, this.translate(value, fields.get(key))]),
      );
    }
    const isPerson = typeof answer === "string" && /^per_[0-9A-Za-z]{22}$/.test(answer);
    return isPerson && typeof expected === "string" ? this.#toPerson(answer, expected) : answer;
  }

  #toPerson(id: string, person: string): string {
    const known = this.#people.get(id) ?? person;
    const first = this.#ids.get(person) ?? id;
    if (known !== person) return `${id}, who is ${known}`;
    if (first !== id) return `${id}, who had ${first}`;
    this.#people.set(id, person);
    this.#ids.set(person, id);
    return person;
  }

  /** Forgets the people who are in no meeting any more. Should they come back, they can have another ID. */
  forgetUnnamed(world: World): void {
    const named = listPeople(world);
    for (const person of this.#ids.keys()) if (!named.has(person)) this.#ids.delete(person);
  }
}
