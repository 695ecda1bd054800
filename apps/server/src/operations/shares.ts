import { Email, Id } from "@minutes/contract";
import {
  findUser,
  listMeetingShares,
  OPERATOR,
  shareMeeting,
  shareTag,
  unshareMeeting,
  unshareTag,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import { z } from "zod";
import { operation } from "./operation.js";

type Change = (db: Database, actor: typeof OPERATOR, id: string, userId: string) => Promise<void>;

const change = (run: Change) =>
  operation(z.strictObject({ id: Id, with: Email }), async ({ db }, { id, with: email }) => {
    const { userId } = await findUser(db, email);
    await run(db, OPERATOR, id, userId);
    return { id, with: email };
  });

export const shareOperations = {
  /** To whom a meeting is shown directly, not by a tag. */
  "shares.list": operation(z.strictObject({ meetingId: Id }), ({ db }, { meetingId }) =>
    listMeetingShares(db, OPERATOR, meetingId),
  ),

  "shares.addMeeting": change(shareMeeting),
  "shares.removeMeeting": change(unshareMeeting),
  "shares.addTag": change(shareTag),
  "shares.removeTag": change(unshareTag),
};
