import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import {
  allowPublicLinks,
  createPublicLink,
  listPublicLinks,
  listWorkspacePublicLinks,
  revokePublicLink,
} from "./manage.js";

/** Links with which people outside read meetings: for the meeting's owner, and admins. */
export const publicLinks = {
  create: implement(contract.createPublicLink, ({ db, caller, input, services, visitor }) =>
    createPublicLink(db, caller, input, services.publicUrl(), visitor),
  ),
  list: implement(contract.listPublicLinks, ({ db, caller, input }) =>
    listPublicLinks(db, caller, input.meetingId),
  ),
  listWorkspace: implement(contract.listWorkspacePublicLinks, ({ db, caller }) =>
    listWorkspacePublicLinks(db, caller),
  ),
  revoke: implement(contract.revokePublicLink, ({ db, caller, input }) =>
    revokePublicLink(db, caller, input.linkId),
  ),
  allow: implement(contract.allowPublicLinks, ({ db, caller, input }) =>
    allowPublicLinks(db, caller, input.allowed),
  ),
};
