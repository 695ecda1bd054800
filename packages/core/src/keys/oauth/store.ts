/** What the OAuth library keeps about an object: the fields that this code reads, and others. */
export interface OAuthPayload {
  readonly jti?: string;
  readonly grantId?: string;
  readonly scope?: string;
  readonly result?: { readonly consent?: { readonly grantId?: string } };
  readonly [other: string]: unknown;
}

/** The library's interface to a database, without the parts for features that are off. */
export interface OAuthAdapter {
  upsert(id: string, payload: OAuthPayload, seconds: number): Promise<void>;
  find(id: string): Promise<OAuthPayload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}
