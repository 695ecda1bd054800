/** A user who calls with a personal key. */
export interface PersonalCaller {
  readonly kind: "personal";
  readonly userId: string;
  readonly keyId: string;
}

/** A workspace, calling with a workspace key. */
export interface WorkspaceCaller {
  readonly kind: "workspace";
  readonly workspaceId: string;
  readonly keyId: string;
}

/** The caller of `/v1`, identified by an API key. */
export type Caller = PersonalCaller | WorkspaceCaller;
