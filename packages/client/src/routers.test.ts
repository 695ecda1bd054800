import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type * as contract from "@minutes/contract";
import type * as core from "@minutes/core";
import { eventTypes, routerTypes } from "@minutes/reference";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expect, expectTypeOf, test } from "vitest";
import type { MeetingCompleted } from "./events.js";
import type { MeRouter, WorkspaceRouter } from "./routers.js";

const biome = fileURLToPath(new URL("../../../node_modules/.bin/biome", import.meta.url));

const GENERATED = { "routers.ts": routerTypes, "events.ts": eventTypes };
const sourceOf = (file: string) => readFile(new URL(file, import.meta.url), "utf8");

test.each(Object.entries(GENERATED))(
  "%s is what is generated now: pnpm --filter @minutes/client generate",
  async (file, generate) => {
    const formatted = execFileSync(biome, ["format", `--stdin-file-path=${file}`], {
      input: generate(),
      encoding: "utf8",
    });
    expect(await sourceOf(file)).toBe(formatted);
  },
);

test("the event's generated type is that of its schema", () => {
  expectTypeOf<MeetingCompleted>().toEqualTypeOf<contract.MeetingCompleted>();
});

test("generated inputs and outputs are those that tRPC infers from the routers themselves", () => {
  expectTypeOf<inferRouterInputs<MeRouter>>().toEqualTypeOf<inferRouterInputs<core.MeRouter>>();
  expectTypeOf<inferRouterOutputs<MeRouter>>().toEqualTypeOf<inferRouterOutputs<core.MeRouter>>();
  expectTypeOf<inferRouterInputs<WorkspaceRouter>>().toEqualTypeOf<inferRouterInputs<core.WorkspaceRouter>>();
  expectTypeOf<inferRouterOutputs<WorkspaceRouter>>().toEqualTypeOf<
    inferRouterOutputs<core.WorkspaceRouter>
  >();
});

test.each(Object.keys(GENERATED))(
  "%s: every procedure and field has a comment for the editor",
  async (file) => {
    const lines = (await sourceOf(file)).split("\n").map((line) => line.trim());
    const [first] = lines.flatMap((line, at) => (line.startsWith("export") ? [at] : []));
    const bare = lines.filter(
      (line, at) =>
        at > (first ?? 0) &&
        /^\w+\??: (?!\{$)/.test(line) &&
        !/\*\/$/.test(lines[at - 1] ?? "") &&
        !/^(input|output|meta): /.test(line),
    );
    expect(bare).toEqual([]);
  },
);
