import type { PeoplePage } from "@minutes/contract";
import type { TestServer } from "@minutes/server/testing";
import { type Meeting, type MeetingFacts, send } from "@minutes/testing";
import { expect } from "vitest";

/** A signal that never aborts. */
export const NEVER = new AbortController().signal;

/** Creates a turn about a wombat; times in seconds. */
export const said = (
  speakerId: string,
  speakerName: string,
  start: number,
  end: number,
  speakerEmail?: string,
) => ({
  ...{ speakerId, speakerName, start, end, text: "The wombat sleeps." },
  ...(speakerEmail === undefined ? {} : { speakerEmail }),
});

/**
 * Creates functions that call the directory's resources, and that set up people in several meetings.
 * @param getServer called once a test runs
 */
export function createDirectoryCalls(getServer: () => TestServer) {
  /** Calls a resource with a key. */
  async function ask<Payload>(key: string, method: string, path: string, body?: object) {
    const routes = key.startsWith("jk_") && workspaceKeys.has(key) ? "workspace" : "me";
    const answer = await send(getServer().url, `/rest/v1/${routes}${path}`, {
      method,
      headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: answer.body as Payload };
  }
  /** The keys that are called below `/rest/v1/workspace`. */
  const workspaceKeys = new Set<string>();

  const read = ({ owner, meetingId }: Meeting) =>
    getServer().data(owner.key, "me/meetings.get", { meetingId });
  const idOf = async (meeting: Meeting, name: string) =>
    (await read(meeting)).participants.find((one) => one.name === name)?.id ?? "";

  /** Anna and Boris each have a meeting with Zoe; Boris's also has Xaver. Zoe is known by two addresses. */
  async function scene(facts: MeetingFacts = {}) {
    const company = await getServer().given.company();
    workspaceKeys.add(company.key);
    const [anna, boris] = [await getServer().given.member(company), await getServer().given.member(company)];
    const first = await getServer().given.meeting(anna, {
      ...{ title: "First", startTime: "2026-01-01T10:00:00.000Z" },
      transcript: [
        said("a", "Zoe", 0, 5, "zoe@a.example"),
        said("b", "Speaker 2", 5, 6),
        said("a", "Zoe", 6, 8, "zoe@a.example"),
      ],
      tasks: [{ text: "Feed it", assignee: { name: "Zoe" } }],
      ...facts,
    });
    const second = await getServer().given.meeting(boris, {
      ...{ title: "Secret", startTime: "2026-02-01T10:00:00.000Z" },
      transcript: [said("x", "Zoe B.", 0, 5, "zoe@b.example"), said("y", "Xaver", 5, 6, "xaver@b.example")],
      tasks: [{ text: "Count it", assignee: { name: "Zo", email: "zoe@b.example" } }],
    });
    return { company, anna, boris, first, second };
  }
  const listNames = async (key: string) => {
    const { status, body } = await ask<PeoplePage>(key, "GET", "/people");
    expect(status).toBe(200);
    return body.people.map(({ name }) => name);
  };

  return { ask, read, idOf, scene, listNames, workspaceKeys };
}
