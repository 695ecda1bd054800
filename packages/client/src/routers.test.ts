import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type * as core from "@minutes/core";
import { routerTypes } from "@minutes/reference";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expect, expectTypeOf, test } from "vitest";
import type { MeRouter, WorkspaceRouter } from "./routers.js";

const biome = fileURLToPath(new URL("../../../node_modules/.bin/biome", import.meta.url));
const source = new URL("./routers.ts", import.meta.url);

test("routers.ts is what the routers generate now: pnpm --filter @minutes/client generate", async () => {
  const formatted = execFileSync(biome, ["format", "--stdin-file-path=routers.ts"], {
    input: routerTypes(),
    encoding: "utf8",
  });
  expect(await readFile(source, "utf8")).toBe(formatted);
});

test("generated inputs and outputs are those that tRPC infers from the routers themselves", () => {
  expectTypeOf<inferRouterInputs<MeRouter>>().toEqualTypeOf<inferRouterInputs<core.MeRouter>>();
  expectTypeOf<inferRouterOutputs<MeRouter>>().toEqualTypeOf<inferRouterOutputs<core.MeRouter>>();
  expectTypeOf<inferRouterInputs<WorkspaceRouter>>().toEqualTypeOf<inferRouterInputs<core.WorkspaceRouter>>();
  expectTypeOf<inferRouterOutputs<WorkspaceRouter>>().toEqualTypeOf<
    inferRouterOutputs<core.WorkspaceRouter>
  >();
});

test("every procedure and every field has a comment for the editor", async () => {
  const lines = (await readFile(source, "utf8")).split("\n").map((line) => line.trim());
  const [first] = lines.flatMap((line, at) => (line.startsWith("export") ? [at] : []));
  const bare = lines.filter(
    (line, at) =>
      at > (first ?? 0) &&
      /^\w+\??: (?!\{$)/.test(line) &&
      !/\*\/$/.test(lines[at - 1] ?? "") &&
      !/^(input|output|meta): /.test(line),
  );
  expect(bare).toEqual([]);
});
