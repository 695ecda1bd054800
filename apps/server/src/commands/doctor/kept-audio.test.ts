import { expect, test } from "vitest";
import { checkKeptAudio } from "./kept-audio.js";

const NOTHING = { directory: "/audio", unreadable: false, kept: 0, orphans: 0, missing: 0 };

test("kept audio: missing files are a warning, left ones are mentioned, and without any nothing is said", () => {
  const check = (found: Partial<Parameters<typeof checkKeptAudio>[0]>) =>
    checkKeptAudio({ ...NOTHING, ...found });
  const says = (status: string, message: string) => ({ status, message: expect.stringContaining(message) });
  expect(check({})).toEqual([]);
  expect(check({ directory: null })).toEqual([]);
  expect(check({ kept: 2 })).toMatchObject([says("ok", "of 2 meetings in /audio. Backups don't have")]);
  expect(check({ kept: 2, missing: 1 })).toMatchObject([
    says("warn", "/audio lacks the audio of 1 meeting,"),
  ]);
  expect(check({ orphans: 3 })).toMatchObject([says("note", "orphaned files of 3 meetings")]);
  expect(check({ unreadable: true, kept: 2, missing: 2 })).toMatchObject([
    says("warn", "/audio can't be read: run this command as the user that runs the server."),
  ]);
  expect(check({ directory: null, kept: 2, missing: 2 })).toMatchObject([
    says("warn", "AUDIO_DIR is not set, so the kept audio of 2 meetings"),
  ]);
});
