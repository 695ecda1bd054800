import { Table, Text, Title, useComputedColorScheme } from "@mantine/core";
import {
  BarController,
  BarElement,
  CategoryScale,
  type ChartData,
  Chart as ChartJs,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import type { ReactNode } from "react";
import { Chart } from "react-chartjs-2";
import type { settingsClient } from "../../api/clients";

ChartJs.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

type Usage = Awaited<ReturnType<typeof settingsClient.plan.usage.query>>;

const COLORS = { personal: "#228be6", workspace: "#12b886", ingest: "#f59f00", allowance: "#fa5252" };
const NAMES = { personal: "Your keys", workspace: "Keys of the workspace", ingest: "Recorders" } as const;
const month = new Intl.DateTimeFormat(undefined, { month: "short", year: "2-digit", timeZone: "UTC" });
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const MINUTE = 60_000;

/** Credits by month against the allowance, and the requests of the last hour. */
export default function Charts({ usage, allowance }: { usage: Usage; allowance: number | null }) {
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
        summary={creditsByMonth
          .map((one) => `${month.format(new Date(one.month))}: ${one.credits}`)
          .join(", ")}
        data={{
          labels: creditsByMonth.map((one) => month.format(new Date(one.month))),
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
      >
        {creditsByMonth.map((one) => (
          <Table.Tr key={one.month}>
            <Table.Th scope="row">{month.format(new Date(one.month))}</Table.Th>
            <Table.Td>{one.credits}</Table.Td>
          </Table.Tr>
        ))}
      </Figure>
      <Figure
        title="Requests of the last hour"
        empty="No key was used in the last hour. Each minute is counted as it goes by."
        summary={`${total} requests`}
        stacked
        data={{
          labels: minutes.map((minute) => time.format(new Date(minute))),
          datasets: kinds.map((kind) => ({
            type: "bar",
            label: NAMES[kind],
            data: minutes.map((minute) => count(kind, minute)),
            backgroundColor: COLORS[kind],
          })),
        }}
      >
        {kinds.map((kind) => (
          <Table.Tr key={kind}>
            <Table.Th scope="row">{NAMES[kind]}</Table.Th>
            <Table.Td>{minutes.reduce((sum, minute) => sum + count(kind, minute), 0)}</Table.Td>
          </Table.Tr>
        ))}
      </Figure>
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
  readonly data: ChartData<"bar" | "line", number[], string>;
  /** The figures as rows of a table. */
  readonly children: ReactNode;
}

function Figure({ title, summary, empty, stacked = false, data, children }: FigureProps) {
  const isEmpty = data.datasets.every((set) => set.type === "line" || set.data.every((value) => value === 0));
  const color = useComputedColorScheme("light") === "dark" ? "#c9c9c9" : "#495057";
  const ticks = { color };
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
        <div className="chart">
          <Chart
            type="bar"
            role="img"
            aria-label={`${title}. ${summary}`}
            data={data}
            options={{
              animation: false,
              maintainAspectRatio: false,
              plugins: { legend: { labels: { color } } },
              scales: {
                x: {
                  ticks: { ...ticks, maxRotation: 0, maxTicksLimit: 8 },
                  stacked,
                  grid: { display: false },
                },
                y: { ticks: { ...ticks, precision: 0 }, stacked, beginAtZero: true, suggestedMax: 5 },
              },
            }}
          />
        </div>
      )}
      {!isEmpty && (
        <details>
          <summary>The figures as a table</summary>
          <Table>
            <Table.Tbody>{children}</Table.Tbody>
          </Table>
        </details>
      )}
    </section>
  );
}
