import type { inferRouterOutputs } from "@trpc/server";
import { audit } from "./audit.js";
import { backups } from "./backups.js";
import { database } from "./database.js";
import { demo } from "./demo.js";
import { embeddings } from "./embeddings.js";
import { exports, restore } from "./exports.js";
import { ingestKeys, keys } from "./keys.js";
import { persons } from "./persons.js";
import { createOperatorRouter } from "./procedures.js";
import { recordings } from "./recordings.js";
import { search } from "./search.js";
import { meetings, shares, tags } from "./sharing.js";
import { status } from "./status.js";
import { users } from "./users.js";
import { vocabulary } from "./vocabulary.js";
import { webhooks } from "./webhooks.js";
import { workspaces } from "./workspaces.js";

/** Everything that the command line can do to the data. */
export const operatorRouter = createOperatorRouter({
  audit,
  backups,
  database,
  demo,
  embeddings,
  exports,
  ingestKeys,
  keys,
  meetings,
  persons,
  recordings,
  restore,
  search,
  shares,
  status,
  tags,
  users,
  vocabulary,
  webhooks,
  workspaces,
});

export type OperatorRouter = typeof operatorRouter;
export type OperatorOutputs = inferRouterOutputs<OperatorRouter>;
