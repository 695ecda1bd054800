import { account, invitations } from "./account.js";
import { recordings } from "./recordings.js";

/** Operations of a signed-in user on their own account and workspace. */
export const settings = { account, invitations, recordings };
