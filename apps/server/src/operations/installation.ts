import type { AnswerModel, Mailer, OperatorCaller, SummaryQueue, WebhookServices } from "@minutes/core";
import type { Connection, Database, DataDirLock, EngineEvent, MovedError } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import type { PublicUrl } from "../config/public-url.js";
import type { OnlineBackups } from "./backup/online-backup.js";

export interface OpenOptions {
  /** Server-side timeout of a PostgreSQL statement, in ms. */
  readonly statementTimeout?: number;
  readonly poolSize?: number;
  /** False skips migrations. */
  readonly migrate?: boolean;
  /** Called with a sentence when a migration of PostgreSQL waits for other sessions. */
  readonly onWait?: (note: string) => void;
  /** Called when the embedded engine aborts, and when it works again. */
  readonly onEvent?: (event: EngineEvent) => void;
  /** Called with the loggable reason of each e-mail that the mail server didn't take. */
  readonly onMailFault?: (fault: string | null) => void;
}

/** Maintenance of the embedded database. */
export interface Maintenance {
  /** Maintains the changed tables now, for a command that is about to exit. */
  run(): Promise<void>;
  /**
   * Removes deleted data from the files now instead of within an hour.
   * @returns false if a backup needs the log, or a statement failed; the next sweep does it then
   */
  sweep(): Promise<boolean>;
  /** Stops; resolves when the current table is done. */
  stop(): Promise<void>;
}

/** The installation's database, open in this process. Its caller is the operator, who may do everything. */
export interface OpenDatabase {
  readonly db: Database;
  readonly caller: OperatorCaller;
  readonly connection: Connection;
  readonly webhooks: WebhookServices;
  /** Directory of the embedded database and of the sample's keys; null on PostgreSQL. */
  readonly dataDir: string | null;
  /** Null on PostgreSQL, which has its own backup tools. */
  readonly backups: OnlineBackups | null;
  /** Maintenance of the embedded database; null on PostgreSQL, which maintains itself. */
  readonly maintenance: Maintenance | null;
  readonly publicUrl: PublicUrl;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** Where recordings wait for the summary that a server writes. */
  readonly summaries: SummaryQueue;
  /** The model that writes answers; undefined if none does. */
  readonly model?: AnswerModel | undefined;
  readonly embeddings: {
    /** The configured model; null if the database decides. */
    readonly setting: string | null;
    /** Returns true if a model can be used on this machine. */
    readonly isReady: (model: string) => Promise<boolean>;
    /** Loads the search model, if no server in this process has one. */
    readonly load: () => Promise<SimilaritySearch>;
  };
  /** Why nothing is written here: the installation was moved. Absent otherwise. */
  readonly moved?: MovedError;
  /** Held while the embedded database is open; null on PostgreSQL. */
  readonly lock: DataDirLock | null;
  /** Closes the database, then releases its directory. */
  close(): Promise<void>;
}
