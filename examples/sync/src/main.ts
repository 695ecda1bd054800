import { createMeClient } from "@minutes/client";
import { sync } from "./sync.js";

const { MINUTES_URL = "http://127.0.0.1:3000", MINUTES_API_KEY, FOLDER = "meetings" } = process.env;
if (!MINUTES_API_KEY) throw new Error("Set MINUTES_API_KEY to a personal key.");

const client = createMeClient({ baseUrl: MINUTES_URL, apiKey: MINUTES_API_KEY });
const { written, removed } = await sync(client, FOLDER);
console.log(`${written} written, ${removed} removed in ${FOLDER}.`);
