/** The product's own HTTP side, as `pnpm start` runs it, with the quota out of the way. */
import { connectEmbedded, connectPostgres } from "@minutes/db";
import { createApp, createHttpServer, readEnv } from "@minutes/server";
import pino from "pino";
import { serveMeasured } from "./measured.js";

const env = readEnv(process.env);
const connection = env.DATABASE_URL
  ? await connectPostgres({
      url: env.DATABASE_URL,
      poolSize: env.DATABASE_POOL,
      statementTimeout: 4_500,
      migrate: false,
    })
  : await connectEmbedded({ dataDir: env.DATA_DIR, migrate: false });
serveMeasured(createHttpServer(createApp({ connection, env, log: pino({ level: env.LOG_LEVEL }) })));
