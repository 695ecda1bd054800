import { useComputedColorScheme } from "@mantine/core";
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
import { Chart } from "react-chartjs-2";

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

// The page's own font: to look up another takes the browser some 40 ms.
ChartJs.defaults.font.family = getComputedStyle(document.body).fontFamily;

export type DrawingData = ChartData<"bar" | "line", number[], string>;

/** Draws a chart. The element around it says in words what it shows. */
export default function Drawing({ data, stacked }: { data: DrawingData; stacked: boolean }) {
  const color = useComputedColorScheme("light") === "dark" ? "#c9c9c9" : "#495057";
  const ticks = { color };
  return (
    <Chart
      type="bar"
      aria-hidden
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
  );
}
