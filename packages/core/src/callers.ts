/** How a caller proved who they are: by a key or the grant of a connected app, by a session, or as the operator who acts for them. */
export type Credential =
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

/** The operator at the command line, who can do everything. */
export interface OperatorCaller {
  readonly kind: "operator";
}

/** A caller who reads meetings. */
export type Caller = UserCaller | WorkspaceCaller;

/** Returns the name of a caller in the audit log: the key, the user, or `operator`. */
export function actorOf(caller: Caller | RecorderCaller | OperatorCaller): string {
  if (caller.kind === "operator" || caller.via.kind === "operator") return "operator";
  if (caller.via.kind === "key") return caller.via.keyId;
  return caller.kind === "user" ? caller.userId : caller.workspaceId;
}

/** Returns the author of an edit in a meeting's versions: a user, not one of their keys; the key of a workspace or recorder. */
export const authorOf = (caller: Caller | RecorderCaller | OperatorCaller): string =>
  caller.kind === "user" && caller.via.kind !== "operator" ? caller.userId : actorOf(caller);
