import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import { initTRPC } from "@trpc/server";
import superjson from "superjson";
import type { IngestCaller, PersonalCaller, WorkspaceCaller } from "../keys/index.js";
import type { SignedInUser } from "../sessions/index.js";
import type { WebhookSettings } from "../webhooks/index.js";

/** What every procedure of a personal key's routes is given. */
export interface PersonalContext {
  readonly db: Database;
  /** Search by similarity; undefined where search goes by words alone. */
  readonly similarity?: SimilaritySearch | undefined;
  readonly caller: PersonalCaller;
}

/** What every procedure of a workspace key's routes is given. */
export interface WorkspaceContext {
  readonly db: Database;
  readonly caller: WorkspaceCaller;
}

/** What every procedure of a recorder's routes is given. */
export interface IngestContext {
  readonly db: Database;
  readonly caller: IngestCaller;
  readonly summaries: Summaries;
}

/** How a completed recording that comes without a summary gets one. */
export interface Summaries {
  /** False: it stays without. */
  readonly enabled: boolean;
  /** Says that a recording waits to be processed. */
  wake(): void;
}

/** What every procedure of the settings side is given. */
export interface SettingsContext {
  readonly db: Database;
  readonly user: SignedInUser;
  readonly webhooks: WebhookSettings;
}

// superjson is declared for the clients' sake: stock ones then wrap their input in `{"json": …}`. Our own
// handler reads and writes the envelope (envelope.ts), and never lets superjson interpret what was sent.
const forPersonal = initTRPC.context<PersonalContext>().create({ transformer: superjson });
const forWorkspace = initTRPC.context<WorkspaceContext>().create({ transformer: superjson });

/** A procedure that only a personal key reaches. */
export const personal = forPersonal.procedure;
export const personalRouter = forPersonal.router;

/** A procedure that only a workspace key reaches. */
export const company = forWorkspace.procedure;
export const companyRouter = forWorkspace.router;

const forIngest = initTRPC.context<IngestContext>().create({ transformer: superjson });
const forSettings = initTRPC.context<SettingsContext>().create({ transformer: superjson });

/** A procedure that only an ingest credential reaches. */
export const ingest = forIngest.procedure;
export const ingestRoutes = forIngest.router;

/** A procedure that only a signed-in user reaches. */
export const signedIn = forSettings.procedure;
export const settingsRoutes = forSettings.router;
