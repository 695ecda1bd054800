/** A user who calls with a personal key. */
export interface PersonalCaller {
  readonly kind: "personal";
  readonly userId: string;
  readonly keyId: string;
}

/** A workspace's program, which calls with a workspace key. */
export interface WorkspaceCaller {
  readonly kind: "workspace";
  readonly workspaceId: string;
  readonly keyId: string;
}

/** Whoever calls `/v1` with an API key. */
export type Caller = PersonalCaller | WorkspaceCaller;
