import type { Database } from "@minutes/db";
import { initTRPC } from "@trpc/server";
import superjson from "superjson";
import type { PersonalCaller, WorkspaceCaller } from "../keys/index.js";
import type { Semantics } from "../search/index.js";

/** What every procedure of a personal key's routes is given. */
export interface PersonalContext {
  readonly db: Database;
  /** What search knows beyond words; undefined where it knows nothing. */
  readonly semantics?: Semantics | undefined;
  readonly caller: PersonalCaller;
}

/** What every procedure of a workspace key's routes is given. */
export interface WorkspaceContext {
  readonly db: Database;
  readonly caller: WorkspaceCaller;
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
