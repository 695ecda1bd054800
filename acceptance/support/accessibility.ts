import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Source of axe-core, which finds accessibility violations. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
interface Axe {
  run(options: { resultTypes: readonly string[] }): Promise<{ violations: Violation[] }>;
}

/** Finds accessibility violations of the current page, such as `color-contrast: <p …>`. */
async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
}

/** Lists the elements that scroll sideways, such as `div.data-box: 91`. */
const SCROLLED_SIDEWAYS = `[...document.querySelectorAll("body *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX))
  .map((one) => one.tagName.toLowerCase() + "." + one.className + ": " + (one.scrollWidth - one.clientWidth))`;

/** Waits until the page's new size and colors are applied, including transitions. */
const ARRIVED = `new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))).then(() =>
  Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished),
  ),
)`;

/** A size and a color scheme. */
export type Look = readonly [size: { width: number; height: number }, colorScheme: "dark" | "light"];

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

/**
 * Both sizes and both color schemes: most color problems don't depend on the size, nor size problems on the color.
 */
export const LOOKS: readonly Look[] = [
  [NARROW, "dark"],
  [WIDE, "light"],
];

/** Each size in each color scheme. */
export const ALL_LOOKS: readonly Look[] = [[NARROW, "light"], [WIDE, "dark"], ...LOOKS];

/**
 * Finds accessibility violations and content wider than the page or scrolling sideways: narrow and dark, then wide and
 * light, which stays; or in the given looks.
 */
export async function findFaults(page: Page, looks = LOOKS): Promise<string[]> {
  const faults: string[] = [];
  for (const [size, colorScheme] of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(ARRIVED);
    const tooWide = await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    const inner = await page.evaluate<string[]>(SCROLLED_SIDEWAYS);
    const widths = [...(tooWide > 0 ? [`page: ${tooWide}`] : []), ...inner];
    const found = [
      ...(await findViolations(page)),
      ...widths.map((fault) => `too wide, in pixels: ${fault}`),
    ];
    faults.push(...found.map((fault) => `${size.width}, ${colorScheme}: ${fault}`));
  }
  return faults;
}
