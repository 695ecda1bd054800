import { Text } from "@mantine/core";
import type { settingsClient } from "../../api/clients";
import { FactTable } from "../../components/DataTable";
import { Section } from "../../components/states";
import { formatHourAndMinute, formatMonth } from "../../components/times";
import { BarChart, type Series } from "./BarChart";

type Usage = Awaited<ReturnType<typeof settingsClient.plan.usage.query>>;

const COLORS = { personal: "#4263eb", workspace: "#12b886", ingest: "#f59f00", allowance: "#fa5252" };
const NAMES = { personal: "Your keys", workspace: "Workspace keys", ingest: "Recorders" } as const;
const MINUTE = 60_000;

/** Credits by month against the allowance, and the requests of the last hour. */
export function Figures({ usage, allowance }: { usage: Usage; allowance: number | null }) {
  const { creditsByMonth, requests } = usage;
  const minutes = listMinutes();
  const kinds = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter(
    (kind) => kind === "personal" || requests.some(({ keys }) => keys === kind),
  );
  const count = (kind: string, minute: string) =>
    requests.find((one) => one.keys === kind && one.minute === minute)?.count ?? 0;
  const total = requests.reduce((sum, one) => sum + one.count, 0);
  return (
    <>
      <Figure
        title="Credits by month"
        empty="No credits were used in these months."
        summary={creditsByMonth.map((one) => `${formatMonth(one.month)}: ${one.credits}`).join(", ")}
        labels={creditsByMonth.map((one) => formatMonth(one.month))}
        series={[
          {
            label: "Credits",
            color: COLORS.personal,
            values: creditsByMonth.map(({ credits }) => credits),
          },
        ]}
        limit={
          allowance === null ? undefined : { label: "Allowance", color: COLORS.allowance, value: allowance }
        }
        facts={creditsByMonth.map((one) => [formatMonth(one.month), String(one.credits)])}
      />
      <Figure
        title="Requests in the last hour"
        empty="No requests in the last hour."
        summary={`${total} requests`}
        labels={minutes.map((minute) => formatHourAndMinute(minute))}
        series={kinds.map((kind) => ({
          label: NAMES[kind],
          color: COLORS[kind],
          values: minutes.map((minute) => count(kind, minute)),
        }))}
        facts={kinds.map((kind) => [
          NAMES[kind],
          String(minutes.reduce((sum, minute) => sum + count(kind, minute), 0)),
        ])}
      />
    </>
  );
}

/** Returns the starts of the last 60 minutes, oldest first. */
function listMinutes(): string[] {
  const now = Math.floor(Date.now() / MINUTE);
  return Array.from({ length: 60 }, (_, at) => new Date((now - 59 + at) * MINUTE).toISOString());
}

interface FigureProps {
  readonly title: string;
  /** Describes the chart in words. */
  readonly summary: string;
  /** Shown instead of a chart without bars. */
  readonly empty: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly limit?: { readonly label: string; readonly color: string; readonly value: number } | undefined;
  /** The figures as a table. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** A chart with a title, and its figures as a table. */
function Figure({ title, summary, empty, facts, ...chart }: FigureProps) {
  const isEmpty = chart.series.every(({ values }) => values.every((value) => value === 0));
  return (
    <Section title={title}>
      {isEmpty ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <>
          <div role="img" aria-label={`${title}. ${summary}`}>
            <BarChart {...chart} />
          </div>
          <details>
            <summary>Show the figures as a table</summary>
            <FactTable facts={facts} />
          </details>
        </>
      )}
    </Section>
  );
}
