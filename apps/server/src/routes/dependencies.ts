import type { IncomingMessage } from "node:http";
import type {
  ChangeSignal,
  CredentialGuard,
  KeyNetworks,
  KeyVerification,
  Mailer,
  OidcClient,
  RequestStatistics,
  SummaryQueue,
  VisitorGuard,
  WebhookSettings,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";

/** What the route sets need of the process. */
export interface RouteDependencies {
  readonly db: Database;
  /** Verifies API keys. */
  readonly keys: KeyVerification;
  /** Wakes callers that wait for changes. */
  readonly changes: ChangeSignal;
  /** Requests per minute of a key's holder or a signed-in user. */
  readonly rateLimit: number;
  /** Ingest requests per minute of a workspace. */
  readonly ingestLimit: number;
  /** Bounds what credentials that don't exist cost. */
  readonly credentials: CredentialGuard;
  /** Counts the requests of people who are not signed in. */
  readonly visitors: VisitorGuard;
  /** Records from which networks keys are used. */
  readonly keyNetworks: KeyNetworks;
  /** Counts requests for people to read. */
  readonly requests: RequestStatistics;
  /** Origins of this installation and of pages that may use it. */
  readonly origins: readonly string[];
  /** Milliseconds until a call is answered with 503. */
  readonly deadline: number;
  readonly similarity: SimilaritySearch | undefined;
  readonly summaries: SummaryQueue;
  /** Days after its start in which a recording may be completed. */
  readonly recordingExpiryDays: number;
  readonly webhooks: WebhookSettings;
  /** Returns the origin where people reach the installation. */
  readonly publicUrl: () => string;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** The ways to sign in that are turned on. */
  readonly signIn: readonly string[];
  /** Signs people in by their company's accounts; null where that is turned off or not set up. */
  readonly oidc: OidcClient | null;
  /** Called with faults of work that no answer waits for. */
  readonly onFault: (error: unknown, request: IncomingMessage) => void;
}
