import { NoInput, TagList } from "@minutes/contract";
import { personalProcedure } from "../api/index.js";
import { listTags } from "./list.js";

/** `/v1/me/tags.*` */
export const myTags = {
  list: personalProcedure
    .input(NoInput)
    .output(TagList)
    .query(({ ctx }) => listTags(ctx.db, ctx.caller)),
};
