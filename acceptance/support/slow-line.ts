import net, { type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A line to a server on which a test holds uploads, or cuts them off. */
export interface SlowLine {
  readonly url: string;
  /** `Upload-Offset` of each request that sent audio. */
  readonly offsets: number[];
  /** Lets this number of bytes of each upload pass, then holds it; not of a repeated one. */
  hold(bytes: number): void;
  /** Cuts the connections of uploads that are held, and holds no more. */
  cut(): void;
}

/** Opens a line to a server, until the test ends. */
export async function openSlowLine(port: number): Promise<SlowLine> {
  const offsets: number[] = [];
  let limit = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  const service = net.createServer((browser) => {
    const server = net.connect(port, "127.0.0.1");
    const both = [browser, server];
    const end = () => {
      for (const one of both) one.destroy();
      held.delete(browser);
      sockets.delete(browser);
    };
    sockets.add(browser);
    for (const one of both) one.on("error", end).on("close", end);
    server.pipe(browser);
    /** Number of bytes that passed of an upload; null for other requests. */
    let passed: number | null = null;
    browser.on("data", (chunk) => {
      const [head] = /^[A-Z]+ \S+ HTTP\/1\.1\r\n[\s\S]*/.exec(chunk.toString("latin1")) ?? [];
      if (head !== undefined) {
        const offset = /^PATCH [\s\S]*?\r\nupload-offset: (\d+)/i.exec(head)?.[1];
        // A browser can repeat a request whose connection was cut. The server refuses that one.
        passed = offset === undefined || offsets.includes(Number(offset)) ? null : 0;
        if (offset !== undefined) offsets.push(Number(offset));
      }
      if (passed !== null) passed += chunk.length;
      server.write(chunk);
      if (passed === null || passed < limit) return;
      held.add(browser);
      browser.pause();
    });
  });
  await new Promise<void>((ready) => service.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    for (const one of sockets) one.destroy();
    service.close();
  });
  const address = service.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    offsets,
    hold: (bytes) => {
      limit = bytes;
    },
    cut: () => {
      limit = Number.POSITIVE_INFINITY;
      for (const one of held) one.destroy();
    },
  };
}
