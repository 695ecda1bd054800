import { ListAudit } from "@minutes/contract";
import { listAudit } from "@minutes/core";
import { operatorProcedure } from "../operator/procedures.js";

/** The audit log. */
export const audit = {
  list: operatorProcedure.input(ListAudit).query(({ ctx, input }) => listAudit(ctx.db, input, null)),
};
