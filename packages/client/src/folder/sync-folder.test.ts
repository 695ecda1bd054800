import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createMeClient, createPeopleClient, createSettingsClient } from "../index.js";
import { type FolderEvent, type FolderOptions, syncFolder } from "./sync-folder.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const STATE = ".minutes-sync.jsonl";
const startTime = "2026-03-14T09:00:00Z";

/** Creates a person with an empty folder, and functions that sync, read and change it. */
async function createVault(owner?: Person) {
  const person = owner ?? (await server.given.person());
  const folder = await mkdtemp(join(tmpdir(), "minutes-vault-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const baseUrl = server.url;
  const client = createMeClient({ baseUrl, apiKey: person.key });
  const people = createPeopleClient("me", { baseUrl, apiKey: person.key });
  const events: FolderEvent[] = [];
  const onEvent = (event: FolderEvent) => void events.push(event);
  const sync = (options: Partial<FolderOptions> = {}) =>
    syncFolder({ client, folder, url: baseUrl, timeZone: "UTC", follow: false, onEvent, ...options });
  const list = async () => (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted();
  const read = (file: string) => readFile(join(folder, file), "utf8");
  const edit = (file: string, text: string) => writeFile(join(folder, file), text);
  const retitle = async (meetingId: string, title: string) => {
    const { version } = await people.meetings.listVersions.query({ meetingId });
    await people.meetings.update.mutate({ meetingId, baseVersion: version, title });
  };
  const remove = (meetingId: string) => client.meetings.delete.mutate({ meetingId });
  return { person, folder, client, events, sync, list, read, edit, retitle, remove };
}

test("a meeting becomes a file with quoted front matter, summary, tasks and transcript", async () => {
  const { person, sync, list, read } = await createVault();
  const { meetingId } = await server.given.richMeeting(person, { title: 'Review: "a/b"' });
  expect(await sync({ timeZone: "Asia/Tokyo" })).toEqual({ written: 1, removed: 0, kept: [] });
  const [file = ""] = await list();
  expect(file).toBe("2025-03-14 Review a b.md");
  const [, front = "", body = ""] = (await read(file)).split("---\n");
  expect(front.replace(/Review-\d+/, "Review-1")).toBe(`id: "${meetingId}"
title: "Review: \\"a/b\\""
date: "2025-03-14T18:30:00+09:00"
people: ["${person.name}","Guest"]
tags: ["Review-1"]
tasks: ["[ ] Call the supplier (${person.name})","[x] Write to the board (Guest)","[ ] Nobody's task"]
link: "${server.url}/meetings/${meetingId}"
`);
  expect(body).toContain(
    '\n# Review: "a/b"\n\n# Review\n\nThe **turbines** are late.\n\n## Tasks\n\n- [ ] Call',
  );
  expect(body).toContain("- [x] Write to the board (Guest)\n");
  expect(body).toMatch(/\n## Transcript\n\n[\s\S]*The turbines are late\.\n$/);
});

test("files keep their names: equal titles have numbers, and a new title changes the file, not its name", async () => {
  const { person, sync, list, read, retitle } = await createVault();
  const first = await server.given.meeting(person, { title: "Weekly", startTime });
  await server.given.meeting(person, { title: "WEEKLY", startTime });
  await server.given.meeting(person, { title: "Weekly?", startTime });
  await sync();
  const names = await list();
  expect(names.map((name) => name.toLowerCase())).toEqual([
    "2026-03-14 weekly (2).md",
    "2026-03-14 weekly (3).md",
    "2026-03-14 weekly.md",
  ]);
  await retitle(first.meetingId, "Monthly");
  expect(await sync()).toMatchObject({ written: 1, removed: 0 });
  expect(await list()).toEqual(names);
  const texts = await Promise.all(names.map(read));
  expect(texts.filter((text) => text.includes('title: "Monthly"\n'))).toHaveLength(1);
  expect(await sync()).toEqual({ written: 0, removed: 0, kept: [] });
});

test("completed tasks, new tags and lost shares reach the folder", async () => {
  const company = await server.given.company();
  const [anna, ben] = [await server.given.member(company), await server.given.member(company)];
  const { sync, list, read } = await createVault(ben);
  const shared = await server.given.meetingSharedDirectly(anna, ben, { title: "Shared", startTime });
  const own = await server.given.meeting(ben, { title: "Own", startTime, tasks: [{ text: "Do it" }] });
  await sync();
  const client = createMeClient({ baseUrl: server.url, apiKey: ben.key });
  await client.tasks.update.mutate({ taskId: own.taskIds[0] ?? "", completed: true });
  await server.given.tagged(own, "Plan");
  await sync();
  const text = await read("2026-03-14 Own.md");
  expect(text).toContain('tags: ["Plan"]\ntasks: ["[x] Do it"]');
  await createMeClient({ baseUrl: server.url, apiKey: anna.key }).meetings.delete.mutate({
    meetingId: shared.meetingId,
  });
  expect(await sync()).toMatchObject({ removed: 1 });
  expect(await list()).toEqual(["2026-03-14 Own.md"]);
});

test("an edited file is kept and reported until the edit is undone, or --force overwrites it", async () => {
  const { person, events, sync, read, edit, retitle } = await createVault();
  const { meetingId } = await server.given.meeting(person, { title: "Plan", startTime });
  const file = "2026-03-14 Plan.md";
  await sync();
  const before = await read(file);
  await edit(file, `${before}My note\n`);
  expect(await sync()).toEqual({ written: 0, removed: 0, kept: [] });
  await retitle(meetingId, "Plan B");
  events.length = 0;
  expect(await sync()).toEqual({ written: 0, removed: 0, kept: [file] });
  expect(events).toContainEqual({ event: "kept", id: meetingId, file, meeting: "changed" });
  expect(await read(file)).toContain("My note");
  // It stays in the report of later runs, which read nothing new.
  expect(await sync()).toEqual({ written: 0, removed: 0, kept: [file] });

  await edit(file, before.replaceAll("\n", "\r\n"));
  expect(await sync()).toEqual({ written: 1, removed: 0, kept: [] });
  const after = await read(file);
  expect(after).toContain('title: "Plan B"');

  await edit(file, "Overwrite me");
  expect(await sync()).toEqual({ written: 0, removed: 0, kept: [] });
  expect(await sync({ force: true })).toEqual({ written: 1, removed: 0, kept: [] });
  expect(await read(file)).toBe(after);
});

test("a deleted meeting's file is removed; an edited one is kept and reported until --force", async () => {
  const { person, sync, list, edit, remove } = await createVault();
  const [first, second] = [
    await server.given.meeting(person, { title: "First", startTime }),
    await server.given.meeting(person, { title: "Second", startTime }),
  ];
  await sync();
  await edit("2026-03-14 Second.md", "My notes");
  await edit("notes.md", "Mine");
  await remove(first.meetingId);
  await remove(second.meetingId);
  const kept = ["2026-03-14 Second.md"];
  expect(await sync()).toEqual({ written: 0, removed: 1, kept });
  expect(await sync()).toEqual({ written: 0, removed: 0, kept });
  expect(await list()).toEqual([...kept, "notes.md"]);
  expect(await sync({ force: true })).toEqual({ written: 0, removed: 1, kept: [] });
  expect(await list()).toEqual(["notes.md"]);
});

test("files of others are never touched: names in use, folders and links lead to another name", async () => {
  const { person, folder, sync, list, read, edit } = await createVault();
  const outside = await mkdtemp(join(tmpdir(), "minutes-outside-"));
  onTestFinished(() => rm(outside, { recursive: true }));
  await edit("2026-03-14 Plan.md", "Mine");
  await mkdir(join(folder, "2026-03-14 Plan (2).md"));
  await symlink(join(outside, "target.md"), join(folder, "2026-03-14 Plan (3).md"));
  await server.given.meeting(person, { title: "Plan", startTime });
  await server.given.meeting(person, { title: "../../Escape", startTime });
  await sync({ force: true });
  expect(await read("2026-03-14 Plan.md")).toBe("Mine");
  expect(await list()).toEqual([
    "2026-03-14 Escape.md",
    "2026-03-14 Plan (2).md",
    "2026-03-14 Plan (3).md",
    "2026-03-14 Plan (4).md",
    "2026-03-14 Plan.md",
  ]);
  expect(await readdir(outside)).toEqual([]);
});

test("a state file that names a path outside the folder leads nowhere", async () => {
  const { person, folder, sync, list, edit, remove } = await createVault();
  const { meetingId } = await server.given.meeting(person, { title: "Plan", startTime });
  await sync();
  const victim = join(tmpdir(), `minutes-victim-${meetingId}.md`);
  onTestFinished(() => rm(victim, { force: true }));
  await writeFile(victim, "Mine");
  const state = await readFile(join(folder, STATE), "utf8");
  await edit(STATE, state.replaceAll("2026-03-14 Plan.md", `../minutes-victim-${meetingId}.md`));
  await remove(meetingId);
  await sync({ force: true });
  expect(await readFile(victim, "utf8")).toBe("Mine");
  expect(await list()).toEqual(["2026-03-14 Plan.md"]);
});

test("after a kill before, amid or after a write, the file counts as unedited and is completed", async () => {
  const { person, folder, sync, read, edit, retitle } = await createVault();
  const { meetingId } = await server.given.meeting(person, { title: "Plan", startTime });
  const file = "2026-03-14 Plan.md";
  await sync();
  const before = await read(file);
  await retitle(meetingId, "Plan B");
  expect(await sync()).toMatchObject({ written: 1 });
  const after = await read(file);
  const lines = (await readFile(join(folder, STATE), "utf8")).split("\n");
  const announced = lines.findLastIndex((line) => line.includes('"before"'));
  const whole = lines.slice(0, announced + 1).join("\n");
  for (const [state, content] of [
    [whole.slice(0, -9), before],
    [`${whole}\n`, before],
    [`${whole}\n`, after],
  ] as const) {
    await edit(STATE, state);
    await edit(file, content);
    expect(await sync()).toMatchObject({ removed: 0, kept: [] });
    expect(await read(file)).toBe(after);
  }
});

test("missing files are written again, and without its state the folder is taken over as it is", async () => {
  const { person, folder, sync, list, read, edit } = await createVault();
  await server.given.meeting(person, { title: "First", startTime });
  await server.given.meeting(person, { title: "Second", startTime });
  await sync();
  await rm(join(folder, "2026-03-14 First.md"));
  expect(await sync()).toEqual({ written: 1, removed: 0, kept: [] });
  await rm(join(folder, STATE));
  const edited = `${await read("2026-03-14 Second.md")}My note\n`;
  await edit("2026-03-14 Second.md", edited);
  expect(await sync()).toEqual({ written: 0, removed: 0, kept: ["2026-03-14 Second.md"] });
  expect(await list()).toEqual(["2026-03-14 First.md", "2026-03-14 Second.md"]);
  expect(await read("2026-03-14 Second.md")).toBe(edited);
});

test("410: everything is read again, and what was deleted in the meantime is removed", async () => {
  const { person, sync, list, remove } = await createVault();
  const gone = await server.given.meeting(person, { title: "Gone", startTime });
  await server.given.meeting(person, { title: "Stays", startTime });
  await sync();
  await remove(gone.meetingId);
  await server.db.execute("select record_start()");
  await server.db.execute("update sync_starts set source = 'elsewhere'");
  await server.db.execute("select record_start()");
  expect(await sync()).toEqual({ written: 0, removed: 1, kept: [] });
  expect(await list()).toEqual(["2026-03-14 Stays.md"]);
});

test("another template or time zone writes all files again; another URL or key is refused without --force", async () => {
  const { person, sync, list, read } = await createVault();
  await server.given.meeting(person, { title: "Plan", startTime });
  await sync();
  const template = "# {{title}} {{date}}\n";
  expect(await sync({ template, timeZone: "Asia/Tokyo" })).toMatchObject({ written: 1 });
  // The time zone of earlier runs stays, wherever the machine is now.
  expect(await sync({ template, timeZone: undefined })).toMatchObject({ written: 0 });
  expect(await read("2026-03-14 Plan.md")).toBe("# Plan 2026-03-14T18:00:00+09:00\n");

  // Nothing is lost in an empty folder, as after a mistyped URL.
  const empty = await createVault();
  await empty.sync({ url: "https://mistyped.test" });
  await empty.sync();
  await expect(sync({ url: "https://elsewhere.test" })).rejects.toThrow(`has the meetings of ${server.url}`);
  const other = createMeClient({ baseUrl: server.url, apiKey: (await server.given.person()).key });
  await expect(sync({ template, client: other })).rejects.toThrow("another user or workspace");
  expect(await list()).toHaveLength(1);
  expect(await sync({ template, client: other, force: true })).toEqual({ written: 0, removed: 1, kept: [] });
});

test("a second process is refused, and the folder is free again after the first", async () => {
  const { client, sync, events } = await createVault();
  const stop = new AbortController();
  const following = sync({ follow: true, signal: stop.signal });
  await expect.poll(() => events.length).toBe(1);
  await expect(sync()).rejects.toThrow("Another process is syncing");
  stop.abort();
  await following;
  await sync({ client });
});

test("following writes changes as they come, and ends with 401 when the key is disabled", async () => {
  const { person, events, sync, list } = await createVault();
  await server.given.meeting(person, { title: "First", startTime });
  const following = sync({ follow: true });
  const ended = expect(following).rejects.toMatchObject({ code: "unauthorized" });
  await expect.poll(() => events.some(({ event }) => event === "synced")).toBe(true);
  await server.given.meeting(person, { title: "Second", startTime });
  await expect.poll(list).toEqual(["2026-03-14 First.md", "2026-03-14 Second.md"]);
  const settings = createSettingsClient({ baseUrl: server.url, token: await server.given.session(person) });
  await settings.keys.disable.mutate({ keyId: person.keyId });
  // Ends a wait that began before.
  await server.given.meeting(person, { title: "Third", startTime });
  await ended;
  expect(await list()).toContain("2026-03-14 Second.md");
});
