import { writeEventTypes, writeRouterTypes } from "@minutes/reference";
import { expect, test } from "vitest";

// routers.tools.test.ts compares the types with the server's.
const GENERATED = { "routers.ts": writeRouterTypes(), "events.ts": writeEventTypes() };

test.each(Object.entries(GENERATED))("%s: every procedure and field has a doc comment", (_, source) => {
  const lines = source.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith("export"));
  expect(first).toBeGreaterThan(0);
  const bare = lines.filter(
    (line, at) =>
      at > first &&
      /^\w+\??: (?!\{$)/.test(line) &&
      !/\*\/$/.test(lines[at - 1] ?? "") &&
      !/^(input|output|meta): /.test(line),
  );
  expect(bare).toEqual([]);
});
