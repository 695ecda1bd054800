import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { listAudit } from "./list.js";

/** The audit log of a workspace, for its admins. */
export const workspaceAudit = {
  list: implement(contract.listWorkspaceAudit, ({ db, caller, input }) => listAudit(db, caller, input)),
};

/** The audit log of the installation, for the operator. */
export const installationAudit = {
  list: implement(contract.listAudit, ({ db, caller, input }) => listAudit(db, caller, input)),
};
