import { Text, Timeline } from "@mantine/core";
import { Timestamp } from "../../components/times";

interface Attempt {
  readonly number: number;
  readonly startedAt: string | Date;
  readonly milliseconds: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Describes each kind of failure to the receiver's owner. */
const ERRORS: Readonly<Record<string, string>> = {
  status: "The receiver answered with an error",
  redirect: "The receiver answered with a redirect, which is not followed",
  timeout: "The receiver did not answer in time",
  dns: "The host name does not resolve",
  blocked: "The address is private or blocked",
  tls: "The certificate is not valid",
  connection: "Could not connect, or no HTTP response",
};

/** Describes an attempt in one sentence: outcome, status and duration. */
export function describeAttempt({ status, error, milliseconds }: Attempt): string {
  const outcome = error === null ? "Delivered" : (ERRORS[error] ?? error);
  return `${outcome}${status === null ? "" : ` (status ${status})`} after ${milliseconds} ms.`;
}

/** Timeline of a delivery's attempts, oldest first, and when the next is due. */
export const Attempts = ({ attempts, next }: { attempts: readonly Attempt[]; next: string | null }) => (
  <Timeline bulletSize={14} lineWidth={2} active={attempts.length}>
    {attempts.map((attempt) => (
      <Timeline.Item
        key={attempt.number}
        title={`Attempt ${attempt.number}`}
        color={attempt.error === null ? "green" : "red"}
      >
        <Text size="sm">{describeAttempt(attempt)}</Text>
        <Timestamp at={attempt.startedAt} size="xs" c="dimmed" />
      </Timeline.Item>
    ))}
    {next !== null && (
      <Timeline.Item title="Next attempt" color="gray">
        <Timestamp at={next} size="xs" c="dimmed" />
      </Timeline.Item>
    )}
  </Timeline>
);
