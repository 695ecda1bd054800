/**
 * `pnpm bench:figures`: writes the table in bench/README.md and the chart bench/figures.svg from bench/figures.json,
 * which is edited by hand in the commit that changes a figure. `--check` fails if they differ instead.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

interface Figure {
  readonly what: string;
  readonly unit: string;
  /** The figure at c80bc2a. Null if it was not measured there. */
  readonly before: number | null;
  readonly after: number;
  readonly aim: number;
  readonly better: "less" | "more";
  readonly command: string;
  readonly commit: string;
}

const START = "<!-- figures -->";
const END = "<!-- /figures -->";
/** Bars end here, in multiples of the aim. */
const MAX_RATIO = 3;
const ROW_HEIGHT = 30;
const LABEL_WIDTH = 400;
const BAR_WIDTH = 330;
const HEADER_HEIGHT = 44;

const { values: options } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const figures: readonly Figure[] = JSON.parse(readFileSync(new URL("figures.json", import.meta.url), "utf8"));

/** Writes a file in bench, or reports with `--check` that it is outdated. */
function write(name: string, text: string): void {
  const file = new URL(name, import.meta.url);
  if (!options.check) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`bench/${name} is outdated: run pnpm bench:figures`);
    process.exitCode = 1;
  }
}

function toTable(): string {
  const rows = figures.map(
    ({ what, unit, before, after, aim, better, command, commit }) =>
      `| ${what} | ${unit} | ${before ?? ""} | ${after} | ${better === "less" ? "≤" : "≥"} ${aim} | \`${command}\` | ${commit} |`,
  );
  return [
    "| Figure | Unit | Before | After | Aim | Command | Commit |",
    "| --- | --- | ---: | ---: | ---: | --- | --- |",
    ...rows,
  ].join("\n");
}

/** Draws each figure as a multiple of its aim, so that shorter is better everywhere. */
function toChart(): string {
  const width = LABEL_WIDTH + BAR_WIDTH + 110;
  const height = HEADER_HEIGHT + figures.length * ROW_HEIGHT + 12;
  const aimAt = LABEL_WIDTH + BAR_WIDTH / MAX_RATIO;
  const rows = figures.map((figure, at) => {
    const y = HEADER_HEIGHT + at * ROW_HEIGHT;
    const { what, unit, before, after } = figure;
    const bars = [
      before === null ? "" : toBar(computeRatio(figure, before), y + 3, "before"),
      toBar(computeRatio(figure, after), y + 13, computeRatio(figure, after) <= 1 ? "met" : "missed"),
    ];
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 16}" text-anchor="end">${escapeMarkup(what)}</text>`,
      ...bars,
      `<text x="${LABEL_WIDTH + BAR_WIDTH + 8}" y="${y + 16}">${after} ${escapeMarkup(unit)}</text>`,
    ].join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Each figure as a multiple of its aim">
<style>text{font:12px system-ui,sans-serif;fill:#444}.before{fill:#c4c4cc}.met{fill:#2f9e44}.missed{fill:#e8590c}@media(prefers-color-scheme:dark){text{fill:#ccc}.before{fill:#55555e}}</style>
<text x="${LABEL_WIDTH}" y="16">Multiple of the aim: shorter is better. Grey: before. Bars end at ${MAX_RATIO} ×.</text>
<text x="${aimAt}" y="36" text-anchor="middle">aim</text>
<line x1="${aimAt}" x2="${aimAt}" y1="40" y2="${height - 8}" stroke="#888" stroke-dasharray="3 3"/>
${rows.join("\n")}
</svg>
`;
}

/** Computes a value as a multiple of the aim. At most 1 meets it. */
const computeRatio = ({ aim, better }: Figure, value: number): number =>
  better === "less" ? value / aim : aim / value;

const toBar = (ratio: number, y: number, name: string): string =>
  `<rect class="${name}" x="${LABEL_WIDTH}" y="${y}" width="${Math.round((Math.min(ratio, MAX_RATIO) / MAX_RATIO) * BAR_WIDTH)}" height="8" rx="2"/>`;

const escapeMarkup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
if (start < 0 || end < start) throw new Error(`bench/README.md needs ${START} and ${END}.`);
write("README.md", `${readme.slice(0, start + START.length)}\n${toTable()}\n${readme.slice(end)}`);
write("figures.svg", toChart());
