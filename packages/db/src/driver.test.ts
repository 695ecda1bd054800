import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@minutes/db";
import { needs, type TestDatabase, testDatabase, type Wire, wireTo } from "@minutes/testing";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** Connects the driver alone; closed at the end of the test. */
function connect(url: string, max = 1) {
  const client = postgres(url, { max, fetch_types: false, backoff: () => 0.05, onnotice: () => {} });
  onTestFinished(() => client.end({ timeout: 1 }));
  return client;
}

describe("the patched driver on PostgreSQL", needs("postgres"), () => {
  let database: TestDatabase;
  let wire: Wire;
  beforeAll(async () => {
    database = await testDatabase();
    wire = await wireTo(database.url ?? "");
  });
  afterAll(async () => {
    await wire.close();
    await database.close();
  });

  test("a transaction that lost its connection fails, and no fault reaches the process", async () => {
    const client = connect(wire.url);
    const outcome = client
      .begin(async (transaction) => {
        await transaction`select 1`;
        wire.cut();
        await sleep(50);
        await transaction`select 2`;
      })
      .then(
        () => "committed",
        (error: unknown) => (isUnavailable(error) ? "unavailable" : error),
      );
    expect(await outcome).toBe("unavailable");
    await sleep(50); // a write that waits for its turn would fail now
    await wire.mend();
    await expect.poll(() => client`select 3 as three`.catch(() => null)).toEqual([{ three: 3 }]);
  });

  test("a lost transaction runs nothing on the connection's next session, not even its rollback", async () => {
    const client = connect(wire.url);
    await client`create table lost (word text)`;
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let late: PromiseLike<unknown> = Promise.resolve();
    const lost = client
      .begin(async (transaction) => {
        await transaction`insert into lost values ('first')`;
        wire.cut();
        await resumed;
        late = transaction`insert into lost values ('late')`.then(
          () => "stored",
          () => "refused",
        );
        await late;
        throw new Error("rolls back");
      })
      .catch(() => {});
    await lost;
    await wire.mend();
    await expect.poll(() => client`select 1`.then(() => true).catch(() => false)).toBe(true);
    // The same connection, in a new session, is in somebody else's transaction now.
    await client.begin(async (other) => {
      await other`insert into lost values ('other')`;
      resume();
      await sleep(50);
      await other`insert into lost values ('other too')`;
    });
    expect(await late).toBe("refused");
    expect(await client`select word from lost order by word`).toEqual([
      { word: "other" },
      { word: "other too" },
    ]);
  });

  test("a statement prepared again while others are in flight keeps its answer and its parameters", async () => {
    const client = connect(wire.url);
    await client`create table keys (hash bytea, owner text)`;
    for (const owner of ["ann", "bob", "cay"])
      await client`insert into keys values (${Buffer.from(owner)}, ${owner})`;
    const find = (owner: string) =>
      client.unsafe("select * from keys where hash = $1", [Buffer.from(owner)], { prepare: true });
    const count = (number: number) =>
      client.unsafe("select $1::int + 1 as next", [number], { prepare: true });
    await find("ann");
    await count(1);
    // "cached plan must not change result type": the driver has to prepare the statement again.
    await database.connection.db.execute("alter table keys add column more int" as never);
    const answers = await Promise.all([find("ann"), count(1), find("bob"), count(2), find("cay"), count(3)]);
    expect(answers.map(([row]) => row?.owner ?? row?.next)).toEqual(["ann", 2, "bob", 3, "cay", 4]);
  });
});

/** Frames one message of PostgreSQL's protocol. */
function frame(type: string, ...parts: readonly (Buffer | number | string)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === "string") return Buffer.from(`${part}\0`);
      if (Buffer.isBuffer(part)) return part;
      const number = Buffer.alloc(2);
      number.writeInt16BE(part);
      return number;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describe("the patched driver on a server that mixes up its answers", needs("embedded"), () => {
  test("a row without its statement's columns is an error, and ends the connection", async () => {
    const READY = frame("Z", Buffer.from("I"));
    const column = Buffer.concat([Buffer.from("a\0"), Buffer.alloc(18)]);
    const value = Buffer.from([0, 0, 0, 1, 0x31]);
    let closed = 0;
    const server = net.createServer((socket) => {
      socket.on("close", () => closed++);
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write(Buffer.concat([frame("R", Buffer.alloc(4)), READY]));
        socket.on("data", () =>
          socket.write(
            Buffer.concat([
              frame("1"),
              frame("t", 0),
              frame("T", 1, column),
              frame("2"),
              frame("D", 2, value, value), // the row of another statement
              frame("C", "SELECT 1"),
              READY,
            ]),
          ),
        );
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as net.AddressInfo;
    const client = connect(`postgres://any@127.0.0.1:${port}/any`);
    const error = await client.unsafe("select a", [], { prepare: true }).catch((fault: unknown) => fault);
    expect(isUnavailable(error)).toBe(true);
    await expect.poll(() => closed).toBe(1);
  });
});
