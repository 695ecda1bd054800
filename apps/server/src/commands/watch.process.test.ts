import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { minutesJson } from "../testing/installation.js";
import { OWNER, openForTest } from "../testing/meeting-files.js";
import { launchMinutes, minutes, temporaryDir } from "../testing/process.js";
import { createWav, SPOKEN, startTranscriber } from "../testing/transcriber.js";

const VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>The kiln is hot.</v>\n";

/** Opens an installation as a running server does, with `OWNER`, a transcriber and an empty folder. */
async function openWith(answer?: Parameters<typeof startTranscriber>[0]) {
  const service = await startTranscriber(answer);
  const { DATA_DIR } = await openForTest();
  const settings = { DATA_DIR, TRANSCRIBER_URL: service.url, TRANSCRIBER_MODEL: "whisper-1" };
  await minutesJson(["users", "create", OWNER], settings);
  const folder = join(await temporaryDir(), "calls");
  await mkdir(folder);
  const args = ["watch", folder, "--owner", OWNER, "--every", "1"];
  const list = async () =>
    (
      await minutesJson<{ meetings: { title: string }[] }>(["meetings", "list", OWNER], settings)
    ).meetings.map(({ title }) => title);
  return {
    service,
    settings,
    folder,
    args,
    list,
    write: (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content),
  };
}

describe("minutes watch", needs("embedded"), () => {
  test("--once imports transcripts and recordings, reports the rest, and does neither again", async () => {
    const { service, settings, folder, args, list, write } = await openWith();
    await write("Kiln 2026-03-01.vtt", VTT);
    await write("Turbines 2026-03-02.wav", createWav(0.2));
    await write("cut 2026-03-03.wav", createWav(0.2).subarray(0, -100));
    await symlink("/etc/hosts", join(folder, "hosts.txt"));
    const first = await minutes([...args, "--once", "--json"], settings);
    const lines = first.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([first.code, lines]).toMatchObject([
      1,
      [
        { file: "Kiln 2026-03-01.vtt", imported: 1, unchanged: 0, failed: [] },
        { file: "Turbines 2026-03-02.wav", imported: 1, failed: [] },
        { file: "cut 2026-03-03.wav", imported: 0, failed: [{ error: expect.stringContaining("cut off") }] },
        { file: "hosts.txt", imported: 0, failed: [{ error: expect.stringContaining("Symbolic links") }] },
      ],
    ]);
    expect(await minutes([...args, "--once"], settings)).toMatchObject({ code: 0, stdout: "" });
    expect([(await list()).sort(), service.asked.length]).toEqual([["Kiln", "Turbines"], 1]);
  });

  test("goes on until it is stopped; killed while it transcribes, the next one imports the recording once", async () => {
    let killed = false;
    const { service, settings, folder, args, list, write } = await openWith(() =>
      killed ? SPOKEN : undefined,
    );
    const first = launchMinutes([...args, "--move"], settings);
    await expect.poll(() => first.output.stderr).toContain(`Watching ${folder} every 1 s.`);
    await write("Kiln 2026-03-01.vtt", VTT);
    await expect
      .poll(() => first.output.stdout)
      .toBe(
        "Kiln 2026-03-01.vtt: 1 imported, 0 already there, 0 failed, moved to imported/Kiln 2026-03-01.vtt\n",
      );
    await write("Turbines 2026-03-02.wav", createWav(0.2));
    await expect.poll(() => service.asked.length).toBe(1);
    first.child.kill("SIGKILL");
    await first.ended;
    killed = true;
    const second = launchMinutes([...args, "--move"], settings);
    await expect.poll(() => second.output.stdout).toContain("Turbines 2026-03-02.wav: 1 imported");
    second.child.kill("SIGTERM");
    expect(await second.ended).toMatchObject({ code: 0 });
    expect([(await list()).sort(), service.asked.length]).toEqual([["Kiln", "Turbines"], 2]);
    expect((await readFile(join(folder, "imported/Turbines 2026-03-02.wav"))).equals(createWav(0.2))).toBe(
      true,
    );
  });

  test("without a transcriber a recording waits for one; an unknown owner and a missing folder are refused at once", async () => {
    const { settings, folder, args, list, write } = await openWith();
    await write("Turbines 2026-03-02.wav", createWav(0.2));
    const { DATA_DIR } = settings;
    const without = await minutes([...args, "--once"], { DATA_DIR });
    expect([without.code, without.stderr]).toEqual([
      1,
      expect.stringContaining("Audio needs a transcriber: run"),
    ]);
    expect(await minutes([...args, "--once"], settings)).toMatchObject({ code: 0 });
    expect(await list()).toEqual(["Turbines"]);
    const unknown = await minutes(["watch", folder, "--owner", "nobody@example.com"], settings);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("user")]);
    const missing = await minutes(["watch", join(folder, "none"), "--owner", OWNER], settings);
    expect(missing.code).toBe(1);
    expect((await minutes(["watch", folder], settings)).code).toBe(2);
  });
});
