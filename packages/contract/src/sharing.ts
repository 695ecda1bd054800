import { z } from "zod";
import { LIMITS } from "./limits.js";
import { Email, Id, trimmedText } from "./text.js";

const meetingId = Id.describe("The meeting's `id`.");
const tagId = Id.describe("The tag's `id`.");
const email = Email.describe("E-mail address of a member of the same workspace.");

/** Parameters of `meetings.share` and `meetings.unshare`. */
export const ShareMeeting = z.strictObject({ meetingId, email });

/** Parameters of `meetings.tag`. */
export const TagMeeting = z.strictObject({
  meetingId,
  name: trimmedText(1, LIMITS.tagNameMax).describe(
    "Name of the caller's tag, which is created if there is none.",
  ),
});

/** Parameters of `meetings.untag`. */
export const UntagMeeting = z.strictObject({ meetingId, tagId });

/** Parameters of the operations on one tag. */
export const TagRef = z.strictObject({ tagId });

/** Parameters of `tags.share` and `tags.unshare`. */
export const ShareTag = z.strictObject({ tagId, email });
