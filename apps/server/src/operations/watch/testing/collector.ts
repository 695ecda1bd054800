import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A span in OTLP's JSON format. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code?: number };
}

/** An OpenTelemetry collector that stores what it receives. */
export interface Collector {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** The names of the services that sent spans. */
  readonly services: Set<unknown>;
  /** Every received body. */
  readonly bodies: string[];
  close(): Promise<void>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: CollectedSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** Starts a collector that accepts traces over HTTP as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const services = new Set<unknown>();
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    if (request.url === "/v1/traces")
      for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
        const name = resource.attributes.find(({ key }) => key === "service.name");
        services.add(name?.value.stringValue);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, spans, services, bodies, close };
}
