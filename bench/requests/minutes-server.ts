/** The product's HTTP server, as run by `pnpm start`, with an unlimited quota. */
import { connectEmbedded, connectPostgres } from "@minutes/db";
import { createApp, createHttpServer, createWatch, readEnv } from "@minutes/server";
import pino from "pino";
import { serveMeasured } from "./measured.js";

const env = readEnv(process.env);
const connection = env.DATABASE_URL
  ? await connectPostgres({
      url: env.DATABASE_URL,
      directUrl: env.DATABASE_DIRECT_URL,
      unnamedStatements: env.DATABASE_STATEMENTS === "unnamed",
      poolSize: env.DATABASE_POOL,
      statementTimeout: 4_500,
      migrate: false,
    })
  : await connectEmbedded({ dataDir: env.DATA_DIR, migrate: false });
const log = pino({ level: env.LOG_LEVEL });
const watch = await createWatch(env, connection, log);
const { onAnswer, traceAuthentication, metricsHandler: metrics } = watch;
const app = createApp({ connection, env, log, onAnswer, traceAuthentication, metrics });
serveMeasured(createHttpServer(watch.wrap(app)));
