import { type Connection, connectPostgres } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createTestDatabase, needs, openWire, type Person, send, sendRaw, type Wire } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorResponse } from "../lib/errors.js";

const UNAVAILABLE = [503, { error: "Service unavailable" }];
const CANARY = "canary-9b3e";

describe("503: the database doesn't answer", needs("postgres"), () => {
  let open: TestServer;
  let server: TestServer;
  let wire: Wire;
  let connection: Connection;
  let anna: Person;
  let taskId: string;
  beforeAll(async () => {
    open = await startTestServer();
    wire = await openWire(open.database.url ?? "");
    connection = await connectPostgres({ url: wire.url, migrate: false, statementTimeout: 400 });
    server = await startTestServer({ database: open.database, connection, deadline: 800 });
    anna = await open.given.person({ email: `${CANARY}@example.com` });
    taskId = (await open.given.meeting(anna, { title: CANARY, tasks: [{ text: CANARY }] })).taskIds[0] ?? "";
  });
  afterAll(async () => {
    await server.close();
    await connection.close();
    await wire.close();
    await open.close();
  });

  const update = () => server.call(anna.key, "me/tasks.update", { taskId, text: `${CANARY} text` });
  /** Polled where it must succeed: on a busy machine one call can exceed its short deadline. */
  const list = async () => (await server.call(anna.key, "me/tasks.list")).status;

  test("in time, for example while another session holds a lock: the next call succeeds, and the update was not made", async () => {
    const other = await open.database.connect();
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`select from tasks where id = ${taskId} for update`);
      const answer = await update();
      expect([answer.status, answer.body]).toEqual(UNAVAILABLE);
      expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      expect(answer.headers["x-ratelimit-limit"]).toBeDefined();
      // Readers don't wait for a writer.
      await expect.poll(list).toBe(200);
    });
    expect((await open.data(anna.key, "me/tasks.list")).tasks[0]?.text).toBe(CANARY);
    await expect.poll(async () => (await update()).status).toBe(200);
  });

  test("the database hangs without an answer", async () => {
    wire.freeze();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.call(anna.key, "me/tasks.list")),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual(UNAVAILABLE);
    const ready = await send(server.url, "/ready");
    expect([ready.status, ready.body]).toEqual([503, { status: "unavailable" }]);
    expect((await send(server.url, "/health")).status).toBe(200);
    await wire.restore();
    await expect.poll(list).toBe(200);
  });

  test("the database is down, until it is up again", async () => {
    await expect.poll(list).toBe(200);
    wire.cut();
    for (const ask of [
      () => server.call(anna.key, "me/tasks.list"),
      () => server.call(anna.key, "me/meetings.list"),
      update,
    ]) {
      const answer = await ask();
      expect([answer.status, answer.body]).toEqual(UNAVAILABLE);
      expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    }
    expect((await server.call("jk_junk", "me/tasks.list")).status).toBe(401);
    await wire.restore();
    await expect.poll(list).toBe(200);
  });

  test("during calls: every call is answered with 200 or 503", async () => {
    const calls = Array.from({ length: 50 }, () => server.call(anna.key, "me/meetings.list"));
    setTimeout(() => wire.cut(), 5);
    for (const answer of await Promise.all(calls)) expect([200, 503]).toContain(answer.status);
    await wire.restore();
    await expect.poll(list).toBe(200);
  });

  test("and the log identifies faults by code, without content, address, key or statement", () => {
    const log = server.log.join("");
    expect(server.log.some((line) => line.includes('"status":503'))).toBe(true);
    for (const secret of [CANARY, anna.key, anna.key.slice(3, 20), "select", "params", taskId])
      expect(log.toLowerCase()).not.toContain(secret.toLowerCase());
  });
});

