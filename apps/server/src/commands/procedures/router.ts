import { operations, operatorManagement } from "@minutes/core";
import { createOperatorRouter } from "../operator/procedures.js";
import { backups } from "./backup.js";
import { demo } from "./demo.js";
import { embeddings } from "./embeddings.js";
import { exports } from "./export.js";
import { imports, restore } from "./import.js";
import { database, status } from "./inspect.js";
import { names } from "./names.js";
import { persons } from "./persons.js";
import { search } from "./search.js";
import { users } from "./users.js";

/** Everything the command line can do with the data. */
const procedures = {
  account: operatorManagement.account,
  audit: operatorManagement.audit,
  backups,
  calendar: operatorManagement.calendar,
  database,
  demo,
  embeddings,
  exports,
  instructions: operatorManagement.instructions,
  invitations: operatorManagement.invitations,
  keptAudio: operatorManagement.keptAudio,
  keys: operatorManagement.keys,
  members: operatorManagement.members,
  meetings: { ...imports, ...operations.meetings, ...operatorManagement.meetings },
  names,
  people: operations.people,
  persons,
  publicLinks: operatorManagement.publicLinks,
  recordings: operatorManagement.recordings,
  restore,
  digests: operatorManagement.digests,
  retention: operatorManagement.retention,
  search,
  shares: operatorManagement.shares,
  status,
  tags: operatorManagement.tags,
  tasks: operations.tasks,
  upcoming: operations.upcoming,
  users: { ...users, ...operatorManagement.users },
  vocabulary: operatorManagement.vocabulary,
  webhooks: operatorManagement.webhooks,
  workspaces: operatorManagement.workspaces,
};

export const operatorRouter = createOperatorRouter(procedures);

export type OperatorProcedures = typeof procedures;
export type OperatorRouter = typeof operatorRouter;
