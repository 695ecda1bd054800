/** Filters of the pages. They live in the URL, so links and the back button restore them. */

/** The meeting list. */
export interface MeetingFilters {
  /** Search query; absent on the plain list. */
  readonly q?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly from?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly to?: string | undefined;
  /** A tag's name. */
  readonly tag?: string | undefined;
  /** Only own meetings, or only shared ones. */
  readonly whose?: "mine" | "shared" | undefined;
  /** Searches all time instead of the last six months. */
  readonly all?: true | undefined;
}

export const MEETING_TABS = ["summary", "transcript"] as const;
export type MeetingTab = (typeof MEETING_TABS)[number];

/** One meeting. */
export interface MeetingView {
  /** Index of the turn to scroll to, from 0. */
  readonly at?: number | undefined;
  /** Text of the passage to scroll to, if its index is unknown. */
  readonly find?: string | undefined;
  /** The selected tab on narrow screens. */
  readonly tab?: MeetingTab | undefined;
}

/** The task list. */
export interface TaskFilters {
  /** Absent for open tasks. */
  readonly shown?: "completed" | "all" | undefined;
  /** Groups by day instead of by meeting. */
  readonly by?: "day" | undefined;
}

export const DELIVERY_STATES = ["pending", "held", "delivered", "failed", "skipped", "canceled"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The deliveries of a webhook. */
export interface DeliveryFilters {
  readonly state?: DeliveryState | undefined;
  /** Local time, `YYYY-MM-DDTHH:MM`. */
  readonly from?: string | undefined;
  /** Local time, `YYYY-MM-DDTHH:MM`. */
  readonly to?: string | undefined;
  /** ID of the selected delivery. */
  readonly delivery?: string | undefined;
}

/** The audit log. */
export interface AuditFilters {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly from?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly to?: string | undefined;
}

type Search = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const matching = (value: unknown, form: RegExp): string | undefined => {
  const found = text(value);
  return found !== undefined && form.test(found) ? found : undefined;
};
const pickOne = <Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | undefined =>
  choices.find((choice) => choice === value);
const DAY = /^\d{4}-\d\d-\d\d$/;
const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Parses the filters of the meeting list from a URL, like the functions below. Invalid values are dropped. */
export const readMeetingFilters = ({ q, from, to, tag, whose, all }: Search): MeetingFilters => ({
  q: text(q),
  from: matching(from, DAY),
  to: matching(to, DAY),
  tag: text(tag),
  whose: pickOne(whose, ["mine", "shared"]),
  all: all === true || undefined,
});
/** Parses what a meeting page shows. */
export const readMeetingView = ({ at, find, tab }: Search): MeetingView => ({
  at: Number.isInteger(at) && Number(at) >= 0 ? Number(at) : undefined,
  find: text(find),
  tab: pickOne(tab, MEETING_TABS),
});
/** Parses the filter of the task list. */
export const readTaskFilters = ({ shown, by }: Search): TaskFilters => ({
  shown: pickOne(shown, ["completed", "all"]),
  by: pickOne(by, ["day"]),
});
/** Parses the filters of the delivery log. */
export const readDeliveryFilters = ({ state, from, to, delivery }: Search): DeliveryFilters => ({
  state: pickOne(state, DELIVERY_STATES),
  from: matching(from, MINUTE),
  to: matching(to, MINUTE),
  delivery: delivery === undefined ? undefined : String(delivery),
});
/** Parses the filters of the audit log. */
export const readAuditFilters = ({ actor, action, from, to }: Search): AuditFilters => ({
  actor: text(actor),
  action: text(action),
  from: matching(from, DAY),
  to: matching(to, DAY),
});
/** Parses where to go after sign-in, and why a provider's sign-in failed. */
export const readSignInTarget = ({
  to,
  problem,
}: Search): { to?: string | undefined; problem?: string | undefined } => ({
  to: text(to),
  problem: text(problem),
});
