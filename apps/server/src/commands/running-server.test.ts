import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { minutesJson, runHere } from "../testing/installation.js";
import { sampleDataDir, startProcess } from "../testing/process.js";

describe("commands find the running server", needs("embedded"), () => {
  test("on whatever port it listens, and without PORT", async () => {
    const DATA_DIR = await sampleDataDir();
    const { url } = await startProcess({ DATA_DIR });
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await runHere(args, { DATA_DIR });
      return stdout + stderr;
    };

    expect(await run("demo", "show")).toContain(`${url}/v1/me/meetings.list`);
    expect(await run("mcp", "--print-config")).toContain(`"${url}"`);
    expect(await run("doctor")).toContain(`Minutes answers on ${url}.`);
    expect(await run("doctor")).not.toContain("uses other data");
    const { email } = await minutesJson<{ email: string }>(["demo", "show"], { DATA_DIR });
    const login = await run("login", email);
    expect(login).toContain(`${url}/settings/v1`);
    expect(login).toMatch(new RegExp(`once within 15 minutes: ${url}/`));
  });

  test("which rejects NaN instead of treating it as null", async () => {
    const DATA_DIR = await sampleDataDir();
    await startProcess({ DATA_DIR });
    const audio = (...args: string[]) => runHere(["audio", ...args], { DATA_DIR });
    expect(await audio("keep", "Pennyfrost", "30")).toMatchObject({ code: 0 });
    expect(await audio("keep", "Pennyfrost", "30d")).toMatchObject({ code: 1 });
    expect((await audio("get", "Pennyfrost")).stdout).toContain("Audio is kept for 30 days");
  });
});
