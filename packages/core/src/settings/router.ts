import { account, invitations } from "./account.js";

/** Operations of a signed-in user on their own account and workspace. */
export const settings = { account, invitations };
