import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { minutesJson, runHere } from "../testing/installation.js";
import { meeting, OWNER, writeMeetings } from "../testing/meeting-files.js";
import { emptyDataDir, sampleDataDir, startProcess } from "../testing/process.js";

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

  test("which imports a meeting of 2 MB (30 in the soak) for --owner", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    await minutesJson(["workspaces", "create", "Acme", "--plan", "team"], { DATA_DIR });
    await minutesJson(["users", "create", OWNER, "--workspace", "Acme"], { DATA_DIR });
    // Few, long words: this is about transferring the meeting, not about indexing it.
    const text = `${"a".repeat(1_500)} `.repeat(64);
    const transcript = Array.from({ length: 20 }, () => ({ speakerId: "s1", speakerName: "Ann", text }));
    const [file = ""] = await writeMeetings({
      "long.json": meeting("long", { ownerEmail: "x@y.example", transcript }),
    });
    expect(await minutesJson(["import", file, "--owner", OWNER], { DATA_DIR })).toMatchObject({ created: 1 });
    const { key } = await minutesJson<{ key: string }>(["keys", "create", OWNER], { DATA_DIR });
    const response = await fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
    expect(await response.text()).toContain('"title":"Planning"');
  });
});
