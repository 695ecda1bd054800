import { MESSAGES } from "@minutes/contract";
import {
  type ActingAs,
  type Context,
  createActAs,
  createProcedureBuilders,
  findUserByEmailOrId,
  OPERATOR,
  RequestStatistics,
} from "@minutes/core";
import { z } from "zod";
import type { OpenDatabase } from "../../operations/installation.js";
import type { ReloadableSearch } from "../../search/reloadable-search.js";

/** Context of every operator procedure. Its caller is the operator, who can do everything. */
export interface OperatorContext extends Omit<OpenDatabase, "connection" | "lock" | "close"> {
  /** URL at which this process serves the API; absent in a command. */
  readonly url?: string;
  /** Search of the server in this process; absent in a command. */
  readonly search?: ReloadableSearch;
}

/** Builds procedures for the operator's command line only. */
export const { procedure: operatorProcedure, router: createOperatorRouter } =
  createProcedureBuilders<OperatorContext>();

/** Adds to the operator's context what operations need that others call, too. */
export const toCallContext = (context: OperatorContext, as: ActingAs = {}): OperatorContext & Context => ({
  ...context,
  caller: OPERATOR,
  services: {
    webhooks: context.webhooks,
    requests: new RequestStatistics(context.db),
    publicUrl: () => context.publicUrl.get(),
    mailer: context.mailer,
    ...{ signIn: [], oidc: null, sampleEmail: () => null, command: "" },
    summaries: context.summaries,
    // Recorders call with keys of their own.
    ...{ recordingDays: 0, uploadedAudio: { refusal: MESSAGES.noTranscriber } },
    keptAudio: null,
  },
  actAs: createActAs(as),
});

/** Identifies a user by e-mail address or id. */
export const UserRef = z.strictObject({ user: z.string().min(1) });

/**
 * Builds procedures for the user in the input, and adds that user to the context.
 * @throws ApiError 404 for an unknown user
 */
export const userProcedure = operatorProcedure
  .input(z.object({ user: z.string() }))
  .use(async ({ ctx, input, next }) =>
    next({ ctx: { user: await findUserByEmailOrId(ctx.db, input.user) } }),
  );
