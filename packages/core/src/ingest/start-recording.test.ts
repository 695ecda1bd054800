import { type ClientRequest, request } from "node:http";
import { LIMITS } from "@minutes/contract";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, type Person, readPayload } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const WORDS = "We talked about the turbines, the budget and who will call the supplier next week.";

let server: TestServer;
let company: Company;
let anna: Person;
let key: string;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  key = await server.given.ingestKey(company);
});
afterAll(() => server.close());

let last = 0;
const started = () => ({
  externalId: `rec-${++last}`,
  ownerEmail: anna.email,
  title: "Stand-up",
  startTime: "2025-03-14T09:30:00.000Z",
});
const ending = (externalId: string) => ({
  externalId,
  endTime: "2025-03-14T09:45:00.000Z",
  transcript: [{ speakerId: "s1", speakerName: "Anna", text: WORDS }],
  summary: { markdown: "**Done**." },
  tasks: [{ text: "Call the supplier" }],
  tags: [{ name: "Daily" }],
});
const result = (body: unknown) => readPayload<Record<string, unknown>>({ status: 200, body });
const answerOf = async (route: string, input: object) => {
  const { status, body } = await server.call(key, `ingest/${route}`, input);
  return status === 200 ? { status, ...result(body) } : { status, ...(body as object) };
};

