import net from "node:net";

/** A connection between a server and its database that a test can cut, freeze and restore. */
export interface Wire {
  /** The database's address through the wire. */
  readonly url: string;
  /** Counts how often the database has said that it is ready for the next query: once per round trip. */
  roundTrips(): number;
  /** Ends every connection and refuses new ones, as a database that is down does. */
  cut(): void;
  /** Drops everything that is sent, as a database that hangs does. */
  freeze(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a wire to the database of an address. */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const open = new Set<net.Socket>();
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
        if (!frozen) to.write(bytes);
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
  await listen(0);
  const { port } = server.address() as net.AddressInfo;
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

/** Tells the type of every message in what PostgreSQL sends: a letter, then the length of the rest. */
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
