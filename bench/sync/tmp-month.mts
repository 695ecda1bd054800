import { measureMonth } from "/work/wt/F/bench/sync/month.js";
import { connectPostgres } from "/work/wt/F/packages/db/src/index.js";

const c = await connectPostgres({ url: process.env.U!.replace(/\/postgres$/, "/sync_probe") });
await measureMonth(c.db, 5000, 200);
await c.close();