describe("a recording", () => {
  test("200: starts, is not on /v1, completes, and has all its data", async () => {
    const start = started();
    const first = await answerOf("recordings.start", start);
    expect(first).toEqual({
      status: 200,
      meetingId: expect.stringMatching(/^mtg_/),
      externalId: start.externalId,
      state: "recording",
    });
    const meetingId = String((first as { meetingId?: string }).meetingId);
    expect((await server.call(anna.key, "me/meetings.get", { meetingId })).status).toBe(404);
    expect(await answerOf("recordings.complete", ending(start.externalId))).toEqual({
      status: 200,
      meetingId,
      externalId: start.externalId,
      state: "completed",
    });
    const meeting = await server.data(anna.key, "me/meetings.get", { meetingId });
    expect(meeting).toMatchObject({
      id: meetingId,
      title: "Stand-up",
      startTime: start.startTime,
      endTime: "2025-03-14T09:45:00.000Z",
      transcript: `**Anna**: ${WORDS}`,
      summary: { markdown: "**Done**.", html: "<p><strong>Done</strong>.</p>", short: "Done." },
      participants: [{ id: expect.stringMatching(/^per_/), name: "Anna", email: null }],
      tasks: [{ content: "Call the supplier", completed: false, assignee: null }],
      tags: [{ name: "Daily" }],
      event: { id: null, externalId: null, title: "Stand-up", scheduledTime: start.startTime, attendees: [] },
    });
  });

  test("200: repeating any call is a no-op with the same answer", async () => {
    const start = started();
    const first = await answerOf("recordings.start", start);
    expect(await answerOf("recordings.start", start)).toEqual(first);
    const end = ending(start.externalId);
    const completed = await answerOf("recordings.complete", end);
    expect(await answerOf("recordings.complete", end)).toEqual(completed);
    const { externalId: _, ...byId } = { ...end, meetingId: (first as { meetingId?: string }).meetingId };
    expect(await answerOf("recordings.complete", byId)).toEqual(completed);
    expect(await answerOf("recordings.start", start)).toEqual({ ...first, state: "completed" });

    const lost = started();
    await answerOf("recordings.start", lost);
    const failed = await answerOf("recordings.fail", { externalId: lost.externalId, reason: "no audio" });
    expect(failed).toMatchObject({ status: 200, state: "failed" });
    expect(await answerOf("recordings.fail", { externalId: lost.externalId, reason: "no audio" })).toEqual(
      failed,
    );
  });

  test("409: a different input with the same id", async () => {
    const start = started();
    await answerOf("recordings.start", start);
    const conflict = { status: 409, error: "A different meeting with this externalId exists." };
    expect(await answerOf("recordings.start", { ...start, title: "Other" })).toEqual(conflict);
    const { externalId: _, ...rest } = ending("");
    expect(await answerOf("meetings.import", { ...start, ...rest })).toEqual(conflict);
    await answerOf("recordings.complete", ending(start.externalId));
    expect(
      await answerOf("recordings.complete", { ...ending(start.externalId), generatedTitle: "Other" }),
    ).toEqual(conflict);
    const ended = { status: 409, error: "This recording already ended with another result." };
    expect(await answerOf("recordings.fail", { externalId: start.externalId, reason: "late" })).toEqual(
      ended,
    );
    const lost = started();
    await answerOf("recordings.start", lost);
    await answerOf("recordings.fail", { externalId: lost.externalId, reason: "no audio" });
    expect(await answerOf("recordings.complete", ending(lost.externalId))).toEqual(ended);
  });

  test("409: a deleted meeting is not restored", async () => {
    const start = started();
    const { meetingId } = (await answerOf("recordings.start", start)) as unknown as { meetingId: string };
    await answerOf("recordings.complete", ending(start.externalId));
    await server.data(anna.key, "me/meetings.delete", { meetingId });
    const gone = {
      status: 409,
      error: "A meeting with this externalId was deleted and is not imported again.",
    };
    expect(await answerOf("recordings.start", start)).toEqual(gone);
    expect(await answerOf("recordings.complete", ending(start.externalId))).toEqual(gone);
    const { externalId: _, ...rest } = ending("");
    expect(await answerOf("meetings.import", { ...start, ...rest })).toEqual(gone);
  });

  test("404: an owner outside the workspace, a recording of another workspace", async () => {
    const stranger = await server.given.person();
    expect(await answerOf("recordings.start", { ...started(), ownerEmail: stranger.email })).toEqual({
      status: 404,
      error: "No member of this workspace has this e-mail address.",
    });
    const start = started();
    const { meetingId } = (await answerOf("recordings.start", start)) as unknown as { meetingId: string };
    const elsewhere = await server.given.ingestKey(await server.given.company());
    const answer = await server.call(elsewhere, "ingest/recordings.fail", { meetingId, reason: "mine now" });
    expect([answer.status, answer.body]).toEqual([404, { error: "No such recording." }]);
  });

  test("400: ends before it began, neither id or both", async () => {
    const start = started();
    await answerOf("recordings.start", start);
    const end = ending(start.externalId);
    expect(await answerOf("recordings.complete", { ...end, endTime: "2025-03-14T09:00:00Z" })).toEqual({
      status: 400,
      error: "endTime must not be before startTime.",
    });
    const neither = { status: 400, error: "Exactly one of meetingId and externalId is required." };
    expect(await answerOf("recordings.fail", { reason: "x" })).toEqual(neither);
    expect(await answerOf("recordings.fail", { reason: "x", externalId: "a", meetingId: "b" })).toEqual(
      neither,
    );
  });

  test("200: belongs to an owner who has left since, and is invisible to the workspace", async () => {
    const leaver = await server.given.member(company);
    const start = { ...started(), ownerEmail: leaver.email };
    const { meetingId } = (await answerOf("recordings.start", start)) as unknown as { meetingId: string };
    await server.given.leaves(leaver);
    expect(await answerOf("recordings.complete", ending(start.externalId))).toMatchObject({ status: 200 });
    const seen = await server.call(company.key, "workspace/meetings.get", { meetingId });
    expect(seen.status).toBe(403);
  });
});

describe("credentials", () => {
  test("401: an API key on ingest, an ingest key on /v1, a revoked one, none", async () => {
    const invalid = [401, { error: "Invalid API key" }];
    for (const apiKey of [anna.key, company.key]) {
      const answer = await server.call(apiKey, "ingest/recordings.start", started());
      expect([answer.status, answer.body]).toEqual(invalid);
    }
    for (const route of ["me/meetings.list", "workspace/meetings.list"]) {
      const answer = await server.call(key, route);
      expect([answer.status, answer.body]).toEqual(invalid);
    }
    const none = await server.call(null, "ingest/recordings.start", started());
    expect([none.status, none.body]).toEqual([
      401,
      { error: "Missing API key. Use header: x-api-key: <key>" },
    ]);
  });

  test("429: the workspace's own quota, separate from that of /v1", async () => {
    const narrow = await startTestServer({ ingestLimit: 2, database: server.database });
    const theirs = await narrow.given.company();
    const [one, two] = [await narrow.given.ingestKey(theirs), await narrow.given.ingestKey(theirs)];
    const get = (credential: string) =>
      narrow.call(credential, "ingest/vocabulary.get", { ownerEmail: theirs.admin.email });
    expect((await get(one)).status).toBe(200);
    expect((await get(two)).headers["x-ratelimit-remaining"]).toBe("0");
    expect((await get(one)).status).toBe(429);
    expect((await narrow.call(theirs.key, "workspace/meetings.list")).status).toBe(200);
    await narrow.close();
  });
});

