import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import {
  createKey,
  disableKey,
  enableKey,
  getKey,
  listKeys,
  listWorkspaceKeys,
  regenerateKey,
  renameKey,
  revokeKey,
} from "./manage.js";

/** API keys, and the ingest keys of recorders. Only `create` and `regenerate` return a key's value. */
export const keys = {
  list: implement(contract.listKeys, async ({ db, caller }) => ({ personal: await listKeys(db, caller) })),
  listWorkspace: implement(contract.listWorkspaceKeys, ({ db, caller }) => listWorkspaceKeys(db, caller)),
  get: implement(contract.getKey, ({ db, caller, input }) => getKey(db, caller, input.keyId)),
  create: implement(contract.createKey, ({ db, caller, input }) => createKey(db, caller, input)),
  update: implement(contract.updateKey, ({ db, caller, input }) =>
    renameKey(db, caller, input.keyId, input.name),
  ),
  regenerate: implement(contract.regenerateKey, ({ db, caller, input }) =>
    regenerateKey(db, caller, input.keyId),
  ),
  disable: implement(contract.disableKey, ({ db, caller, input }) => disableKey(db, caller, input.keyId)),
  enable: implement(contract.enableKey, ({ db, caller, input }) => enableKey(db, caller, input.keyId)),
  revoke: implement(contract.revokeKey, ({ db, caller, input }) => revokeKey(db, caller, input.keyId)),
};
