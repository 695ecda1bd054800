import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { getDigests, updateDigests } from "./subscriptions.js";

/** The e-mails about meetings that a user gets. */
export const digests = {
  get: implement(contract.getDigests, ({ db, caller, services }) =>
    getDigests(db, caller.userId, services.mailer),
  ),
  update: implement(contract.updateDigests, ({ db, caller, services, input }) =>
    updateDigests(db, caller, input, services.mailer),
  ),
};
