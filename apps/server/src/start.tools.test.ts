import { stat } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { expect, test } from "vitest";
import { bash, startProcess, temporaryDir } from "./testing/process.js";

test(
  "an empty directory gets the sample, and both printed curl lines work when pasted",
  needs("embedded", "bash", "curl"),
  async () => {
    const DATA_DIR = join(await temporaryDir(), "data");
    const server = await startProcess({ DATA_DIR });
    const lines = server.output.stderr.split("\n").filter((line) => line.startsWith("curl "));
    expect(lines).toHaveLength(2);
    const pasted = await Promise.all(lines.map(bash));
    const [mine, company] = pasted.map(({ stdout }) => JSON.parse(stdout).result.data.json.meetings);
    expect(mine.length).toBeGreaterThanOrEqual(8);
    expect(company).toHaveLength(3);
    expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700);
    expect((await stat(join(DATA_DIR, "sample-keys.json"))).mode & 0o777).toBe(0o600);
  },
);
