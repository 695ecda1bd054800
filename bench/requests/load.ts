import net from "node:net";

/** A prepared request, and the status that has to answer it. */
export interface BenchRequest {
  readonly bytes: Buffer;
  readonly status: number;
}

/** What a burst of requests took. */
export interface Burst {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds, ascending. */
  readonly latencies: Float64Array;
}

/**
 * Sends `requests` prepared requests in turn over keep-alive connections for a while: raw sockets, so that the
 * load costs little of the two cores that are measured.
 * @param most ends the burst after so many requests
 * @throws when an answer has another status.
 */
export async function runBurst(
  port: number,
  requests: readonly BenchRequest[],
  connections: number,
  milliseconds: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Burst> {
  const latencies: number[] = [];
  const started = performance.now();
  let next = 0;
  const sendRequests = () =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(port, "127.0.0.1").setNoDelay();
      let sent = 0;
      let head = "";
      let missing = -1;
      let status = 0;
      const send = () => {
        sent = performance.now();
        if (sent - started > milliseconds || next >= most) return void socket.end(resolve);
        const request = requests[next++ % requests.length] as BenchRequest;
        status = request.status;
        socket.write(request.bytes);
      };
      socket.on("connect", send).on("error", reject);
      socket.on("data", (chunk) => {
        if (missing < 0) {
          head += chunk.toString("latin1");
          const end = head.indexOf("\r\n\r\n");
          if (end < 0) return;
          if (!head.startsWith(`HTTP/1.1 ${status}`))
            return void socket.destroy(new Error(head.slice(0, 200)));
          const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
          missing = end + 4 + length - head.length;
        } else missing -= chunk.length;
        if (missing > 0) return;
        latencies.push(performance.now() - sent);
        head = "";
        missing = -1;
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, sendRequests));
  return {
    requests: latencies.length,
    seconds: (performance.now() - started) / 1000,
    latencies: Float64Array.from(latencies).sort(),
  };
}

/** Returns a quantile of ascending values. */
export const computeQuantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/** Returns the median of values in any order. */
export const computeMedian = (values: readonly number[]): number =>
  computeQuantile(Float64Array.from(values).sort(), 0.5);
