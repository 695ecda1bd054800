import { readFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import type { TestServer } from "@minutes/server/testing";
import { type Company, findFreePort, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { type ConsoleVisit, chooseAction, holdNote, useConsole, visitConsole } from "./support/console.js";

/** Opens a way to a server that can be cut, as if the server stopped, and restored at the same address. */
async function openWay(
  port: number,
): Promise<{ url: string; cut(): Promise<void>; restore(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const way = createServer((socket) => {
    const beyond = connect(port, "127.0.0.1");
    for (const one of [socket, beyond]) {
      sockets.add(one);
      one.on("error", () => {}).on("close", () => sockets.delete(one));
    }
    socket.pipe(beyond).pipe(socket);
  });
  // Nothing else must take the port before it is restored.
  const own = await findFreePort();
  const restore = () => new Promise<void>((resolve) => way.listen(own, "127.0.0.1", resolve));
  await restore();
  const cut = () =>
    new Promise<void>((resolve) => {
      way.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url: `http://127.0.0.1:${own}`, cut, restore };
}

/** What people do every day, on a desktop and on a phone, with a real server. */
describe.each([
  ["a desktop", { width: 1280, height: 800 }],
  ["a phone", { width: 390, height: 844 }],
] as const)("on %s", needs("chromium"), (_, size) => {
  let server: TestServer;
  let company: Company;
  let member: Person;
  let visit: ConsoleVisit;
  let page: Page;
  let meetingId: string;

  useConsole(async (scene) => {
    ({ server, company, member, visit, page } = scene);
    ({ meetingId } = await server.given.meeting(company.admin, {
      title: "Turbine review",
      startTime: new Date().toISOString(),
      summary: { markdown: "The **gearbox** is late." },
      tasks: [{ text: "Call the plant" }],
      transcript: Array.from({ length: 60 }, (_nothing, at) => ({
        ...{ speakerId: `${at % 2}`, speakerName: at % 2 ? "Ben" : "Ada", start: at * 5, end: at * 5 + 5 },
        text: at === 40 ? "The marmalade arrives on Friday." : `Sentence ${at}.`,
      })),
    }));
  });
  beforeEach(() => page.setViewportSize(size));

  const isPhone = size.width < 768;
  const isTicked = async () =>
    (await server.data(company.admin.key, "me/tasks.list", { meetingId })).tasks[0]?.completed;

  test("a meeting is opened from the list, and its summary and transcript are read", async () => {
    await visit.open("/meetings", "Meetings");
    await page.getByRole("link", { name: /^Turbine review/ }).click();
    await page.getByText("The gearbox is late.").waitFor();
    if (isPhone) await page.getByRole("tab", { name: "Transcript" }).click();
    await page.getByText("Sentence 0.").waitFor();
  });

  test("a search leads to the turn where it was said", async () => {
    await visit.go("Meetings");
    await page.getByRole("searchbox", { name: "Search meetings" }).fill("marmalade");
    await page.getByRole("region", { name: "In meetings" }).locator(".passage").first().click();
    const found = page.locator(".turn", { hasText: "The marmalade arrives on Friday." });
    await found.waitFor();
    await expect
      .poll(async () => {
        const box = await found.boundingBox();
        return box !== null && box.y > 0 && box.y < size.height;
      })
      .toBe(true);
  });

  test("a task is ticked, and undo opens it again", async () => {
    await visit.go("Tasks");
    await page.getByRole("checkbox", { name: "Completed: Call the plant" }).click();
    const note = await holdNote(page, "Task completed.");
    expect(await isTicked()).toBe(true);
    await note.getByRole("button", { name: "Undo" }).click();
    await expect.poll(isTicked).toBe(false);
    await page.getByRole("checkbox", { name: "Completed: Call the plant", checked: false }).waitFor();
  });

  test("a meeting is shared, and its owner sees who can read it", async () => {
    await visit.open(`/meetings/${meetingId}`, "Turbine review");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("combobox", { name: "Share with" }).click();
    await page.getByRole("option", { name: new RegExp(member.email) }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Share", exact: true }).click();
    const readers = page.getByRole("region", { name: "Who can read this meeting" });
    await readers.getByText(`${member.name} shared directly`).waitFor();
    expect((await server.call(member.key, "me/meetings.get", { meetingId })).status).toBe(200);
    await page.keyboard.press("Escape");
  });

  test("a file that is no transcript, and lines without a speaker, are refused with what to do", async () => {
    await visit.go("Add meetings");
    const captions = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nNobody says who speaks here.\n";
    const toFile = (name: string, text: string) => ({
      ...{ name, mimeType: "application/octet-stream" },
      buffer: Buffer.from(text),
    });
    await page
      .getByLabel("Files to upload")
      .setInputFiles([toFile("minutes.pdf", "%PDF-1.7 …"), toFile("captions.vtt", captions)]);
    const refusal = (name: string) => page.getByRole("article", { name }).getByRole("alert");
    await refusal("minutes.pdf").getByText("This format can't be imported.").waitFor();
    await refusal("captions.vtt").getByText("Choose “Keep lines without a speaker”").waitFor();
  });

  test("a WebVTT file becomes a meeting, whose JSON export can be uploaded", async () => {
    await visit.go("Add meetings");
    const name = `Kiln ${size.width} 2026-03-01.vtt`;
    const captions = `WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>Kiln ${size.width} is hot.</v>\n`;
    const choose = page.getByLabel("Files to upload");
    await choose.setInputFiles([{ name, mimeType: "text/vtt", buffer: Buffer.from(captions) }]);
    const imported = page.getByRole("article", { name });
    await imported.getByRole("button", { name: "Import this meeting" }).click();
    await imported.getByText("1 imported, 0 duplicates skipped, 0 failed.").waitFor();
    await imported.getByRole("link", { name: "Open the meeting" }).click();
    await page.getByRole("heading", { level: 1, name: `Kiln ${size.width}` }).waitFor();
    const downloading = page.waitForEvent("download");
    await chooseAction(page, "Export as JSON");
    const buffer = await readFile(await (await downloading).path());
    await visit.go("Add meetings");
    await choose.setInputFiles([{ name: "export.json", mimeType: "application/json", buffer }]);
    const repeated = page.getByRole("article", { name: "export.json" });
    await repeated.getByRole("button", { name: "Import this meeting" }).click();
    await repeated.getByText("1 imported, 0 duplicates skipped, 0 failed.").waitFor();
  });

  test("a deleted meeting leaves the list, and undo brings it back", async () => {
    const doomed = await server.given.meeting(company.admin, { title: "Doomed" });
    await visit.open(`/meetings/${doomed.meetingId}`, "Doomed");
    await chooseAction(page, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "Meetings" }).waitFor();
    const note = await holdNote(page, "“Doomed” deleted.");
    const row = page.getByRole("link", { name: /^Doomed/ });
    await row.waitFor({ state: "detached" });
    await note.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
    const { status } = await server.call(company.admin.key, "me/meetings.get", {
      meetingId: doomed.meetingId,
    });
    expect(status).toBe(200);
  });

  test("a key is created, and its curl line reads the meetings", async () => {
    await visit.go("Developers");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("weekly report");
    await page.keyboard.press("Enter");
    const line = (await page.getByLabel("curl line", { exact: true }).textContent()) ?? "";
    const [, key = "", url = ""] = /^curl -s -H "x-api-key: (\S+)" (\S+)$/.exec(line) ?? [];
    const answer = await fetch(url, { headers: { "x-api-key": key } });
    expect(await answer.text()).toContain("Turbine review");
    await page.getByRole("button", { name: "Hide the key" }).click();
  });

  test("signing out everywhere ends the session in another browser", async () => {
    const [first, second] = [
      await visitConsole(server, member, visit),
      await visitConsole(server, member, visit),
    ];
    try {
      for (const each of [first, second]) await each.page.setViewportSize(size);
      if (isPhone) await first.page.getByRole("button", { name: "Menu", exact: true }).click();
      await first.page.getByRole("button", { name: /^Your menu/ }).click();
      await first.page.getByRole("menuitem", { name: "Sign out everywhere" }).click();
      await first.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      if (isPhone) await second.page.getByRole("button", { name: "Menu", exact: true }).click();
      await second.page.getByRole("navigation").getByRole("link", { name: "Tasks" }).click();
      await second.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    } finally {
      await first.close();
      await second.close();
    }
  });

  test("while the server is stopped the page says so, and goes on by itself when it is back", async () => {
    const way = await openWay(server.port);
    const own = await visitConsole({ db: server.db, url: way.url }, company.admin, visit);
    try {
      await own.page.setViewportSize(size);
      await own.go("Tasks");
      await own.settle();
      await way.cut();
      await own.page.getByText("Completed", { exact: true }).click();
      await own.page.getByText("Offline. Reconnecting…").waitFor();
      await way.restore();
      await own.page.getByText("Offline. Reconnecting…").waitFor({ state: "detached" });
      await own.page.getByText("No tasks.").waitFor();
    } finally {
      await own.close();
      await way.cut();
    }
  });
});
