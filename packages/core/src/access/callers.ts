import type { OperatorAccess } from "@minutes/contract";
import type { Database } from "@minutes/db";

/** How a caller proved who they are: by a key or the grant of a connected app, by a session, or as the operator who acts for them. */
type Credential =
  | { readonly kind: "key"; readonly keyId: string }
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "operator" };

/** A user, with the workspace that they are a member of. */
export interface UserCaller {
  readonly kind: "user";
  readonly userId: string;
  readonly workspaceId: string;
  readonly via: Credential;
}

/** A workspace, which reads and changes the meetings of all members. */
export interface WorkspaceCaller {
  readonly kind: "workspace";
  readonly workspaceId: string;
  readonly via: Credential;
}

/** A recorder or importer of a workspace, which only sends meetings. */
export interface RecorderCaller {
  readonly kind: "recorder";
  readonly workspaceId: string;
  readonly via: Credential;
}

/** A browser from which somebody signs in. */
export interface Visitor {
  /** Network address, from `toAddressKey`. */
  readonly address: string;
  /** Deadline by `performance.now()`, after which the caller has already been answered with 503. */
  readonly answerBy: number;
  /** For the audit log, from `toNetwork`; null if unknown. */
  readonly network: string | null;
  /** Name by which the user later recognizes the session, such as the browser. */
  readonly label: string | null;
  /** The known-browser cookie; undefined if there is none. */
  readonly browserToken: string | undefined;
}

/** Somebody who needs no credential: they sign in, or accept an invitation. */
export interface VisitorCaller extends Visitor {
  readonly kind: "visitor";
  /** The browser's session cookie; undefined if it has none. */
  readonly sessionToken: string | undefined;
  /** Sets the session cookie; null removes it. */
  readonly setSession: (session: { readonly token: string; readonly seconds: number } | null) => void;
  /** Sets the cookie that makes the browser known. It outlasts the session. */
  readonly setBrowser: (token: string) => void;
  /** Called with faults of background work. */
  readonly onFault: (error: unknown) => void;
}

/** The operator at the command line, who can do everything. */
export interface OperatorCaller {
  readonly kind: "operator";
}

/** A caller who reads meetings. */
export type Caller = UserCaller | WorkspaceCaller;

/** Anybody who calls an operation. */
export type AnyCaller = Caller | RecorderCaller | OperatorCaller;

/** Who manages what users own: a user, or the operator, who can manage everything. */
export type Manager = UserCaller | OperatorCaller;

/** Returns a user as the caller that the operator acts as. */
export const toActingUser = ({
  userId,
  workspaceId,
}: Pick<UserCaller, "userId" | "workspaceId">): UserCaller => ({
  kind: "user",
  userId,
  workspaceId,
  via: { kind: "operator" },
});

/** Returns the session of a signed-in user; for other credentials a text that is no session's ID. */
export const getSessionId = ({ via }: UserCaller): string => (via.kind === "session" ? via.sessionId : "");

/** Returns the name of a caller in the audit log: the key, the user, or `operator`. */
export function actorOf(caller: AnyCaller): string {
  if (caller.kind === "operator" || caller.via.kind === "operator") return "operator";
  if (caller.via.kind === "key") return caller.via.keyId;
  return caller.kind === "user" ? caller.userId : caller.workspaceId;
}

/** Returns the author of an edit in a meeting's versions: a user, not one of their keys; the key of a workspace or recorder. */
export const authorOf = (caller: AnyCaller): string =>
  caller.kind === "user" && caller.via.kind !== "operator" ? caller.userId : actorOf(caller);

/**
 * Finds the caller that the operator acts as: the one that they named, or the owner of an object.
 * @throws ApiError 400 if they named none, 404
 */
export type ActAs = (
  db: Database,
  owned: { readonly field: NonNullable<OperatorAccess["ownerOf"]>; readonly id: string } | null,
) => Promise<Caller>;
