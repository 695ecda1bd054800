import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { listTags } from "./list.js";

/** `/v1/me/tags.*` */
export const myTags = {
  list: implement(contract.listTags, ({ db, caller }) => listTags(db, caller)),
};
