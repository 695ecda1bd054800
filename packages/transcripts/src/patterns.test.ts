import "@minutes/contract"; // its own patterns are not recorded below
import { analyse } from "scslre";
import { expect, onTestFinished, test, vi } from "vitest";

/** Returns the patterns that are composed at run time when the package is loaded. The linter only reads literals. */
async function recordPatterns(): Promise<RegExp[]> {
  const patterns: RegExp[] = [];
  vi.stubGlobal(
    "RegExp",
    class extends RegExp {
      constructor(...args: ConstructorParameters<typeof RegExp>) {
        super(...args);
        patterns.push(this);
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.resetModules();
  await import("./index.js");
  return patterns;
}

test("every composed pattern takes linear time", async () => {
  const patterns = await recordPatterns();
  expect(patterns.length).toBeGreaterThan(7);
  for (const pattern of patterns)
    expect([
      pattern.source,
      analyse(pattern, { reportTypes: { Move: true } }).reports.map(({ type }) => type),
    ]).toEqual([pattern.source, []]);
});
