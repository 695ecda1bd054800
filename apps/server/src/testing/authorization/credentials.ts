import { createSession, disableKey, generateToken, OPERATOR, revokeKey } from "@minutes/core";
import {
  type Answer,
  type Company,
  createPersonalKey,
  createWorkspaceKey,
  type Person,
  type ResourceRequest,
  send,
  toResourceRequest,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { TestServer } from "../index.js";
import type { MountedProcedure } from "./procedures.js";
import type { Tenant } from "./tenant.js";

/** The kind of a credential. A session's token is sent in a header, a browser's in a cookie. */
export type CredentialKind = "personal" | "workspace" | "ingest" | "session" | "browser" | "none";

export interface Credential {
  readonly name: string;
  readonly kind: CredentialKind;
  readonly text: string | null;
  /** Who its calls name as their actor in the audit log: the user, or the key. Absent if they have no entries. */
  readonly actor?: string;
}

/** The kinds that each route set accepts. `/identity/v1` is for people who are not signed in. */
export const ACCEPTED: Readonly<Record<string, readonly CredentialKind[]>> = {
  "/v1/me": ["personal"],
  "/v1/workspace": ["workspace"],
  "/rest/v1/me": ["personal"],
  "/rest/v1/workspace": ["workspace"],
  "/rest/v1/me/changes": ["personal"],
  "/rest/v1/workspace/changes": ["workspace"],
  "/rest/v1/recordings": ["ingest"],
  "/rest/v1/import": ["ingest"],
  "/rest/v1/transcriptions": ["ingest"],
  "/rest/v1/keys": ["session"],
  "/rest/v1/retention": ["session"],
  "/rest/v1/webhooks": ["session"],
  "/sync/v1/me": ["personal"],
  "/sync/v1/workspace": ["workspace"],
  "/ingest/v1": ["ingest"],
  "/settings/v1": ["session", "browser"],
  "/console/v1": ["session", "browser"],
  "/console/v1/feed": ["session", "browser"],
  "/upload/v1": ["session", "browser"],
  "/identity/v1": ["personal", "workspace", "ingest", "session", "browser", "none"],
};

/** Creates a person's own credentials: their key, and new sessions. */
export async function createPersonalCredentials(
  { db }: TestServer,
  name: string,
  { key, keyId, userId }: Person,
): Promise<Credential[]> {
  return [
    { name: `${name}'s key`, kind: "personal", text: key, actor: keyId },
    {
      ...{ name: `${name}'s session`, kind: "session", actor: userId },
      text: (await createSession(db, userId, "token")).token,
    },
    {
      ...{ name: `${name}'s browser`, kind: "browser", actor: userId },
      text: (await createSession(db, userId, "browser")).token,
    },
  ];
}

/** Creates credentials of every kind for a company's admin. */
export const createAdminCredentials = async (
  server: TestServer,
  name: string,
  company: Company,
  ingestKey: string,
): Promise<Credential[]> => [
  ...(await createPersonalCredentials(server, name, company.admin)),
  { name: `${name}'s workspace key`, kind: "workspace", text: company.key, actor: company.keyId },
  { name: `${name}'s recorder`, kind: "ingest", text: ingestKey },
];

/** Creates credentials without access: none, made up, disabled, revoked, expired, ended. */
export async function createDeadCredentials(
  { db, given }: TestServer,
  { company }: Tenant,
): Promise<Credential[]> {
  const dead: Credential[] = [
    { name: "no credential", kind: "none", text: null },
    { name: "an empty one", kind: "none", text: "" },
    ...(["jk_", "ik_", "mst_"] as const).map((prefix) => {
      return { name: `a made-up ${prefix}`, kind: "none", text: generateToken(prefix) } as const;
    }),
  ];
  const person = await given.member(company);
  const later = { expiresAt: "2999-01-01T00:00:00.000Z" };
  for (const state of ["disabled", "revoked", "expired"] as const) {
    const keys = [
      await createPersonalKey(db, person.userId, state, later),
      await createWorkspaceKey(db, company.admin.userId, state, later),
    ];
    for (const { id, key } of keys) {
      if (state === "disabled") await disableKey(db, OPERATOR, id);
      else if (state === "revoked") await revokeKey(db, OPERATOR, id);
      else await db.execute(sql`update api_keys set expires_at = now() - interval '1 day' where id = ${id}`);
      dead.push({ name: `a key that is ${state}`, kind: "none", text: key });
    }
    if (state === "disabled") await revokeKey(db, OPERATOR, keys[0]?.id ?? "");
  }
  for (const kind of ["token", "browser"] as const) {
    const { id, token } = await createSession(db, person.userId, kind);
    await db.execute(sql`update sessions set expires_at = now() - interval '1 day' where id = ${id}`);
    dead.push({ name: "a session that has ended", kind: "none", text: token });
  }
  return dead;
}

let calls = 0;

/** Returns the header of a new address: failed authentications and visitors are counted by address. */
function nextAddress() {
  calls += 1;
  return { "x-forwarded-for": `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}` };
}

/** Sends a message of the Model Context Protocol with a credential in every supported place. */
export const callAssistant = (
  { url }: TestServer,
  credential: string | null,
  method: string,
  params: object,
): Promise<Answer> =>
  send(url, "/mcp", {
    method: "POST",
    headers: {
      ...nextAddress(),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(credential !== null
        ? { "x-api-key": credential, authorization: `Bearer ${credential}`, cookie: `minutes=${credential}` }
        : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

/** Calls a procedure with a credential in every supported place. */
export function callWith(
  { url }: TestServer,
  { mount, name, isWrite, resource }: MountedProcedure,
  { kind, text }: Pick<Credential, "kind" | "text">,
  input: object,
): Promise<Answer> {
  const { path, method, body } = resource
    ? toResourceRequest(resource, input as Record<string, unknown>)
    : toEnvelopeRequest(name, isWrite, input);
  const headers = {
    ...nextAddress(),
    "sec-fetch-site": "same-origin",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(text !== null && kind !== "browser" ? { "x-api-key": text, authorization: `Bearer ${text}` } : {}),
    ...(text !== null ? { cookie: `minutes=${text}` } : {}),
  };
  return send(url, `${mount}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

function toEnvelopeRequest(name: string, isWrite: boolean, input: object): ResourceRequest {
  const body = JSON.stringify({ json: input });
  return isWrite
    ? { path: `/${name}`, method: "POST", body }
    : { path: `/${name}?input=${encodeURIComponent(body)}`, method: "GET" };
}
