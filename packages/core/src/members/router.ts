import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { listMembersFor } from "../workspaces/index.js";
import { listCreatedCredentials } from "./credentials.js";
import {
  addMember,
  deleteUser,
  deleteWorkspace,
  previewRemoval,
  previewUserDeletion,
  previewWorkspaceDeletion,
  removeMember,
  removeMemberOf,
  setMemberRole,
  signOutMember,
} from "./manage.js";
import { revokeWorkspaceCredentials } from "./revoke-workspace.js";

/** Members of the caller's workspace, mostly for its admins. */
export const members = {
  list: implement(contract.listMembers, async ({ db, caller }) => ({
    members: await listMembersFor(db, caller),
  })),
  setRole: implement(contract.setRole, ({ db, caller, input }) => setMemberRole(db, caller, input)),
  credentials: implement(contract.listCreatedCredentials, async ({ db, caller, input }) => ({
    credentials: await listCreatedCredentials(db, caller, caller.workspaceId, input.userId),
  })),
  previewRemoval: implement(contract.previewRemoval, ({ db, caller, input }) =>
    previewRemoval(db, caller, input),
  ),
  remove: implement(contract.removeMember, ({ db, caller, input }) => removeMember(db, caller, input)),
  signOut: implement(contract.signOutMember, ({ db, caller, input }) => signOutMember(db, caller, input)),
};

/** The caller's workspace, for its admins. */
export const ownWorkspace = {
  revokeCredentials: implement(contract.revokeWorkspaceCredentials, ({ db, caller }) =>
    revokeWorkspaceCredentials(db, caller),
  ),
};

/** Erases a user, for the operator. */
export const userErasure = {
  previewDelete: implement(contract.previewUserDeletion, ({ db, input }) => previewUserDeletion(db, input)),
  delete: implement(contract.deleteUser, ({ db, caller, input }) => deleteUser(db, caller, input)),
};

/** Who is in which workspace, for the operator. */
export const workspaceMembers = {
  addMember: implement(contract.addMember, ({ db, caller, input }) => addMember(db, caller, input)),
  removeMember: implement(contract.removeMemberOf, ({ db, caller, input }) =>
    removeMemberOf(db, caller, input),
  ),
  previewDelete: implement(contract.previewWorkspaceDeletion, ({ db, input }) =>
    previewWorkspaceDeletion(db, input),
  ),
  delete: implement(contract.deleteWorkspace, ({ db, caller, input }) => deleteWorkspace(db, caller, input)),
};
