import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { isNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";

const ADMIN = "ann@example.com";
const OTHER = "ben@example.com";

// The command line reaches PostgreSQL through the same router.
// Later tests use what earlier ones made.
describe("credentials and their creators", { ...needs("embedded"), shuffle: false }, () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  beforeAll(async () => {
    installation = await openInstallation({ WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" });
    const { json } = installation;
    await json("workspaces", "create", "Acme", "--plan", "team");
    await json("users", "create", OTHER, "--workspace", "Acme", "--role", "admin");
    await json("users", "create", ADMIN, "--workspace", "Acme", "--role", "admin");
  });
  afterAll(() => installation.close());

  const keys = async (email = OTHER) =>
    installation.json<{ id: string; revokedAt: string | null; createdBy: { email: string } | null }[]>(
      "keys",
      "list",
      email,
    );
  const createAll = async () => {
    const { json } = installation;
    const key = await json<{ id: string }>("keys", "create", ADMIN, "--workspace", "--name", "CI");
    const recorder = await json<{ id: string }>("keys", "create", ADMIN, "--ingest", "--name", "Recorder");
    const hook = await json<{ id: string }>(
      "webhooks",
      "create",
      ADMIN,
      "https://127.0.0.1:9/",
      "--workspace",
    );
    return [key, recorder, hook].map(({ id }) => id);
  };

  test("lists show who created a key", async () => {
    const { id } = await installation.json<{ id: string }>("keys", "create", ADMIN, "--workspace");
    const created = (await keys()).find((key) => key.id === id);
    expect(created?.createdBy).toMatchObject({ email: ADMIN });
    const shown = await installation.run("keys", "list", OTHER);
    expect(shown.stdout).toMatch(new RegExp(`${id}.*${ADMIN}`));
    await installation.json("keys", "revoke", id);
  });

  test("creates a read-only key with an expiry, and lists it as such", async () => {
    const terms = ["--read-only", "--expires", "2099-12-31"];
    const { id } = await installation.json<{ id: string }>("keys", "create", OTHER, ...terms);
    const shown = await installation.run("keys", "list", OTHER);
    expect(shown.stdout).toMatch(new RegExp(`${id}.* read +enabled +2099-12-31T23:59:59.999Z`));
    await installation.db.execute(
      sql`update api_keys set expires_at = now() - interval '1 second' where id = ${id}`,
    );
    const later = await installation.run("keys", "list", OTHER);
    expect(later.stdout).toMatch(new RegExp(`${id}.* read +expired`));
    await installation.json("keys", "revoke", id);
    const past = await installation.run("keys", "create", OTHER, "--expires", "2020-01-01");
    expect([past.code, past.stderr]).toEqual([1, expect.stringContaining("must be in the future")]);
  });

  test("a user who is no longer an admin or member: their credentials are listed, and revoked with --revoke-credentials", async () => {
    const { run, json, db } = installation;
    const ids = await createAll();
    const demoted = await run("workspaces", "add-member", "Acme", ADMIN, "--role", "member");
    expect(demoted.stderr).toMatch(/still work\. --revoke-credentials revokes them/);
    for (const id of ids) expect(demoted.stderr).toContain(id);

    const removed = await json<{ credentials: { id: string }[] }>(
      "workspaces",
      "remove-member",
      "Acme",
      ADMIN,
      ...["--revoke-credentials", "--yes"],
    );
    expect(removed.credentials.map(({ id }) => id)).toEqual(ids);
    const live = [
      ...(await db.select().from(schema.apiKeys).where(isNull(schema.apiKeys.revokedAt))),
      ...(await db.select().from(schema.ingestKeys).where(isNull(schema.ingestKeys.revokedAt))),
      ...(await db.select().from(schema.webhooks).where(isNull(schema.webhooks.deletedAt))),
    ];
    expect(live.filter(({ id }) => ids.includes(id))).toEqual([]);
    // The operator can also revoke afterwards; nothing is left.
    expect(await json("workspaces", "remove-member", "Acme", ADMIN, "--revoke-credentials")).toMatchObject({
      credentials: [],
    });
  });

  test("an erased user: the workspace's credentials stay, without a creator", async () => {
    const { run, json } = installation;
    await json("workspaces", "add-member", "Acme", ADMIN, "--role", "admin");
    const [keyId = ""] = await createAll();
    const erased = await run("users", "delete", ADMIN, "--yes");
    expect(erased.stderr).toContain(keyId);
    const key = (await keys()).find(({ id }) => id === keyId);
    expect(key).toMatchObject({ createdBy: null, revokedAt: null });
  });

  test("doctor: a workspace whose only admin was erased needs another", async () => {
    const { run, json } = installation;
    const { id } = await json<{ id: string }>("workspaces", "create", "Solo");
    for (const name of ["sol", "sue"])
      await json("users", "create", `${name}@example.com`, "--workspace", id);
    const warning = new RegExp(`^warn +Admins +workspace ${id} has no admin: `, "m");
    expect((await run("doctor")).stdout).not.toMatch(/Admins/);
    await run("users", "delete", "sol@example.com", "--yes");
    expect((await run("doctor")).stdout).toMatch(warning);
    await json("workspaces", "add-member", id, "sue@example.com", "--role", "admin");
    expect((await run("doctor")).stdout).not.toMatch(/Admins/);
  });

  test("workspaces revoke-credentials asks first, and then leaves no key", async () => {
    const { run, json, db } = installation;
    await json("keys", "create", OTHER, "--name", "Personal");
    const asked = await run("workspaces", "revoke-credentials", "Acme");
    expect([asked.code, asked.stderr]).toEqual([expect.any(Number), expect.stringContaining("--yes")]);
    expect(asked.code).not.toBe(0);
    const revoked = await run("workspaces", "revoke-credentials", "Acme", "--yes");
    expect(revoked.stdout).toMatch(
      /^Revoked: \d+ API keys, \d+ ingest keys, 0 sessions, \d+ links, 0 connected apps, 0 public links\.\n$/,
    );
    expect(await db.$count(schema.apiKeys, isNull(schema.apiKeys.revokedAt))).toBe(0);
    expect(await db.$count(schema.ingestKeys, isNull(schema.ingestKeys.revokedAt))).toBe(0);
  });
});
