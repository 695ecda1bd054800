import { Email } from "@minutes/contract";
import { createProcedureBuilders, findUser, type ManagementContext } from "@minutes/core";
import type { SimilaritySearch } from "@minutes/search";
import { z } from "zod";
import type { OnlineBackups } from "../backup/online-backup.js";
import { syncSample } from "../demo/keys-file.js";
import type { PublicUrl } from "../public-url.js";
import type { SwitchableSearch } from "../switchable-search.js";

/** What every operator procedure receives. Its actor is the operator, who may do everything. */
export interface OperatorContext extends ManagementContext {
  /** Directory of the embedded database and of the sample's keys; null on PostgreSQL. */
  readonly dataDir: string | null;
  /** Null on PostgreSQL, which is backed up by its own tools. */
  readonly backups: OnlineBackups | null;
  /** Port that this process answers the API on; absent in a command, which answers nobody. */
  readonly port?: number;
  readonly publicUrl: PublicUrl;
  readonly embeddings: {
    /** What the settings say of the model; null where the database decides. */
    readonly setting: string | null;
    /** True when a model can be used on this machine. */
    readonly isReady: (model: string) => Promise<boolean>;
    /** Loads the model that searches go by, where no server in this process has one. */
    readonly load: () => Promise<SimilaritySearch>;
  };
  /** Search of the server in this process; absent in a command. */
  readonly search?: SwitchableSearch;
}

/** Builds the procedures that only the operator's command line reaches. */
export const { procedure: operatorProcedure, router: createOperatorRouter } =
  createProcedureBuilders<OperatorContext>();

/** Names a user by e-mail address. */
export const UserRef = z.strictObject({ email: Email });

/**
 * Builds procedures about the user whose e-mail address is in the input, and adds that user to the context.
 * @throws ApiError 404 for an unknown address.
 */
export const userProcedure = operatorProcedure
  .input(z.object({ email: Email }))
  .use(async ({ ctx, input, next }) => next({ ctx: { user: await findUser(ctx.db, input.email) } }));

/** Builds procedures that can end one of the sample's keys: its file is brought up to date after each call. */
export const sampleProcedure = operatorProcedure.use(async ({ ctx, next }) => {
  const result = await next();
  await syncSample(ctx.db, ctx.dataDir);
  return result;
});
