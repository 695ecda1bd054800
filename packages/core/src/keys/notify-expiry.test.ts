import type { AddressInfo } from "node:net";
import { schema } from "@minutes/db";
import { createPersonalKey, createWorkspaceKey, openTestApi, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { createSmtpMailer } from "../lib/mailer.js";
import { setRole } from "../workspaces/index.js";
import { disableKey, revokeKey } from "./manage.js";

import { notifyExpiringKeys } from "./notify-expiry.js";

const { apiKeys } = schema;

let api: TestApi;
let smtp: SMTPServer;
let url: string;
let refused = "";
const inbox: { to: string[]; text: string }[] = [];
const faults: unknown[] = [];
beforeAll(async () => {
  api = await openTestApi();
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address).sort();
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (to.includes(refused)) return done(Object.assign(new Error("full"), { responseCode: 452 }));
        inbox.push({ to, text: Buffer.concat(chunks).toString("utf8").replace(/=\r\n/g, "") });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await api.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
});
afterEach(() => {
  inbox.length = 0;
  faults.length = 0;
});

const notify = () =>
  notifyExpiringKeys(
    api.db,
    createSmtpMailer({ url, from: "Minutes <minutes@example.com>" }),
    (error) => void faults.push(error),
  );
/** Sets a key's age and remaining lifetime in days. */
const endsIn = async ({ id }: { id: string }, left: string, age = 30) => {
  await api.db
    .update(apiKeys)
    .set({
      expiresAt: sql`now() + ${left}::interval`,
      createdAt: sql`now() - make_interval(days => ${age}::int)`,
    })
    .where(eq(apiKeys.id, id));
  return id;
};

test("seven days before a key expires its owner is notified, once across processes, with only the key's name", async () => {
  const anna = await api.given.person();
  const made = await createPersonalKey(api.db, anna.userId, "Report of Monday");
  await endsIn(made, "7 days 1 minute");
  await notify();
  expect(inbox).toEqual([]);
  await endsIn(made, "6 days 23 hours 59 minutes");
  await Promise.all([notify(), notify(), notify()]);
  expect(inbox.map(({ to }) => to)).toEqual([[anna.email]]);
  expect(inbox[0]?.text).toContain(`"Report of Monday" that ends in ${made.key.slice(-4)}`);
  expect(inbox[0]?.text).not.toContain(made.key.slice(3, 15));
  await notify();
  expect([inbox.length, faults]).toEqual([1, []]);
});

test("the admins of a workspace are notified about its keys, and no other member", async () => {
  const company = await api.given.company();
  const second = await api.given.member(company);
  await api.given.member(company);
  await setRole(api.db, OPERATOR, second.userId, "admin");
  await endsIn(await createWorkspaceKey(api.db, company.admin.userId, "Ours"), "2 days");
  await notify();
  expect(inbox.map(({ to }) => to)).toEqual([[company.admin.email, second.email].sort()]);
});

test("nobody is notified about keys without expiry, expired, disabled or revoked keys, and keys created for seven days or less", async () => {
  const people = await Promise.all([1, 2, 3, 4].map(() => api.given.person()));
  const [one, two, three, four] = await Promise.all(
    people.map(({ userId }) => createPersonalKey(api.db, userId, "Quiet")),
  );
  if (!one || !two || !three || !four) throw new Error("Four keys were made.");
  await endsIn(one, "-1 minute");
  await disableKey(api.db, OPERATOR, await endsIn(two, "3 days"));
  await revokeKey(api.db, OPERATOR, await endsIn(three, "3 days"));
  await endsIn(four, "5 days", 2);
  await notify();
  expect(inbox).toEqual([]);
});

test("a refused e-mail is retried by the next run, and does not delay others", async () => {
  const people = [await api.given.person(), await api.given.person()];
  for (const { userId } of people) await endsIn(await createPersonalKey(api.db, userId, "Twice"), "3 days");
  refused = people[0]?.email ?? "";
  await notify();
  expect([inbox.map(({ to }) => to), faults.length]).toEqual([[[people[1]?.email]], 1]);
  refused = "";
  await notify();
  expect(inbox.map(({ to }) => to)).toEqual([[people[1]?.email], [people[0]?.email]]);
});
