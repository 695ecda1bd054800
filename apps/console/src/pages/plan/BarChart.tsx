/** One bar, or the part of a stacked one. */
export interface Series {
  readonly label: string;
  readonly color: string;
  readonly values: readonly number[];
}

interface BarChartProps {
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Value at which to draw a line. */
  readonly limit?: { readonly label: string; readonly color: string; readonly value: number } | undefined;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 180, 36, 22];
/** Maximum number of labels below the bars. */
const LABELS = 8;

/** Draws stacked bars. The element around it describes the chart in words. */
export function BarChart({ labels, series, limit }: BarChartProps) {
  const totals = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  // Even, so that the middle is a whole number.
  const top = 2 * Math.ceil(Math.max(4, ...totals, limit?.value ?? 0) / 2);
  const toHeight = (value: number) => (value / top) * (HEIGHT - BOTTOM - 8);
  const step = (WIDTH - LEFT) / labels.length;
  const every = Math.ceil(labels.length / LABELS);
  const base = HEIGHT - BOTTOM;
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="chart" aria-hidden="true">
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line x1={LEFT} x2={WIDTH} y1={base - toHeight(value)} y2={base - toHeight(value)} />
            <text x={LEFT - 6} y={base - toHeight(value) + 4} textAnchor="end">
              {value}
            </text>
          </g>
        ))}
        {labels.map((label, at) => {
          let y = base;
          return (
            <g key={label}>
              {series.map(({ label: name, color, values }) => {
                const height = toHeight(values[at] ?? 0);
                y -= height;
                return (
                  <rect
                    key={name}
                    x={LEFT + at * step + step * 0.15}
                    y={y}
                    width={step * 0.7}
                    height={height}
                    fill={color}
                    rx={step > 12 ? 2 : 0}
                  />
                );
              })}
              {at % every === 0 && (
                <text
                  x={LEFT + (at + 0.5) * step}
                  y={HEIGHT - 6}
                  textAnchor="middle"
                  data-minor={at % (2 * every) !== 0}
                >
                  {label}
                </text>
              )}
            </g>
          );
        })}
        {limit && (
          <line
            x1={LEFT}
            x2={WIDTH}
            y1={base - toHeight(limit.value)}
            y2={base - toHeight(limit.value)}
            style={{ stroke: limit.color, strokeWidth: 2 }}
          />
        )}
      </svg>
      <Legend entries={[...series, ...(limit ? [limit] : [])]} />
    </>
  );
}

const Legend = ({ entries }: { entries: readonly Pick<Series, "label" | "color">[] }) => (
  <ul className="legend">
    {entries.map(({ label, color }) => (
      <li key={label}>
        <svg width={10} height={10} aria-hidden="true">
          <rect width={10} height={10} rx={2} fill={color} />
        </svg>
        {label}
      </li>
    ))}
  </ul>
);
