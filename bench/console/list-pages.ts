import type { Page } from "playwright-core";

/** A page of the console's navigation. */
export interface ConsolePage {
  /** The address without its slash, such as `tasks`. */
  readonly name: string;
  readonly path: string;
}

/** Links of the navigation that lead to no page of their own. */
const OTHERS = ["Settings", "Back to meetings"];

/** Lists the pages that the rail and the settings show, in their order. The page must be signed in. */
export async function listPages(page: Page, url: string): Promise<ConsolePage[]> {
  const paths: string[] = [];
  for (const group of ["/meetings", "/account"]) {
    await page.goto(`${url}${group}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const link of await page.getByRole("navigation").locator("a[href]:not([aria-label])").all()) {
      if (!OTHERS.includes((await link.textContent()) ?? ""))
        paths.push((await link.getAttribute("href")) ?? "");
    }
  }
  return paths.map((path) => ({ name: path.slice(1), path }));
}
