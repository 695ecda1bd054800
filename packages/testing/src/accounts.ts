import { randomBytes } from "node:crypto";
import { LIMITS, type Plan } from "@minutes/contract";
import { generateToken, hashToken, maskToken } from "@minutes/core";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { apiKeys, members, sessions, users, workspaces } = schema;

/** A user with a personal key. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly key: string;
  readonly keyId: string;
}

/** A workspace with a key, and the admin who created it. */
export interface Company {
  readonly workspaceId: string;
  readonly key: string;
  readonly keyId: string;
  readonly admin: Person;
}

type Description = Pick<Person, "email" | "name">;

/**
 * Inserts a user with a workspace of their own, a key, and a membership, by default of that workspace. Through real code,
 * which also writes the audit log, that takes up to forty statements, and most tests need several users.
 */
export async function insertPerson(
  db: Database,
  who: Description,
  where: { readonly plan?: Plan | undefined; readonly workspaceId?: string },
): Promise<Person> {
  const { person, values } = describePerson(who, where.plan);
  const { workspaceId = values.ownId } = where;
  const role = where.workspaceId === undefined ? "admin" : "member";
  await runNamedStatement(db, "test_person", insertPersonRows, { ...values, workspaceId, role });
  return person;
}

/** Inserts a workspace with a key, and an admin as `insertPerson` does. */
export async function insertCompany(
  db: Database,
  company: { readonly name: string; readonly plan: Plan },
  admin: Description,
): Promise<Company> {
  const { person, values } = describePerson(admin);
  const { key, ...row } = generateKey();
  const workspaceId = generateId("ws");
  await runNamedStatement(db, "test_company", insertCompanyRows, {
    ...{ ...values, workspaceId, role: "admin", companyName: company.name, companyPlan: company.plan },
    ...{
      companyKeyId: row.keyId,
      companyHash: row.hash,
      companyPrefix: row.prefix,
      companyEnd: row.lastFour,
    },
  });
  return { workspaceId, admin: person, key, keyId: row.keyId };
}

/** Inserts a session of a user. @returns its token */
export async function insertSession(db: Database, userId: string): Promise<string> {
  const token = generateToken("mst_");
  const values = { id: generateId("ses"), userId, hash: hashToken(token), seconds: LIMITS.sessionSeconds };
  await runNamedStatement(db, "test_session", insertSessionRow, values);
  return token;
}

const generateId = (prefix: string) => `${prefix}_${randomBytes(11).toString("hex")}`;

function generateKey() {
  const key = generateToken("jk_");
  return { keyId: generateId("key"), key, hash: hashToken(key), ...maskToken(key) };
}

function describePerson({ email, name }: Description, plan: Plan = "pro") {
  const { key, ...row } = generateKey();
  const [userId, ownId] = [generateId("usr"), generateId("ws")];
  return {
    person: { userId, email, name, key, keyId: row.keyId },
    values: { ...row, userId, email: email.toLowerCase(), name, plan, ownId, ownName: `${name}'s workspace` },
  };
}

const value = (name: string) => sql.placeholder(name);

const insertRows = () => sql`
  with person as (
    insert into ${users} (id, email, name, created_at)
    -- Not in the millisecond in which a test has them join a workspace: that would be an account created there.
    values (${value("userId")}, ${value("email")}, ${value("name")}, now() - interval '1 second')
  ), own as (
    insert into ${workspaces} (id, name, plan, owner_id)
    values (${value("ownId")}, ${value("ownName")}, ${value("plan")}, ${value("userId")})
  ), key as (
    insert into ${apiKeys} (id, kind, user_id, created_by, name, hash, prefix, last_four)
    values (${value("keyId")}, 'personal', ${value("userId")}, ${value("userId")}, 'test',
      ${value("hash")}, ${value("prefix")}, ${value("lastFour")})
  )`;

const insertMember = sql`insert into ${members} (user_id, workspace_id, role)
  values (${value("userId")}, ${value("workspaceId")}, ${value("role")})`;

const insertPersonRows = () => sql`${insertRows()} ${insertMember}`;

const insertCompanyRows = () => sql`${insertRows()}, company as (
    insert into ${workspaces} (id, name, plan)
    values (${value("workspaceId")}, ${value("companyName")}, ${value("companyPlan")})
  ), company_key as (
    insert into ${apiKeys} (id, kind, workspace_id, created_by, name, hash, prefix, last_four)
    values (${value("companyKeyId")}, 'workspace', ${value("workspaceId")}, ${value("userId")}, 'test',
      ${value("companyHash")}, ${value("companyPrefix")}, ${value("companyEnd")})
  ) ${insertMember}`;

const insertSessionRow = () => sql`insert into ${sessions} (id, user_id, kind, hash, expires_at)
  values (${value("id")}, ${value("userId")}, 'token', ${value("hash")},
    now() + make_interval(secs => ${value("seconds")}))`;
