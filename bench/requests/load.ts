import net from "node:net";

/** A prepared request and its expected status. */
export interface BenchRequest {
  readonly bytes: Buffer;
  readonly status: number;
}

/** The result of a burst of requests. */
export interface Burst {
  readonly requests: number;
  readonly seconds: number;
  /** In ms, ascending. */
  readonly latencies: Float64Array;
}

/** The end of a chunked body. JSON has no line breaks, so it occurs nowhere else. */
const LAST_CHUNK = "\r\n0\r\n\r\n";

/**
 * Sends prepared requests in turn over keep-alive connections for a while. Uses raw sockets, so that the load takes
 * little of the two measured cores.
 * @param most ends the burst after this number of requests
 * @throws if an answer has another status
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
      /** The end of a chunked body; null if the length is known. */
      let tail: string | null = null;
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
          const length = /content-length: (\d+)/i.exec(head.slice(0, end))?.[1];
          tail = length === undefined ? head.slice(end + 2) : null;
          missing = length === undefined ? 0 : end + 4 + Number(length) - head.length;
        } else if (tail !== null) tail = (tail + chunk.toString("latin1")).slice(-LAST_CHUNK.length);
        else missing -= chunk.length;
        if (tail === null ? missing > 0 : !tail.endsWith(LAST_CHUNK)) return;
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

/** Sends a single request. @returns the status, and the body of a success */
export async function fetchAnswer(port: number, { bytes }: BenchRequest): Promise<unknown> {
  const [head = "", body = ""] = bytes.toString().split("\r\n\r\n");
  const [line = "", ...headers] = head.split("\r\n");
  const [method = "", path = ""] = line.split(" ");
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: headers
      .map((header) => header.split(": ") as [string, string])
      .filter(([name]) => !UNSENT.has(name)),
    ...(body ? { body } : {}),
  });
  return { status: response.status, ...(response.ok ? { body: await response.json() } : {}) };
}

/** Headers set by `fetch` itself. */
const UNSENT = new Set(["Host", "Content-Length"]);

/** Returns a quantile of ascending values. */
export const computeQuantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/** Returns the median of values in any order. */
export const computeMedian = (values: readonly number[]): number =>
  computeQuantile(Float64Array.from(values).sort(), 0.5);

/** Formats durations in ms as `p50 3.1 ms, p95 7.0 ms, worst 9.2 ms (200 calls)`. */
export function formatPercentiles(times: readonly number[]): string {
  const sorted = Float64Array.from(times).sort();
  const at = (q: number) => computeQuantile(sorted, q).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms (${sorted.length} calls)`;
}
