import { ok } from "./answers.js";
import { toDetail } from "./answers-of-meetings.js";
import { listCompleted } from "./rules.js";
import type { Step } from "./step.js";
import type { Meeting, Workspace, World } from "./world.js";

/** The events that the model predicts, in the order of what they tell of a meeting. */
export const EVENTS = [
  "meeting.completed",
  "task.updated",
  "meeting.shared",
  "meeting.updated",
  "meeting.deleted",
] as const;

type Data = { readonly id: string; readonly tasks?: readonly object[] | undefined } & Readonly<
  Record<string, unknown>
>;

export interface Delivered {
  readonly event: (typeof EVENTS)[number];
  readonly data: Data;
}

/** Copies of meetings, made of what one company's webhook received. */
export class WebhookCopies {
  readonly #copies = new Map<string, Data>();
  /** Meetings of members at the end of any step since the last comparison. */
  readonly #heard = new Set<Meeting>();
  /** Meetings whose owner was not a member at the end of every step: something may be missing. */
  readonly #interrupted = new Set<Meeting>();
  /** Meetings of owners who joined: no event says what they were until then. */
  readonly #unknown = new Set<Meeting>();
  /** Meetings that were completed at the end of any step. */
  readonly #completed = new Set<Meeting>();

  constructor(readonly company: Workspace) {}

  /** Notes at the end of a step which meetings the webhook hears of. */
  note(world: World): void {
    for (const meeting of world.meetings) {
      const hears = meeting.owner.workspace === this.company && this.company.plan !== "free";
      (hears ? this.#heard : this.#interrupted).add(meeting);
    }
    for (const meeting of listCompleted(world)) this.#completed.add(meeting);
  }

  /** Applies what arrived since the last comparison, and compares each meeting's copy with the model. */
  compare(step: Step, arrived: readonly Delivered[]): void {
    const { world } = step;
    const heard = new Set([...this.#heard].map(({ id }) => id));
    for (const { event, data } of arrived)
      step.expect(`${event} of ${data.id} is a member's`, ok(heard.has(data.id)), ok(true));
    // The deliveries of one moment arrive in any order.
    const rank = ({ event }: Delivered) => EVENTS.indexOf(event);
    for (const delivered of arrived.toSorted((one, other) => rank(one) - rank(other)))
      this.#apply(step, delivered);
    for (const meeting of this.#interrupted) {
      this.#copies.delete(meeting.id);
      this.#unknown.add(meeting);
    }
    for (const meeting of this.#completed)
      if (!this.#interrupted.has(meeting)) this.#compareCopy(step, meeting, arrived);
    for (const noted of [this.#heard, this.#interrupted, this.#completed]) noted.clear();
    this.note(world);
  }

  #apply(step: Step, { event, data }: Delivered): void {
    const copy = this.#copies.get(data.id);
    if (event === "meeting.deleted") this.#copies.delete(data.id);
    else if (event !== "task.updated") this.#copies.set(data.id, data);
    else {
      const meeting = listCompleted(step.world).find(({ id }) => id === data.id);
      if (meeting) compareTasks(step, meeting, data.tasks ?? []);
      // The whole payload's tasks have no IDs.
      if (copy) this.#copies.set(data.id, { ...copy, tasks: undefined });
    }
  }

  #compareCopy(step: Step, meeting: Meeting, arrived: readonly Delivered[]): void {
    const events = arrived.filter(({ data }) => data.id === meeting.id).map(({ event }) => event);
    const copy = this.#copies.get(meeting.id);
    if (copy) this.#unknown.delete(meeting);
    if (this.#unknown.has(meeting)) return;
    const payload = meeting.state === "completed" ? toPayload(meeting) : undefined;
    const known = copy && !copy.tasks ? { tasks: undefined } : {};
    step.expect(
      `a webhook's copy of ${meeting.id} after ${events.join(", ") || "nothing"}`,
      ok(copy && withoutAddress(copy)),
      ok(payload && { ...withoutAddress(payload), ...known }),
    );
  }
}

/** Builds the payload of a meeting. */
function toPayload(meeting: Meeting): Data {
  const { generatedTitle: _, ...detail } = toDetail(meeting);
  const { speakers, turns } = meeting.content;
  const transcript = turns.map(({ label, text }) => {
    const speaker = speakers.find((one) => one.label === label);
    return { speakerId: speaker?.person, speakerName: speaker?.name, text };
  });
  return { ...detail, transcript };
}

/** Removes the owner's address: a change of it is no event. */
const withoutAddress = ({ user, ...data }: Data) => ({ ...data, user: (user as { id: string }).id });

/** Compares changed tasks with what the model's meeting says now. A deleted one is left out. */
function compareTasks(step: Step, meeting: Meeting, changed: readonly object[]): void {
  const { tasks } = toDetail(meeting);
  const known = meeting.content.tasks.map(({ id }, at) => ({ id, ...tasks[at] }));
  const ids = new Set(changed.map((task) => (task as { id: string }).id));
  step.expect(`changed tasks of ${meeting.id}`, ok(changed), ok(known.filter(({ id }) => ids.has(id))));
}
