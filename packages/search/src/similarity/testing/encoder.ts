/** A process that creates vectors until it is killed. Arguments: a PostgreSQL URL, an endpoint's URL, the model. */
import { connectPostgres } from "@minutes/db";
import { withCircuitBreaker } from "../circuit-breaker.js";
import { createEndpointModel } from "../endpoint.js";
import { createEmbedder } from "../model.js";

const [database = "", url = "", model = ""] = process.argv.slice(2);
const { db } = await connectPostgres({ url: database, migrate: false });
withCircuitBreaker(createEmbedder(createEndpointModel({ url, model }))).startEmbedding(db);