describe("a batch", () => {
  test("200: one line per meeting, in order, each independent", async () => {
    const whole = () => {
      const { externalId: _, ...rest } = ending("");
      return { ...started(), ...rest };
    };
    const [one, two] = [whole(), whole()];
    const answer = await server.call(key, "ingest/meetings.importMany", {
      meetings: [one, { ...two, title: "" }, { ...one, title: "Other" }, two, one],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/jsonl; charset=utf-8");
    const lines = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const of = (externalId: string) => ({
      result: { data: { json: { meetingId: expect.any(String), externalId, state: "completed" } } },
    });
    expect(lines).toEqual([
      of(one.externalId),
      { status: 400, error: "title must be a text of 1 to 1,000 characters" },
      { status: 409, error: "A different meeting with this externalId exists." },
      of(two.externalId),
      lines[0],
    ]);
  });

  test("400: more than a hundred, none", async () => {
    for (const meetings of [[], Array(101).fill({})]) {
      expect((await server.call(key, "ingest/meetings.importMany", { meetings })).status).toBe(400);
    }
  });

  test("413: over 32 MiB; a body of 2 MiB is accepted", async () => {
    const { externalId: _, ...rest } = ending("");
    const text = "word ".repeat(20_000).trim();
    const segments = (count: number) =>
      Array.from({ length: count }, () => ({ speakerId: "s1", speakerName: "Anna", text }));
    expect(await answerOf("meetings.import", { ...started(), ...rest, transcript: segments(340) })).toEqual({
      status: 413,
      error: "The request body exceeds 32 MiB.",
    });
    expect(
      await answerOf("meetings.import", { ...started(), ...rest, transcript: segments(20) }),
    ).toMatchObject({ status: 200 });
  });

  test("503: a workspace's bodies exceed its share; it is logged once, and others are unaffected", async () => {
    /** Announces a body without sending it. A call that is refused, or ended by the server, is announced again. */
    const announce = (length: number) => {
      let call: ClientRequest | undefined;
      return {
        ensure: () => {
          if (call && !call.destroyed) return;
          const opened = request(new URL("/ingest/v1/meetings.import", server.url), {
            method: "POST",
            headers: {
              ...{ "x-api-key": key, "content-type": "application/json", "content-length": length },
              expect: "100-continue",
            },
          });
          opened.on("error", () => {});
          opened.on("response", () => opened.destroy());
          opened.flushHeaders();
          call = opened;
        },
        end: () => call?.destroy(),
      };
    };
    const whole = { ...started(), ...ending(`rec-${last}`) };
    const bodies = [
      announce(LIMITS.ingestBodyBytes),
      announce(LIMITS.ingestBytesAtOnce / 2 - LIMITS.ingestBodyBytes),
    ];
    // A body is reserved once its key is checked. Until then, a short body can take its place.
    await expect
      .poll(async () => {
        for (const body of bodies) body.ensure();
        return (await answerOf("meetings.import", {})).status;
      })
      .toBe(503);
    const { status, body } = await server.call(key, "ingest/meetings.import", whole, {
      headers: { "x-request-id": "over-its-share" },
    });
    expect([status, body]).toEqual([503, { error: "Service unavailable" }]);
    const logged = server.log.filter((line) => line.includes("over-its-share"));
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 50, status: 503, fault: "too many bodies", msg: "call failed" }),
    ]);
    const theirs = await server.given.company();
    const owner = await server.given.member(theirs);
    expect(
      await server.call(await server.given.ingestKey(theirs), "ingest/meetings.import", {
        ...whole,
        ownerEmail: owner.email,
      }),
    ).toMatchObject({ status: 200 });
    for (const body of bodies) body.end();
    expect(await until(() => answerOf("meetings.import", whole), 200)).toMatchObject({ state: "completed" });
  });
});

/** Returns the first answer with a status. */
async function until<T extends { status: number }>(ask: () => Promise<T>, status: number): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (answer.status === status || tries === 3_000) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
