import { Text, type TextProps } from "@mantine/core";
import { useSyncExternalStore } from "react";

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const dayAndYear = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: "long", day: "numeric", month: "long", year: "numeric" },
});
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const monthInUtc = new Intl.DateTimeFormat(undefined, { month: "short", year: "2-digit", timeZone: "UTC" });
const dayInUtc = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** Writes `Nov 26` for a month of UTC. */
export const formatMonth = (start: string): string => monthInUtc.format(new Date(start));

/** Writes `14:30` in the reader's time zone. */
export const formatHourAndMinute = (at: string): string => hour.format(new Date(at));

/** Writes the date and time in the reader's time zone and locale. */
export const formatDateTime = (at: string | Date): string => full.format(new Date(at));

/** Writes a day such as `2026-03-01` in the reader's locale. */
export const formatDate = (date: string): string => dayInUtc.format(new Date(date));

/** A meeting's start and its precision. */
interface Start {
  readonly startTime: string;
  readonly startPrecision: string | null;
}

/** Returns the start to show in the reader's zone. If only the UTC day is known, local midnight of that day. */
export const toLocalStart = ({ startTime, startPrecision }: Start): string =>
  startPrecision === "day" ? `${startTime.slice(0, 10)}T00:00` : startTime;

/** Formats a meeting's start, without a time if only the day is known. */
export const formatStart = ({ startTime, startPrecision }: Start): string =>
  startPrecision === "day"
    ? formatDate(startTime)
    : `${formatDateTime(startTime)}${startPrecision === null ? "" : " (a guess)"}`;

/** Counts local days from today; -1 is yesterday. */
function countDays(at: Date): number {
  const start = (one: Date) => new Date(one.getFullYear(), one.getMonth(), one.getDate()).getTime();
  return Math.round((start(at) - start(new Date())) / DAY);
}

/** Writes `Today`, `Yesterday`, `Tomorrow`, `Tuesday, 3 March` or `3 March 2025`, in the reader's time zone. */
export function formatDay(at: string): string {
  const instant = new Date(at);
  const days = countDays(instant);
  if (Math.abs(days) <= 1) {
    const text = relative.format(days, "day");
    return text.slice(0, 1).toUpperCase() + text.slice(1);
  }
  return (instant.getFullYear() === new Date().getFullYear() ? day : dayAndYear).format(instant);
}

const readMinute = () => Math.floor(Date.now() / MINUTE);

/** Calls back so often that a minute's change shows soon. */
function subscribeToMinutes(listener: () => void) {
  const timer = setInterval(listener, 10_000);
  return () => clearInterval(timer);
}

/** Writes `5 minutes ago`, `yesterday` or, from a week on, the date and time. */
export function formatRelative(at: Date): string {
  const distance = at.getTime() - Date.now();
  if (Math.abs(distance) < MINUTE) return "just now";
  if (Math.abs(distance) < HOUR) return relative.format(Math.round(distance / MINUTE), "minute");
  if (Math.abs(distance) < DAY) return relative.format(Math.round(distance / HOUR), "hour");
  if (Math.abs(distance) < 7 * DAY) return relative.format(countDays(at), "day");
  return full.format(at);
}

/** Shows a relative time, which stays current; its tooltip is the exact time in the reader's zone. */
export const Timestamp = ({ at, ...props }: { at: string | Date | null } & TextProps) => {
  useSyncExternalStore(subscribeToMinutes, readMinute);
  if (at === null)
    return (
      <Text component="span" {...props}>
        never
      </Text>
    );
  const instant = new Date(at);
  return (
    <Text component="time" dateTime={instant.toISOString()} title={formatDateTime(instant)} {...props}>
      {formatRelative(instant)}
    </Text>
  );
};

/** Formats a start for the `datetime` attribute: an instant or a day. */
export const toMachineTime = ({ startTime, startPrecision }: Start): string =>
  startPrecision === "day" ? startTime.slice(0, 10) : startTime;

/** Shows a meeting's start as a relative time, or what is known of it. */
export const MeetingStart = ({ meeting, ...props }: { meeting: Start } & TextProps) =>
  meeting.startPrecision === null ? (
    <Timestamp at={meeting.startTime} {...props} />
  ) : (
    <Text component="time" dateTime={toMachineTime(meeting)} {...props}>
      {formatStart(meeting)}
    </Text>
  );

/** Shows a meeting's start and duration: `3 Mar 2026, 14:30, 45 min`. */
export const MeetingTime = ({ meeting }: { meeting: Start & { endTime: string | null } }) => (
  <Text
    component="time"
    size="sm"
    c="dimmed"
    dateTime={toMachineTime(meeting)}
    title={meeting.startPrecision === null ? formatRelative(new Date(meeting.startTime)) : undefined}
  >
    {[formatStart(meeting), formatDuration(meeting.startTime, meeting.endTime) ?? []].flat().join(", ")}
  </Text>
);

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** Writes `1:02:05` for 3725 seconds. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${twoDigits(m)}:${twoDigits(s)}` : `${m}:${twoDigits(s)}`;
}

/** Formats the time between two instants as `45 min` or `2 h`; null if the end is unknown. */
export function formatDuration(start: string, end: string | null): string | null {
  if (end === null) return null;
  const minutes = Math.round((Date.parse(end) - Date.parse(start)) / MINUTE);
  if (minutes < 1) return "under 1 min";
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])].join(" ");
}

/** Returns an instant's day in the reader's time zone, `YYYY-MM-DD`. */
export function toLocalDay(at: string): string {
  const instant = new Date(at);
  const [month, date] = [instant.getMonth() + 1, instant.getDate()].map(twoDigits);
  return `${instant.getFullYear()}-${month}-${date}`;
}

/** Returns the first or last instant of a local day, `YYYY-MM-DD`. */
export const toLocalInstant = (date: string, end: "start" | "end"): string =>
  new Date(`${date}T${end === "start" ? "00:00:00.000" : "23:59:59.999"}`).toISOString();
