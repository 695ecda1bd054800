import type { DeliveryState } from "@minutes/contract";
import type { ChangeEvent } from "react";

/**
 * Filters of the pages. They live in the URL, so links and the back button restore them. Invalid values are dropped. Days
 * are `YYYY-MM-DD`, minutes `YYYY-MM-DDTHH:MM`, both in local time.
 */

const TASK_GROUPS = ["day", "due"] as const;
export type TaskGroup = (typeof TASK_GROUPS)[number];
const MEETING_TABS = ["summary", "transcript"] as const;
export const DELIVERY_STATES = [
  "pending",
  "held",
  "delivered",
  "failed",
  "skipped",
  "canceled",
] as const satisfies readonly DeliveryState[];

export type MeetingFilters = ReturnType<typeof readMeetingFilters>;
export type TaskFilters = ReturnType<typeof readTaskFilters>;
export type DeliveryFilters = ReturnType<typeof readDeliveryFilters>;
export type AuditFilters = ReturnType<typeof readAuditFilters>;

type Search = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const matching = (value: unknown, form: RegExp): string | undefined => {
  const found = text(value);
  return found !== undefined && form.test(found) ? found : undefined;
};
const pickOne = <Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | undefined =>
  choices.find((choice) => choice === value);
/** Makes all filters optional in links. */
const toFilters = <Filters>(filters: Filters): Readonly<Partial<Filters>> => filters;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Parses the filters of the meeting list. */
export const readMeetingFilters = ({ q, from, to, tag, whose, all }: Search) =>
  toFilters({
    /** Search query; absent on the plain list. */
    q: text(q),
    from: matching(from, DAY),
    to: matching(to, DAY),
    tag: text(tag),
    /** Only own meetings, or only shared ones. A tag takes precedence. */
    whose: text(tag) ? undefined : pickOne(whose, ["mine", "shared"]),
    /** Searches all time instead of the last six months. */
    all: all === true || undefined,
  });

/** Parses the meeting page's search parameters. */
export const readMeetingView = ({ at, find, tab }: Search) =>
  toFilters({
    /** Index of the turn to scroll to, from 0. */
    at: Number.isInteger(at) && Number(at) >= 0 ? Number(at) : undefined,
    /** Text of the passage to scroll to, if its index is unknown. */
    find: text(find),
    /** The selected tab on narrow screens. */
    tab: pickOne(tab, MEETING_TABS),
  });

/** Parses the filters of the task list. */
export const readTaskFilters = ({ shown, by, whose }: Search) =>
  toFilters({
    /** Absent for everyone's. */
    whose: pickOne(whose, ["mine"]),
    /** Absent for open tasks. */
    shown: pickOne(shown, ["completed", "all"]),
    /** Groups by creation day or sorts by due date. Absent: groups by meeting. */
    by: pickOne(by, TASK_GROUPS),
  });

/** Parses the filters of the delivery log, and the ID of the selected delivery. */
export const readDeliveryFilters = ({ state, from, to, delivery }: Search) =>
  toFilters({
    state: pickOne(state, DELIVERY_STATES),
    from: matching(from, MINUTE),
    to: matching(to, MINUTE),
    delivery: delivery === undefined ? undefined : String(delivery),
  });

/** Parses the filters of the audit log. */
export const readAuditFilters = ({ actor, action, from, to }: Search) =>
  toFilters({
    actor: text(actor),
    action: text(action),
    from: matching(from, DAY),
    to: matching(to, DAY),
  });

/** Parses where to go after sign-in, and why a provider's sign-in failed. */
export const readSignInTarget = ({ to, problem }: Search) =>
  toFilters({ to: text(to), problem: text(problem) });

type FieldChange = ChangeEvent<HTMLInputElement | HTMLSelectElement>;

/**
 * Builds the props of fields that edit filters. An empty field removes its filter.
 * @returns a function from a filter's name, and other filters to change with it, to the field's props
 */
export const createFilterFields =
  <Filters extends object>(filters: Filters, set: (change: Filters) => void) =>
  (name: keyof Filters, others?: Filters) => ({
    value: String(filters[name] ?? ""),
    onChange: ({ currentTarget }: FieldChange) =>
      set({ ...others, [name]: currentTarget.value || undefined } as Filters),
  });
