import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens, tells the parent its port, and answers each of its messages with the processor time used so far. */
export function serveWithCpuTime(server: Server): void {
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicroseconds: user + system });
  });
  process.on("disconnect", () => process.exit(0));
}
