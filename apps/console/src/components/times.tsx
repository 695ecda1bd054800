import { Text, type TextProps } from "@mantine/core";

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

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
      {dateTime.format(instant)}
    </Text>
  );
};

/** Writes an instant in the reader's time zone, with its day of the week. */
export const formatDayAndTime = (at: string): string => dayAndTime.format(new Date(at));

/** Writes `1:02:05` for 3725 seconds. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Writes `45 min` between two instants; null when the end is unknown. */
export function formatDuration(start: string, end: string | null): string | null {
  if (end === null) return null;
  const minutes = Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
