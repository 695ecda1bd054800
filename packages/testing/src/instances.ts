import net from "node:net";
import { findFreePort } from "./free-port.js";

/** A proxy between a server and its database that a test can cut, freeze and restore. */
export interface Wire {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Counts how often the database reported that it is ready for the next query: once per round trip. */
  roundTrips(): number;
  /** Closes every connection and refuses new ones, like a database that is down. */
  cut(): void;
  /** Drops all data, like a hung database. */
  freeze(): void;
  /** Drops all data on currently open connections, like a proxy that lost them; new ones work. */
  freezeOpen(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a proxy to the database of a URL. */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const open = new Set<net.Socket>();
  const lost = new WeakSet<net.Socket>();
  let frozen = false;
  let roundTrips = 0;
  const accept = (near: net.Socket) => {
    const far = net.connect(Number(target.port || 5432), target.hostname);
    far.on(
      "data",
      readMessages((type) => {
        if (type === "Z") roundTrips++;
      }),
    );
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("data", (bytes) => {
        if (!frozen && !lost.has(from)) to.write(bytes);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  };
  let server = net.createServer(accept);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  // Nothing else must take the port before it is restored.
  const port = await findFreePort();
  await listen(port);
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const cut = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    cut,
    freeze: () => {
      frozen = true;
    },
    freezeOpen: () => {
      for (const socket of open) lost.add(socket);
    },
    restore: async () => {
      frozen = false;
      for (const socket of open) socket.destroy();
      if (server.listening) return;
      server = net.createServer(accept);
      await listen(port);
    },
    close: async () => cut(),
  };
}

/** Reads the type of every message that PostgreSQL sends: a letter, followed by the length of the rest. */
function readMessages(seen: (type: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5) {
      const length = 1 + rest.readUInt32BE(1);
      if (rest.length < length) return;
      seen(String.fromCharCode(rest[0] ?? 0));
      rest = rest.subarray(length);
    }
  };
}
