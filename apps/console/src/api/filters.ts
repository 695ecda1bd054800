/** What the pages are filtered by; kept in the address, so that a link and the back button bring it back. */

/** The meeting list. */
export interface MeetingFilters {
  /** Words to search for; the list is shown when absent. */
  readonly q?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly from?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly to?: string | undefined;
  /** A tag's name. */
  readonly tag?: string | undefined;
  /** Own meetings, or those of others. */
  readonly whose?: "mine" | "shared" | undefined;
  /** Searches all time instead of the last six months. */
  readonly all?: true | undefined;
}

export const MEETING_TABS = ["summary", "transcript"] as const;
export type MeetingTab = (typeof MEETING_TABS)[number];

/** One meeting. */
export interface MeetingView {
  /** The place of the turn to open the transcript at, from 0. */
  readonly at?: number | undefined;
  /** The words of a passage to open the transcript at, where its place is not known. */
  readonly find?: string | undefined;
  /** The tab that is shown where there is room for one. */
  readonly tab?: MeetingTab | undefined;
}

/** The task list. */
export interface TaskFilters {
  /** Open tasks when absent. */
  readonly shown?: "completed" | "all" | undefined;
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
  /** ID of the delivery that is shown. */
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

/** Reads the filters of an address. What is not understood is left out. */
export const readMeetingFilters = ({ q, from, to, tag, whose, all }: Search): MeetingFilters => ({
  q: text(q),
  from: matching(from, DAY),
  to: matching(to, DAY),
  tag: text(tag),
  whose: pickOne(whose, ["mine", "shared"]),
  all: all === true || undefined,
});
export const readMeetingView = ({ at, find, tab }: Search): MeetingView => ({
  at: Number.isInteger(at) && Number(at) >= 0 ? Number(at) : undefined,
  find: text(find),
  tab: pickOne(tab, MEETING_TABS),
});
export const readTaskFilters = ({ shown }: Search): TaskFilters => ({
  shown: pickOne(shown, ["completed", "all"]),
});
export const readDeliveryFilters = ({ state, from, to, delivery }: Search): DeliveryFilters => ({
  state: pickOne(state, DELIVERY_STATES),
  from: matching(from, MINUTE),
  to: matching(to, MINUTE),
  delivery: delivery === undefined ? undefined : String(delivery),
});
export const readAuditFilters = ({ actor, action, from, to }: Search): AuditFilters => ({
  actor: text(actor),
  action: text(action),
  from: matching(from, DAY),
  to: matching(to, DAY),
});
/** Where to go after sign-in, and what went wrong with it elsewhere. */
export const readSignInTarget = ({
  to,
  problem,
}: Search): { to?: string | undefined; problem?: string | undefined } => ({
  to: text(to),
  problem: text(problem),
});
