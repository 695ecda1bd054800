import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import type { RequestStatistics } from "../api/rate-limit/index.js";
import { listAudit } from "./audit-log/list.js";
import { getCaller } from "./get-caller.js";
import {
  createInstruction,
  deleteInstruction,
  showInstructions,
  updateInstruction,
} from "./instructions/index.js";
import { getUsage } from "./plans/index.js";
import { listUsage } from "./usage.js";
import { createUserIn, getUser, listUsers, updateUser } from "./users.js";
import { addTerm, listVocabulary, removeTerm } from "./vocabulary/vocabulary.js";
import { createWorkspace, getWorkspace, listWorkspaces, updateWorkspace } from "./workspaces.js";

declare module "../api/index.js" {
  interface Services {
    /** Counts the requests of API keys and recorders. */
    readonly requests: RequestStatistics;
  }
}

/** The plan of the caller's workspace, and what it is used for. */
export const plan = {
  get: implement(contract.getPlan, ({ db, caller }) => getUsage(db, caller)),
  usage: implement(contract.getUsage, ({ db, caller, services }) => listUsage(db, caller, services.requests)),
};

/** The user or workspace that calls. */
export const caller = {
  get: implement(contract.getCaller, ({ db, caller: who }) => getCaller(db, who)),
};

/** All users, for the operator. */
export const users = {
  create: implement(contract.createUser, ({ db, caller, input }) => createUserIn(db, caller, input)),
  list: implement(contract.listUsers, ({ db }) => listUsers(db)),
  get: implement(contract.getUser, ({ db, input }) => getUser(db, input.user)),
  update: implement(contract.updateUser, ({ db, caller, input }) => updateUser(db, caller, input)),
};

/** All workspaces, for the operator. */
export const workspaces = {
  create: implement(contract.createWorkspace, ({ db, caller, input }) => createWorkspace(db, caller, input)),
  list: implement(contract.listWorkspaces, ({ db }) => listWorkspaces(db)),
  get: implement(contract.getWorkspace, ({ db, input }) => getWorkspace(db, input.workspace)),
  update: implement(contract.updateWorkspace, ({ db, caller, input }) => updateWorkspace(db, caller, input)),
};

/** The audit log of a workspace, for its admins. */
export const workspaceAudit = {
  list: implement(contract.listWorkspaceAudit, ({ db, caller, input }) => listAudit(db, caller, input)),
};

/** The audit log of the installation, for the operator. */
export const installationAudit = {
  list: implement(contract.listAudit, ({ db, caller, input }) => listAudit(db, caller, input)),
};

/** A user's own terms and their team's. */
export const vocabulary = {
  list: implement(contract.listVocabulary, ({ db, caller }) => listVocabulary(db, caller)),
  add: implement(contract.addTerm, ({ db, caller, input }) => addTerm(db, caller, input)),
  remove: implement(contract.removeTerm, ({ db, caller, input }) => removeTerm(db, caller, input)),
};

/** What a model is told about summaries: a user's own instructions and their team's. */
export const instructions = {
  list: implement(contract.listInstructions, ({ db, caller, services }) =>
    showInstructions(db, caller, services.summaries.enabled),
  ),
  create: implement(contract.createInstruction, ({ db, caller, input }) =>
    createInstruction(db, caller, input),
  ),
  update: implement(contract.updateInstruction, ({ db, caller, input }) =>
    updateInstruction(db, caller, input),
  ),
  delete: implement(contract.deleteInstruction, ({ db, caller, input }) =>
    deleteInstruction(db, caller, input.instructionId),
  ),
};
