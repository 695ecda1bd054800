/** A customer's endpoint in its own process. Answers 200 immediately, except on `/hung`, where it never answers. */
import { readFile } from "node:fs/promises";
import https from "node:https";
import type { AddressInfo } from "node:net";

const [certFile = "", keyFile = ""] = process.argv.slice(2);
const [cert, key] = await Promise.all([certFile, keyFile].map((file) => readFile(file, "utf8")));

/** Arrival time of each meeting, in Unix ms. */
let arrivals: [meetingId: string, at: number][] = [];
const server = https.createServer({ cert, key }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/hung") return;
    const at = Date.now();
    const meetingId = /"id" : "(mtg_\w+)"/.exec(Buffer.concat(chunks).toString("utf8"))?.[1] ?? "";
    arrivals.push([meetingId, at]);
    response.end();
  });
});
process.on("message", (message) => {
  if (message !== "arrivals") return;
  process.send?.({ arrivals });
  arrivals = [];
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
