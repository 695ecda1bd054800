import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MESSAGES } from "@minutes/contract";
import { authenticateSession, purgeAudit } from "@minutes/core";
import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";

const EMAIL = "ann@example.com";

interface Page {
  readonly entries: { actor: string; action: string; object: string; workspaceId: string | null }[];
  readonly nextCursor: number | null;
}

// Later tests read what earlier ones did.
describe("minutes audit", { ...needs("embedded"), shuffle: false }, () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  let acme: string;
  let own: string;
  let userId: string;
  const audit = (...filters: string[]) => installation.json<Page>("audit", ...filters);

  beforeAll(async () => {
    installation = await openInstallation();
    const { json } = installation;
    acme = (await json<{ id: string }>("workspaces", "create", "Acme")).id;
    ({ id: userId, workspaceId: own } = await json<{ id: string; workspaceId: string }>(
      ...["users", "create", EMAIL, "--own-workspace"],
    ));
  });
  afterAll(() => installation.close());

  test("a move names the workspace that was left and the one that was joined", async () => {
    await installation.json("workspaces", "add-member", "Acme", EMAIL);
    const { entries } = await audit("--action", "member", "--object", userId);
    expect(entries.map(({ action, workspaceId }) => [action, workspaceId])).toEqual([
      ["member.join", acme],
      ["member.leave", own],
    ]);
    for (const workspace of [acme, "Acme"])
      expect((await audit("--workspace", workspace)).entries).toHaveLength(1);
  });

  test("sign-ins, imports and exports are recorded, without content", async () => {
    const { json, dataDir } = installation;
    await json("login", EMAIL);
    const file = join(dataDir, "meeting.json");
    const meeting = {
      externalId: "one",
      ownerEmail: EMAIL,
      title: "Secret plan",
      startTime: "2026-01-05T09:00:00Z",
    };
    await writeFile(file, JSON.stringify(meeting));
    await json("import", file);
    await json("export", "--user", EMAIL, "--out", join(dataDir, "out"));
    const { entries } = await audit("--actor", "operator", "--limit", "3");
    expect(entries.map(({ action }) => action)).toEqual(["export.user", "import.meeting", "session.create"]);
    const shown = await installation.run("audit");
    expect(shown.stdout).toMatch(/export\.user/);
    expect(shown.stdout).not.toContain("Secret");
    expect((await installation.run("audit", "--help")).stdout).toContain("actorEmail");
  });

  test("users sign-out ends a user's sessions at once, leaves others' sessions, and is recorded", async () => {
    const { db, json, run } = installation;
    await json("users", "create", "ben@example.com");
    const { token } = await json<{ token: string }>("login", EMAIL);
    const { token: other } = await json<{ token: string }>("login", "ben@example.com");
    const use = (one: string) => authenticateSession(db, one, "settings", 100);
    expect((await use(token)).user.userId).toBe(userId);
    const done = await run("users", "sign-out", EMAIL);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(`2 sessions of ${EMAIL} ended.`);
    await expect(use(token)).rejects.toThrow(MESSAGES.signInAgain);
    await use(other);
    expect(await db.select().from(schema.oneTimeLinks).where(eq(schema.oneTimeLinks.userId, userId))).toEqual(
      [],
    );
    const { entries } = await audit("--action", "session.end-all", "--object", userId);
    expect(entries.map(({ actor }) => actor)).toEqual(["operator"]);
    expect((await run("users", "sign-out", "nobody@example.com")).code).not.toBe(0);
  });

  test("sign-ins are shown with their method and network, and failed ones as anonymous", async () => {
    const { db, run } = installation;
    const signIn = { method: "password", network: "192.0.2.0/24" } as const;
    await db
      .insert(schema.auditLog)
      .values({ actor: "anonymous", action: "session.fail", object: userId, ...signIn });
    expect((await audit("--actor", "anonymous")).entries).toMatchObject([{ object: userId, ...signIn }]);
    const { stdout } = await run("audit", "--action", "session.fail");
    expect(stdout).toMatch(/METHOD +NETWORK/);
    expect(stdout).toMatch(/anonymous +session\.fail .*password +192\.0\.2\.0\/24/);
    expect((await audit("--object", userId, "--action", "session.end-all")).entries).toMatchObject([
      { method: null, network: null },
    ]);
  });

  test("pages follow one another; an actor is found by e-mail address", async () => {
    const first = await audit("--limit", "2");
    const second = await audit("--limit", "2", "--cursor", String(first.nextCursor));
    const all = await audit("--limit", "4");
    expect([...first.entries, ...second.entries]).toEqual(all.entries);
    await installation.db
      .insert(schema.auditLog)
      .values({ actor: userId, action: "key.create", object: "key_1" });
    expect((await audit("--actor", EMAIL)).entries).toMatchObject([{ object: "key_1", actorEmail: EMAIL }]);
  });

  test.each([
    [["--action", "nonsense"], "must be an action such as key.create, or its first part: session, user"],
    [["--action", "ke_"], "must be an action"],
    [["--action", "k"], "must be an action"],
    [["--actor", "nobody@example.com"], "No user has this e-mail address"],
    [["--workspace", "Nowhere"], "No such workspace: Nowhere."],
  ])("%j matches nothing that exists, and is refused", async (filters, sentence) => {
    const { code, stderr } = await installation.run("audit", ...filters);
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test("entries older than the retention are deleted, and no others", async () => {
    const { db } = installation;
    const before = (await audit("--limit", "1000")).entries.length;
    await db
      .update(schema.auditLog)
      .set({ at: sql`now() - interval '31 days'` })
      .where(eq(schema.auditLog.object, "key_1"));
    await purgeAudit(db, 30);
    expect((await audit("--limit", "1000")).entries).toHaveLength(before - 1);
    expect((await audit("--object", "key_1")).entries).toEqual([]);
  });
});