describe(
  "a column changes its type under load, as in a migration of another process",
  needs("postgres"),
  () => {
    test("200: prepared statements are prepared again", async () => {
      const server = await startTestServer();
      const anna = await server.given.person();
      await server.given.meeting(anna, { title: CANARY, tasks: [{ text: CANARY }] });
      const call = () =>
        Promise.all(
          Array.from({ length: 60 }, (_, index) =>
            server.call(anna.key, index % 2 ? "me/meetings.list" : "me/tasks.list"),
          ),
        );
      const statuses = new Map<number, number>();
      for (const type of ["varchar(400)", "varchar(500)", "varchar(600)", "text"]) {
        for (let round = 0; round < 3; round++)
          for (const { status } of await call()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await server.db.execute(sql.raw(`alter table meetings alter column title type ${type}`));
      }
      for (const { status } of await call()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([...statuses.keys()]).toEqual([200]);
      await server.close();
    });
  },
);

describe("the embedded engine loses a transaction's statements", needs("embedded"), () => {
  test("503, logged once, and nothing is stored; the next call works", async () => {
    const server = await startTestServer();
    const company = await server.given.company();
    const key = await server.given.ingestKey(company);
    const importMeeting = (externalId: string) => {
      const content = { ownerEmail: company.admin.email, title: CANARY, startTime: "2026-03-02T10:00:00Z" };
      return server.call(key, "ingest/meetings.import", { externalId, ...content });
    };
    for (let run = 1; run <= 3; run++) expect((await importMeeting(`before-${run}`)).status).toBe(200);
    // The check of the key keeps its statement, and the transaction begins. Separate statements would be prepared
    // themselves, and could evict one that is still to be lost.
    await server.db.execute(
      sql.raw(`do $$
        declare
          lost record;
        begin
          for lost in select name from pg_prepared_statements where statement like 'insert into %' loop
            execute 'deallocate ' || lost.name;
          end loop;
        end $$`),
    );

    const lost = await importMeeting("after");
    expect([lost.status, lost.body]).toEqual(UNAVAILABLE);
    expect(lost.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    const logged = server.log.filter((line) => line.includes(String(lost.headers["x-request-id"])));
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 50, status: 503, fault: "26000" }),
    ]);
    expect((await server.data(company.admin.key, "me/meetings.list")).meetings).toHaveLength(3);
    expect((await importMeeting("after")).status).toBe(200);
    await server.close();
  });
});

describe("503: a call exceeds its deadline", () => {
  let server: TestServer;
  let anna: Person;
  beforeAll(async () => {
    const database = await createTestDatabase();
    // Statements have no timeout here, so only the deadline can end a call.
    const connection = await database.connect();
    server = await startTestServer({ database, connection, deadline: 300 });
    anna = await server.given.person();
  });
  afterAll(async () => {
    await server.close();
    await server.database.close();
  });

  /** Runs `work` while no call can read meetings. The embedded engine runs one transaction at a time. */
  const whileLocked = (work: () => Promise<void>) =>
    server.db.transaction(async (tx) => {
      await tx.execute(sql`lock table meetings in access exclusive mode`);
      await work();
    });
  const findLines = (requestId: string) =>
    server.log.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);

  test.each([
    ["/v1/me/meetings.list", "meetings.list"],
    ["/rest/v1/me/meetings", "meetings.list"],
    ["/sync/v1/me/changes.list", "changes.list"],
  ])("%s: it is logged once, as an error with its request ID and the reason", async (path, procedure) => {
    const requestId = `late-${path.replace(/\W/g, "-")}`;
    await whileLocked(async () => {
      const headers = { "x-api-key": anna.key, "x-request-id": requestId };
      const { status } = await send(server.url, path, { headers });
      expect(status).toBe(503);
    });
    const lines = findLines(requestId);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 50, status: 503, fault: "deadline", msg: "call failed" });
    // On the embedded engine, even the check of the key is late.
    expect([procedure, null]).toContain(lines[0].procedure);
  });
});

test("/ready: each 503 is logged once, with its request ID and the reason", async () => {
  const server = await startTestServer({ accepting: () => false });
  expect((await send(server.url, "/ready", { headers: { "x-request-id": "probe-1" } })).status).toBe(503);
  const lines = server.log.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === "probe-1");
  expect(lines).toEqual([expect.objectContaining({ level: 40, reason: "stopping", msg: "not ready" })]);
  await server.close();
});

