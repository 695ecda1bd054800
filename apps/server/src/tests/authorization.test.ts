import { schema } from "@minutes/db";
import { createWebhookScene, needs, type Person, readPayload, type WebhookScene } from "@minutes/testing";
import { and, eq, gt, max, notLike, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ACCEPTED,
  type Credential,
  callAssistant,
  callWith,
  createAdminCredentials,
  createDeadCredentials,
  createPersonalCredentials,
} from "../testing/authorization/credentials.js";
import { listInputs } from "../testing/authorization/inputs.js";
import { listMountedProcedures, type MountedProcedure } from "../testing/authorization/procedures.js";
import { createTenant, TENANT_AUDIO, type Tenant } from "../testing/authorization/tenant.js";
import { startTestServer, type TestServer } from "../testing/index.js";

const { auditLog, meetingVersions } = schema;

const PROCEDURES = listMountedProcedures().map((procedure) => ({
  ...procedure,
  path: `${procedure.mount}/${procedure.name}`,
}));
type Procedure = (typeof PROCEDURES)[number];
const isApiCall = ({ mount }: MountedProcedure) => /^.(v1|rest|sync|ingest)/.test(mount);
const isPublic = ({ mount }: MountedProcedure) => mount === "/identity/v1";
const accepts = ({ mount }: MountedProcedure, { kind }: Credential) => ACCEPTED[mount]?.includes(kind);

/** A new passkey requires an authenticator that signs a challenge. */
const NOT_BY_A_CALL = ["/settings/v1/account.createPasskey"];

/** Refusals come from the same statements on each engine, and take half a minute. The permitted calls run on all. */
const ONE_ENGINE = needs("embedded");

const isApiKey = (kind: Credential["kind"]) => kind === "personal" || kind === "workspace";

let scene: WebhookScene;
let server: TestServer;
let victim: Tenant;
let stranger: Tenant;
let colleague: Person;
let left: Person;
let dead: Credential[];
beforeAll(async () => {
  scene = await createWebhookScene();
  server = await startTestServer({
    database: scene.database,
    webhooks: scene.settings,
    trustProxy: 1,
    keptAudio: TENANT_AUDIO,
  });
  victim = await createTenant(server);
  stranger = await createTenant(server);
  colleague = await server.given.member(victim.company);
  left = await server.given.member(victim.company);
  await server.given.leaves(left);
  dead = await createDeadCredentials(server, victim);
});
afterAll(async () => {
  await server?.close();
  await scene?.close();
});

/** Creates one credential of every kind, with new sessions because some calls end them. */
const createCredentials = async () => ({
  ofStranger: await createAdminCredentials(server, "a stranger", stranger.company, stranger.ingestKey),
  ofColleague: await createPersonalCredentials(server, "a colleague", colleague),
  ofFormerColleague: await createPersonalCredentials(server, "a former colleague", left),
});

/** Tables in which colleagues leave rows that name the victim: counters, and requests for access, which only the owner sees. */
const LEFT_BY_OTHERS = sql`('rate_windows', 'request_counts', 'access_requests')`;

