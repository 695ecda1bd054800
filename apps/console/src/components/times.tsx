import { Text, type TextProps } from "@mantine/core";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const twoDigits = (value: number) => String(value).padStart(2, "0");

/**
 * Writes `19 Nov 2026, 14:30` in the reader's time zone: the pages are in English, and this form means the same day to
 * everybody. The browser's own forms would cost the first page some 40 ms.
 */
const formatTime = (at: Date): string =>
  `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}, ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;

/** Writes `Nov 26` for a month of UTC. */
export const formatMonth = (start: string): string =>
  `${MONTHS[new Date(start).getUTCMonth()]} ${start.slice(2, 4)}`;

/** Writes `14:30` in the reader's time zone. */
export const formatHourAndMinute = (at: string): string => {
  const instant = new Date(at);
  return `${twoDigits(instant.getHours())}:${twoDigits(instant.getMinutes())}`;
};

/** Shows an instant in the reader's time zone; the exact UTC time is its tooltip. */
export const When = ({ at, ...props }: { at: string | Date | null } & TextProps) => {
  if (at === null)
    return (
      <Text component="span" {...props}>
        never
      </Text>
    );
  const instant = new Date(at);
  return (
    <Text component="time" dateTime={instant.toISOString()} title={instant.toISOString()} {...props}>
      {formatTime(instant)}
    </Text>
  );
};

/** Writes `Thu 19 Nov 2026, 14:30` in the reader's time zone. */
export function formatDayAndTime(at: string): string {
  const instant = new Date(at);
  return `${DAYS[instant.getDay()]} ${formatTime(instant)}`;
}

/** Writes `1:02:05` for 3725 seconds. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${twoDigits(m)}:${twoDigits(s)}` : `${m}:${twoDigits(s)}`;
}

/** Writes `45 min` between two instants; null when the end is unknown. */
export function formatDuration(start: string, end: string | null): string | null {
  if (end === null) return null;
  const minutes = Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
