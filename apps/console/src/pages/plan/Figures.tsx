import { Text, Title } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";
import type { settingsClient } from "../../api/clients";
import { FactTable } from "../../components/DataTable";
import { formatHourAndMinute, formatMonth } from "../../components/times";
import type { DrawingData } from "./Drawing";

// The library that draws charts is loaded when the first of them comes into view.
const Drawing = lazy(() => import("./Drawing"));

type Usage = Awaited<ReturnType<typeof settingsClient.plan.usage.query>>;

const COLORS = { personal: "#228be6", workspace: "#12b886", ingest: "#f59f00", allowance: "#fa5252" };
const NAMES = { personal: "Your keys", workspace: "Keys of the workspace", ingest: "Recorders" } as const;
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
        empty="No meeting has used a credit in these months."
        summary={creditsByMonth.map((one) => `${formatMonth(one.month)}: ${one.credits}`).join(", ")}
        data={{
          labels: creditsByMonth.map((one) => formatMonth(one.month)),
          datasets: [
            {
              type: "bar",
              label: "Credits",
              data: creditsByMonth.map(({ credits }) => credits),
              backgroundColor: COLORS.personal,
            },
            ...(allowance === null
              ? []
              : [
                  {
                    type: "line" as const,
                    label: "Allowance",
                    data: creditsByMonth.map(() => allowance),
                    borderColor: COLORS.allowance,
                    pointRadius: 0,
                  },
                ]),
          ],
        }}
        facts={creditsByMonth.map((one) => [formatMonth(one.month), String(one.credits)])}
      />
      <Figure
        title="Requests of the last hour"
        empty="No key was used in the last hour. Each minute is counted as it goes by."
        summary={`${total} requests`}
        stacked
        data={{
          labels: minutes.map((minute) => formatHourAndMinute(minute)),
          datasets: kinds.map((kind) => ({
            type: "bar",
            label: NAMES[kind],
            data: minutes.map((minute) => count(kind, minute)),
            backgroundColor: COLORS[kind],
          })),
        }}
        facts={kinds.map((kind) => [
          NAMES[kind],
          String(minutes.reduce((sum, minute) => sum + count(kind, minute), 0)),
        ])}
      />
    </>
  );
}

/** Lists the starts of the last 60 minutes, oldest first. */
function listMinutes(): string[] {
  const now = Math.floor(Date.now() / MINUTE);
  return Array.from({ length: 60 }, (_, at) => new Date((now - 59 + at) * MINUTE).toISOString());
}

interface FigureProps {
  readonly title: string;
  /** Says in words what the chart shows. */
  readonly summary: string;
  /** Says so where there is nothing to draw. */
  readonly empty: string;
  readonly stacked?: boolean;
  readonly data: DrawingData;
  /** The figures, to be read as a table. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** A chart with a title, and its figures as a table. */
function Figure({ title, summary, empty, stacked = false, data, facts }: FigureProps) {
  const isEmpty = data.datasets.every((set) => set.type === "line" || set.data.every((value) => value === 0));
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [wasSeen, setWasSeen] = useState(false);
  if (inViewport && !wasSeen) setWasSeen(true);
  return (
    <section aria-label={title}>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      {isEmpty ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <>
          <div ref={ref} className="chart" role="img" aria-label={`${title}. ${summary}`}>
            {wasSeen && (
              <Suspense>
                <Drawing data={data} stacked={stacked} />
              </Suspense>
            )}
          </div>
          <details>
            <summary>The figures as a table</summary>
            <FactTable facts={facts} />
          </details>
        </>
      )}
    </section>
  );
}