/** Reads all rows with the victim's data, except times of credential use. */
async function readVictim(): Promise<string[]> {
  const tables = await server.db
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables where schemaname = 'public' and tablename not in ${LEFT_BY_OTHERS}`);
  const patterns = sql.join(
    victim.ids.map((id) => sql`${`%${id}%`}`),
    sql`, `,
  );
  // Only rows that are found become JSON, which takes as long as comparing them.
  const rows = tables.map(
    ({ name }) => sql`select to_jsonb(r) - 'last_used_at' as row from ${sql.identifier(name)} r
      where r::text like any (array[${patterns}])`,
  );
  const found = await server.db
    .select({ row: sql<string>`row::text` })
    .from(sql`(${sql.join(rows, sql` union all `)}) rows`)
    // A failed sign-in changes only the audit log. A request for access has its entry there.
    .where(sql`coalesce(row->>'action', '') not in ('session.fail', 'meeting.ask')`);
  return found.map(({ row }) => row).toSorted();
}

test("every route set declares the credentials it accepts", () => {
  for (const { mount } of PROCEDURES) expect(Object.keys(ACCEPTED)).toContain(mount);
  expect(PROCEDURES.length).toBeGreaterThan(100);
});

describe("401 or 403: a credential that is not for the route set", ONE_ENGINE, () => {
  let ofStranger: Credential[];
  beforeAll(async () => {
    ({ ofStranger } = await createCredentials());
  });

  /**
   * Returns the dead credentials that a procedure is called with: none, and three others in turn. Every route set, which
   * reads them before it knows the procedure, gets all.
   */
  function chooseDead(procedure: Procedure): Credential[] {
    const siblings = PROCEDURES.filter(({ mount }) => mount === procedure.mount);
    const [none, ...others] = dead;
    const share = Math.max(3, Math.ceil(others.length / siblings.length));
    const from = siblings.indexOf(procedure) * share;
    const turn = others.map((_, at) => others[(from + at) % others.length]);
    return [none, ...turn.slice(0, share)].filter((one) => one !== undefined);
  }

  test.each(PROCEDURES.filter((procedure) => !isPublic(procedure)))("$path", async (procedure) => {
    const others = [...ofStranger.filter((one) => !accepts(procedure, one)), ...chooseDead(procedure)];
    expect(others.length).toBeGreaterThan(4);
    const [input = {}] = listInputs(procedure, victim.foreign);
    for (const credential of others) {
      const { status, text } = await callWith(server, procedure, credential, input);
      expect([401, 403], `${credential.name}: ${status} ${text}`).toContain(status);
      if (dead.includes(credential)) expect([credential.name, status]).toEqual([credential.name, 401]);
    }
  });
});

describe("/mcp", () => {
  const askAssistant = ({ text }: Credential, method: string, params: object) =>
    callAssistant(server, text, method, params);

  test("401 or 403: a credential that is not an API key", async () => {
    const { ofStranger, ofColleague } = await createCredentials();
    const others = [...ofStranger, ...ofColleague, ...dead].filter(({ kind }) => !isApiKey(kind));
    expect(others.length).toBeGreaterThan(dead.length);
    for (const credential of others) {
      const { status, text } = await askAssistant(credential, "tools/list", {});
      expect([401, 403], `${credential.name}: ${status} ${text}`).toContain(status);
    }
  });

  test("others' ids: no tool shows anything, and nothing changes", async () => {
    const company = await server.given.company();
    const ofStranger = await createAdminCredentials(server, "a stranger", company, stranger.ingestKey);
    const member = await server.given.member(victim.company);
    const ofColleague = await createPersonalCredentials(server, "a colleague", member);
    const before = await readVictim();
    const called = new Set<string>();
    for (const credential of [...ofStranger, ...ofColleague].filter(({ kind }) => isApiKey(kind))) {
      const { status, text: listed } = await askAssistant(credential, "tools/list", {});
      expect(status, `${credential.name}: ${listed}`).toBe(200);
      const { tools } = JSON.parse(listed).result as {
        tools: { name: string; inputSchema: { properties?: object } }[];
      };
      for (const { name, inputSchema } of tools) {
        const fields = Object.keys(inputSchema.properties ?? {});
        const values = (field: string) => victim.foreign[field === "id" ? "meetingId" : field] ?? [];
        for (const field of fields.filter((one) => one !== "meetings" && values(one).length > 0)) {
          for (const value of values(field)) {
            const { text } = await askAssistant(credential, "tools/call", {
              name,
              arguments: { [field]: value },
            });
            called.add(name);
            expect(text, `${credential.name}: ${name} with ${field}`).not.toContain(victim.canary);
          }
        }
      }
    }
    expect(called.size).toBeGreaterThan(8);
    expect(await readVictim()).toEqual(before);
  });
});

describe("others' ids: nothing is shown, and nothing changes", { ...ONE_ENGINE, shuffle: false }, () => {
  let before: string[];
  let credentials: Awaited<ReturnType<typeof createCredentials>>;
  /** Writes since the victim's rows were last compared, which takes longer than a write's calls. */
  const unchecked: string[] = [];
  const requireUnchanged = async () =>
    expect(await readVictim(), `after ${unchecked.splice(0).join(", ")}`).toEqual(before);
  beforeAll(async () => {
    before = await readVictim();
    expect(before.length).toBeGreaterThan(20);
    credentials = await createCredentials();
  });
  // Reads first: strangers' own lists later show the addresses that their writes named, such as those of invitations.
  const readsFirst = PROCEDURES.toSorted((a, b) => Number(a.isWrite) - Number(b.isWrite));
  test.each(readsFirst)("$path", async (procedure) => {
    const { ofStranger, ofColleague, ofFormerColleague } = credentials;
    // A session is the same caller as a browser, once it has entered a route set.
    const callers = [
      ofStranger.filter(({ kind }) => kind !== "browser"),
      ofColleague.filter(({ kind }) => kind !== "session"),
      ofFormerColleague.filter(({ kind }) => kind !== "browser"),
    ].flatMap((own) => {
      const accepted = own.filter((one) => accepts(procedure, one));
      // Sign-in doesn't look at credentials, and hashing a password takes as long as a hundred calls.
      return isPublic(procedure) ? accepted.slice(0, 1) : accepted;
    });
    expect(callers.length).toBeGreaterThan(0);
    for (const input of listInputs(procedure, victim.foreign)) {
      for (const caller of callers) {
        const { status, text } = await callWith(server, procedure, caller, input);
        const said = `${caller.name} with ${JSON.stringify(input)}: ${status} ${text}`;
        // A 400 would say nothing about access, except for a cursor, which is refused as another caller's.
        if (!("cursor" in input) && !isPublic(procedure) && !NOT_BY_A_CALL.includes(procedure.path))
          expect([200, 401, 403, 404, 409], said).toContain(status);
        expect(text, said).not.toContain(victim.canary);
        if (!ofColleague.includes(caller)) {
          const sent = JSON.stringify(input);
          for (const secret of [
            victim.anna.email,
            victim.anna.userId,
            victim.company.admin.email,
            victim.companyName,
          ])
            if (!sent.includes(secret)) expect(text, said).not.toContain(secret);
        }
      }
    }
    // A read that changes something fails a later write's test, or the last one.
    if (!procedure.isWrite) return;
    if (unchecked.push(procedure.path) === 10) await requireUnchanged();
    // Some calls end the caller's own sessions.
    if (!isApiCall(procedure)) credentials = await createCredentials();
  });
  test("after all calls nothing has changed", requireUnchanged);
});

describe("403: a read-only key", ONE_ENGINE, () => {
  const keys: Record<string, string> = {};
  let before: string[];
  beforeAll(async () => {
    for (const [mount, kind] of [
      ["me", "personal"],
      ["workspace", "workspace"],
    ] as const) {
      const holder = await server.given.session(kind === "personal" ? victim.anna : victim.company.admin);
      const key = { kind, name: "Reader", access: "read" };
      keys[mount] = readPayload<{ key: string }>(await server.call(holder, "settings/keys.create", key)).key;
    }
    before = await readVictim();
  });
  test.each(PROCEDURES.filter(({ isWrite, mount }) => isWrite && /\/(me|workspace)$/.test(mount)))(
    "$path",
    async (procedure) => {
      const text = keys[procedure.mount.endsWith("/me") ? "me" : "workspace"] ?? "";
      for (const input of listInputs(procedure, victim.foreign)) {
        const { status, body } = await callWith(server, procedure, { kind: "personal", text }, input);
        expect([status, body]).toEqual([403, { error: "This API key is read-only." }]);
      }
    },
  );
  test("after all calls nothing has changed", async () => {
    expect(await readVictim()).toEqual(before);
  });
});

/** Lists the audit log's entries after one, without first uses of a key, which are recorded later. */
const listAuditedAfter = (id: number) =>
  server.db
    .select({ actor: auditLog.actor, action: auditLog.action })
    .from(auditLog)
    .where(and(gt(auditLog.id, id), notLike(auditLog.action, "%.new-network")));

/** Writes of the settings without an entry: of no lasting effect, or because the tenant's object is already so. */
const NOT_AUDITED = [
  "/settings/v1/accessRequests.create",
  "/settings/v1/accessRequests.dismiss",
  "/settings/v1/account.createPasskeyOptions",
  "/settings/v1/digests.update",
  "/settings/v1/publicLinks.allow",
  "/settings/v1/retention.hold",
  "/settings/v1/vocabulary.add",
  "/settings/v1/webhooks.test",
];

describe("200: the same calls work for permitted callers, who are the actors in the audit log", () => {
  /** The tenant of most calls: a new one takes longer than all calls of a procedure. */
  let shared: Tenant;
  beforeAll(async () => {
    shared = await createTenant(server);
  });

  const credentials = new Map<Tenant, Credential[]>();

  /** Returns the credentials of a tenant's owner and admin: new ones after a write of the settings, since some end sessions. */
  async function takeCredentials(tenant: Tenant, procedure: Procedure): Promise<Credential[]> {
    const taken = credentials.get(tenant) ?? [
      ...(await createPersonalCredentials(server, "the owner", tenant.anna)),
      ...(await createAdminCredentials(server, "the admin", tenant.company, tenant.ingestKey)),
    ];
    if (procedure.isWrite && !isApiCall(procedure)) credentials.delete(tenant);
    else credentials.set(tenant, taken);
    return taken;
  }

  /** Returns the version of the tenant's meeting, on which an edit must be based. */
  async function readVersion({ foreign }: Tenant): Promise<number> {
    const [row] = await server.db
      .select({ version: max(meetingVersions.version) })
      .from(meetingVersions)
      .where(eq(meetingVersions.meetingId, String(foreign.meetingId?.[0])));
    return row?.version ?? 1;
  }

  /**
   * Calls a procedure until it has worked.
   * @param isUsed true for a tenant whose objects earlier calls may have left with nothing to do
   * @returns the answers if it has not worked, otherwise null
   */
  async function callAs(tenant: Tenant, procedure: Procedure, isUsed: boolean): Promise<string[] | null> {
    const { mount, isWrite, path } = procedure;
    const callers = (await takeCredentials(tenant, procedure)).filter((one) => accepts(procedure, one));
    const answers: string[] = [];
    for (const input of listInputs(procedure, {
      ...tenant.foreign,
      baseVersion: [await readVersion(tenant)],
    })) {
      for (const caller of callers) {
        const [newest] = await server.db.select({ id: max(auditLog.id) }).from(auditLog);
        const { status, text } = await callWith(server, procedure, caller, input);
        const audited = await listAuditedAfter(newest?.id ?? 0);
        for (const { actor, action } of audited)
          expect(actor, `${caller.name}: ${action}`).toBe(caller.actor);
        const mustAudit =
          status === 200 && isWrite && mount === "/settings/v1" && !NOT_AUDITED.includes(path);
        if (isUsed && (status === 409 || (mustAudit && audited.length === 0))) return answers;
        if (mustAudit) expect(audited, `${caller.name}: no entry in the audit log`).not.toEqual([]);
        // 409 reveals an object's state to those who can access it.
        if ([200, 302, 409].includes(status)) return null;
        answers.push(`${caller.name} with ${JSON.stringify(input)}: ${status} ${text}`);
      }
    }
    return answers;
  }

  test.each(
    PROCEDURES.filter((procedure) => !isPublic(procedure) && !NOT_BY_A_CALL.includes(procedure.path)),
  )("$path", async (procedure) => {
    if (procedure.isWrite) {
      if ((await callAs(shared, procedure, true)) === null) return;
      shared = await createTenant(server);
    }
    expect(await callAs(procedure.isWrite ? shared : victim, procedure, false)).toBeNull();
  });
});
