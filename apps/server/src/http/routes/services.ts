import type { IncomingMessage } from "node:http";
import type { ThreadOptions } from "@minutes/background";
import type {
  AnswerModel,
  ChangeSignal,
  ClientDocuments,
  CredentialGuard,
  KeyNetworks,
  KeyVerification,
  Mailer,
  OidcClient,
  RequestStatistics,
  SummaryQueue,
  VisitorGuard,
  WebhookServices,
} from "@minutes/core";
import type { KeptAudioStore } from "@minutes/core/kept-audio";
import type { NoAudio, UploadedAudio } from "@minutes/core/transcriptions";
import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";

/** The process-wide dependencies of the route sets. */
export interface AppServices {
  readonly db: Database;
  /** Verifies API keys. */
  readonly keys: KeyVerification;
  /** Wakes callers that wait for changes. */
  readonly changes: ChangeSignal;
  /** Requests per minute of a key holder or signed-in user. */
  readonly rateLimit: number;
  /** Ingest requests per minute of a workspace. */
  readonly ingestLimit: number;
  /** Bounds the cost of invalid credentials. */
  readonly credentials: CredentialGuard;
  /** Counts unauthenticated requests. */
  readonly visitors: VisitorGuard;
  /** Records the networks from which keys are used. */
  readonly keyNetworks: KeyNetworks;
  /** Counts requests for display. */
  readonly requests: RequestStatistics;
  /** Origins of this installation and of pages that can use it. */
  readonly origins: readonly string[];
  /** Deadline of a call in ms, after which it is answered with 503. */
  readonly deadline: number;
  readonly similarity: SimilaritySearch | undefined;
  /** Writes answers to questions; undefined if none is configured. */
  readonly model: AnswerModel | undefined;
  readonly summaries: SummaryQueue;
  readonly uploadedAudio: UploadedAudio | NoAudio;
  /** Null: this process has no audio. */
  readonly keptAudio: KeptAudioStore | null;
  /** What parsing an uploaded file may use; undefined for the usual limits. */
  readonly uploadLimits: Pick<ThreadOptions, "deadline" | "memory"> | undefined;
  /** Days within which a recording can be completed, counted from its start. */
  readonly recordingDays: number;
  readonly webhooks: WebhookServices;
  /** Returns the installation's public origin. */
  readonly publicUrl: () => string;
  /** Returns the e-mail address of the sample's user; null without the sample. */
  readonly sampleEmail: () => string | null;
  /** Runs `minutes` on this installation. */
  readonly command: string;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** The enabled sign-in methods. */
  readonly signIn: readonly string[];
  /** Signs people in with company accounts; null if turned off or not configured. */
  readonly oidc: OidcClient | null;
  /** True if assistants can sign in with OAuth. */
  readonly oauth: boolean;
  /** Reads the documents in which apps describe themselves. */
  readonly clientDocuments: ClientDocuments;
  /** Called with faults of background work. */
  readonly onFault: (error: unknown, request: IncomingMessage) => void;
}