test("200: a slow upload does not count against the deadline", async () => {
  const server = await startTestServer({ deadline: 2_000 });
  const anna = await server.given.person();
  const [taskId] = (await server.given.meeting(anna, { tasks: [{ text: "x" }] })).taskIds;
  const body = JSON.stringify({ json: { taskId, completed: true } });
  const head = `POST /v1/me/tasks.update HTTP/1.1\r\nHost: x\r\nx-api-key: ${anna.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  const answer = await sendRaw(server.url, [head, body.slice(0, 5), body.slice(5)], { pause: 1_500 });
  expect([answer.status, answer.body]).toEqual([
    200,
    { result: { data: { json: { taskId, completed: true } } } },
  ]);
  await server.close();
});

describe("500: a fault of the service", () => {
  test("is logged once with its request ID, and reveals no statement, source location or content", async () => {
    const server = await startTestServer();
    const anna = await server.given.person({ email: `${CANARY}@example.com` });
    const transcript = [{ speakerId: "a", speakerName: "Anna", text: CANARY }];
    const meeting = await server.given.meeting(anna, {
      title: CANARY,
      tasks: [{ text: CANARY }],
      transcript,
    });
    await server.db.execute(sql`alter table tasks rename column text to wording`);
    await server.db.execute(sql`alter table search_postings rename column term to lexeme`);
    for (const [route, input] of [
      ["me/tasks.list", {}],
      ["me/tasks.update", { taskId: meeting.taskIds[0], text: `${CANARY} text` }],
      ["me/meetings.search", { query: `${CANARY} query` }],
      ["me/meetings.get", { meetingId: meeting.meetingId }],
    ] as const) {
      const answer = await server.call(anna.key, route, input);
      expect([route, answer.status, answer.body]).toEqual([route, 500, { error: "Internal server error" }]);
      expect(Object.values(answer.headers).join()).not.toMatch(/tasks|select|wording/);
      const requestId = String(answer.headers["x-request-id"]);
      const logged = server.log
        .map((line) => JSON.parse(line))
        .filter((line) => line.requestId === requestId);
      expect(logged).toEqual([
        expect.objectContaining({
          ...{ level: 50, procedure: route.replace("me/", ""), status: 500, msg: "call failed" },
          fault: expect.stringContaining("42703"),
        }),
      ]);
    }
    expect(server.log.filter((line) => line.includes("call failed"))).toHaveLength(4);
    for (const secret of [CANARY, anna.key, "select", "params"])
      expect(server.log.join("").toLowerCase()).not.toContain(secret.toLowerCase());
    expect((await server.call(anna.key, "me/meetings.list")).status).toBe(200);
    await server.close();
  });
});

test("the log of ordinary calls has route, status and time, but no caller and no content", async () => {
  const server = await startTestServer();
  const anna = await server.given.person({ email: `${CANARY}@example.com`, name: CANARY });
  const meeting = await server.given.meeting(anna, { title: CANARY, tasks: [{ text: CANARY }] });
  for (const [key, route, input] of [
    [anna.key, "me/meetings.get", { meetingId: meeting.meetingId }],
    [anna.key, "me/meetings.list", { tag: CANARY }],
    [anna.key, "me/meetings.search", { query: CANARY }],
    [anna.key, "me/tasks.update", { taskId: meeting.taskIds[0], text: CANARY }],
    [anna.key, `me/${CANARY}`, {}],
    [anna.key, "me/tasks.list", { [CANARY]: 1 }],
    [`jk_${CANARY}`, "me/tasks.list", {}],
  ] as const)
    await server.call(key, route, input);
  expect(server.log).toHaveLength(7);
  for (const secret of [CANARY, anna.key, anna.userId, meeting.meetingId])
    expect(server.log.join("")).not.toContain(secret);
  expect(JSON.parse(server.log[0] ?? "")).toMatchObject({ procedure: "meetings.get", status: 200 });
  await server.close();
});

test("the logged location of a fault is never a line of the message that looks like one", () => {
  const error = new Error(`Failed query: insert\nparams: I was\n    at ${CANARY} yesterday`);
  const { fault } = toErrorResponse(error);
  expect(fault).toMatch(/^Error .*faults\.test\.ts/);
  expect(fault).not.toContain(CANARY);
  error.message = "another";
  expect(toErrorResponse(error).fault).not.toContain(CANARY);
});
