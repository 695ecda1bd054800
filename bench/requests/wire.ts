import net from "node:net";

/** The traffic between a server and its database. */
export interface Traffic {
  /** Number of round trips. */
  trips: number;
  bytes: number;
}

/** Forwards a database's connections and counts their traffic. */
export async function countTraffic(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const traffic: Traffic = { trips: 0, bytes: 0 };
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer({ noDelay: true }, (client) => {
    const database = net.connect(Number(target.port || 5432), target.hostname).setNoDelay();
    let isAsking = false;
    const pass = (from: net.Socket, to: net.Socket, asks: boolean) => {
      sockets.add(from);
      from.on("data", (chunk) => {
        traffic.bytes += chunk.length;
        if (asks && !isAsking) traffic.trips++;
        isAsking = asks;
        to.write(chunk);
      });
      from
        .on("error", () => to.destroy())
        .on("close", () => {
          sockets.delete(from);
          to.destroy();
        });
    };
    pass(client, database, true);
    pass(database, client, false);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as net.AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    /** Returns the traffic so far. */
    read: (): Traffic => ({ ...traffic }),
    /** Returns true if no connection is open. */
    isIdle: () => sockets.size === 0,
    close: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
