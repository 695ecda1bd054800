import { NoInput, TagList } from "@minutes/contract";
import { personal } from "../trpc/index.js";
import { listTags } from "./list.js";

/** `/v1/me/tags.*` */
export const myTags = {
  list: personal
    .input(NoInput)
    .output(TagList)
    .query(({ ctx }) => listTags(ctx.db, ctx.caller)),
};
