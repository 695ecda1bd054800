import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, RequestListener } from "node:http";
import type { DeliveryTracer, RouteSet } from "@minutes/core";
import type { FinishedStatement } from "@minutes/db";
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import manifest from "../../../package.json" with { type: "json" };
import { type AnsweredRequest, toTemplate } from "./observe-answers.js";

/** Creates spans. Attributes are names from the code, statuses and request IDs, never content. */
export interface Traces {
  readonly wrap: (listener: RequestListener) => RequestListener;
  readonly onAnswer: (answer: AnsweredRequest, request: IncomingMessage) => void;
  readonly onStatement: (statement: FinishedStatement) => void;
  readonly traceAuthentication: (authenticate: RouteSet["authenticate"]) => RouteSet["authenticate"];
  readonly traceDelivery: DeliveryTracer;
  /** Sends pending spans. */
  readonly stop: () => Promise<void>;
}

const toTime = (sinceStart: number): number => performance.timeOrigin + sinceStart;

function createTracerProvider(endpoint: string, serviceName: string): BasicTracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
  return new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": serviceName,
      "service.version": manifest.version,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
}

/**
 * Creates spans and sends them to an OpenTelemetry collector.
 * @param endpoint URL of the collector, such as `http://127.0.0.1:4318`
 * @param serviceName name of this service in the collector
 * @see docs/decisions/0190-observability.md
 */
export function createTraces(endpoint: string, serviceName: string): Traces {
  const provider = createTracerProvider(endpoint, serviceName);
  const tracer = provider.getTracer("minutes", manifest.version);
  const propagator = new W3CTraceContextPropagator();
  const contexts = new AsyncLocalStorage<Context>();
  const requests = new WeakMap<IncomingMessage, Span>();

  /** Runs work inside a span, which is marked as failed if the work throws. */
  async function runInSpan<Result>(name: string, kind: SpanKind, work: (span: Span) => Promise<Result>) {
    const parent = contexts.getStore() ?? ROOT_CONTEXT;
    const span = tracer.startSpan(name, { kind }, parent);
    try {
      return await contexts.run(trace.setSpan(parent, span), work, span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  const traceDelivery: DeliveryTracer = ({ id, webhookId, event }, attempt) =>
    runInSpan("delivery", SpanKind.PRODUCER, (delivery) => {
      delivery.setAttributes({
        "minutes.delivery_id": id,
        "minutes.webhook_id": webhookId,
        "minutes.event": event,
      });
      return runInSpan("attempt", SpanKind.CLIENT, async (span) => {
        const headers: Record<string, string> = {};
        propagator.inject(contexts.getStore() ?? ROOT_CONTEXT, headers, defaultTextMapSetter);
        const outcome = await attempt(headers);
        if (outcome.status !== null) span.setAttribute("http.response.status_code", outcome.status);
        if (outcome.error !== null) {
          span.setAttribute("error.type", outcome.error);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        return outcome;
      });
    });

  return {
    wrap: (listener) => (request, response) => {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
      const span = tracer.startSpan("request", { kind: SpanKind.SERVER }, parent);
      requests.set(request, span);
      contexts.run(trace.setSpan(parent, span), listener, request, response);
    },
    onAnswer: ({ requestId, method, route, procedure, status }, request) => {
      const span = requests.get(request);
      if (!span) return;
      const template = toTemplate(route, procedure);
      span.updateName(`${method} ${template}`);
      span.setAttributes({
        "http.request.method": method,
        "http.route": template,
        "http.response.status_code": status,
        "minutes.request_id": requestId,
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    onStatement: ({ name, milliseconds, failed }) => {
      const parent = contexts.getStore();
      if (!parent) return; // background work is not part of a trace
      const ended = performance.now();
      const startTime = toTime(ended - milliseconds);
      const attributes = { "db.system.name": "postgresql", "db.query.summary": name };
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parent);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(toTime(ended));
    },
    traceAuthentication: (authenticate) => (request) =>
      runInSpan("authenticate", SpanKind.INTERNAL, () => authenticate(request)),
    traceDelivery,
    stop: () => provider.shutdown(),
  };
}
