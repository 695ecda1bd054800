import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { listReleases, readRelease } from "../apps/server/src/testing/release/files.js";
import { toRepositoryPath } from "./support/run.js";

/** Statements that processes of the previous release can't survive. */
const CONTRACTIONS = [
  /\bdrop\s+(table|column|view|materialized|function|type|schema|extension)\b/i,
  /\brename\s+(to|column)\b/i,
  /\bset\s+data\s+type\b|\balter\s+column\s+\S+\s+type\b/i,
  /\bset\s+not\s+null\b/i,
  /\badd\s+column\b(?!.*\b(default|generated)\b).*\bnot\s+null\b/is,
];
/** Comment above a statement that confirms that the previous release's code does not use what it removes. */
const ALLOWED = /^\s*-- contract: no code since \d+\.\d+\.\d+ uses it$/m;

const findContractions = (migration: string): string[] =>
  migration
    .split(/--> statement-breakpoint|;/)
    .filter((statement) => !ALLOWED.test(statement) && CONTRACTIONS.some((one) => one.test(statement)))
    .map((statement) => statement.trim());

test.each([
  ['ALTER TABLE "tasks" DROP COLUMN "text"', 1],
  ['ALTER TABLE "tasks" RENAME COLUMN "text" TO "words"', 1],
  ['ALTER TABLE "tasks" ADD COLUMN "due" text NOT NULL', 1],
  ['ALTER TABLE "tasks" ALTER COLUMN "text" SET DATA TYPE varchar', 1],
  ['ALTER TABLE "tasks" ADD COLUMN "due" text DEFAULT \'\' NOT NULL', 0],
  ['ALTER TABLE "tasks" ADD COLUMN "due" text; CREATE INDEX "x" ON "tasks" ("due")', 0],
  ['-- contract: no code since 0.2.0 uses it\nALTER TABLE "tasks" DROP COLUMN "text"', 0],
])("%s has %i contractions", (migration, count) => {
  expect(findContractions(migration)).toHaveLength(count);
});

test("migrations since the last release take nothing away from processes of that release", async () => {
  const { sql } = await readRelease(listReleases().at(-1) ?? "");
  const folder = toRepositoryPath("packages/db/migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  for (const name of names) {
    const migration = await readFile(`${folder}/${name}`, "utf8");
    const isReleased = sql.includes(createHash("sha256").update(migration).digest("hex"));
    if (!isReleased) expect([name, findContractions(migration)]).toEqual([name, []]);
  }
});
