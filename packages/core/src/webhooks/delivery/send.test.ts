import diagnostics from "node:diagnostics_channel";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { LIMITS } from "@minutes/contract";
import { type Certificate, createTestCa, startWebhookReceiver, type TestCa } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTargetPolicy } from "../../lib/http/target-policy.js";
import { createSender, type Sender } from "./send.js";

let ca: TestCa;
let certificate: Certificate;
const targetPolicy = createTargetPolicy({
  allowedNetworks: ["127.0.0.0/8"],
  resolve: async () => [{ address: "127.0.0.1", family: 4 }],
});
let sender: Sender;
beforeAll(async () => {
  ca = await createTestCa();
  certificate = await ca.issue();
  sender = createSender({ targetPolicy, extraCa: ca.ca, timeout: 2_500 });
});
afterAll(async () => {
  await sender.close();
  await ca.remove();
});

const post = (url: string) =>
  sender.send({ url, headers: { "content-type": "application/json" }, body: "{}" });

/** Starts a server that treats its connections as given. */
async function hostile(treat: (socket: TLSSocket) => void, options: TlsOptions = {}) {
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...certificate, ...options }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => treat(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}

describe("certificates", () => {
  const from = async (made: Certificate, host = "127.0.0.1") => {
    const receiver = await startWebhookReceiver(made);
    const outcome = await post(`https://${host}:${receiver.port}/`);
    await receiver.close();
    return [outcome.error, receiver.received.length];
  };
  test("a valid certificate is accepted, for an address and for a name", async () => {
    expect(await from(certificate)).toEqual([null, 1]);
    expect(await from(certificate, "localhost")).toEqual([null, 1]);
  });
  test("expired, self-signed and another host's certificates are refused before anything is sent", async () => {
    expect(await from(await ca.issue({ expired: true }))).toEqual(["tls", 0]);
    expect(await from(await ca.selfSigned())).toEqual(["tls", 0]);
    expect(await from(await ca.issue({ names: ["DNS:other.test"] }))).toEqual(["tls", 0]);
    expect(await from(await ca.issue({ names: ["DNS:other.test"] }), "localhost")).toEqual(["tls", 0]);
    const another = await createTestCa();
    expect(await from(await another.issue())).toEqual(["tls", 0]);
    await another.remove();
  });
});

describe("misbehaving receivers", () => {
  const outcomeOf = async (treat: (socket: TLSSocket) => void, options?: TlsOptions) => {
    const { url, close } = await hostile(treat, options);
    const began = performance.now();
    const outcome = await post(url);
    const took = performance.now() - began;
    await close();
    return { ...outcome, took };
  };
  const every = (milliseconds: number, socket: TLSSocket, write: () => void): void => {
    const timer = setInterval(write, milliseconds);
    socket.once("close", () => clearInterval(timer));
  };

  test("an attempt without an answer ends at the timeout", async () => {
    const { error, status } = await outcomeOf(() => {});
    expect([error, status]).toEqual(["timeout", null]);
  });

  test("an attempt with a dripping status line ends at the timeout", async () => {
    const text = "HTTP/1.1 200 OK\r\n";
    const { error, took } = await outcomeOf((socket) => {
      let at = 0;
      every(50, socket, () => socket.write(at < text.length ? (text[at++] ?? "") : `x-${at++}: y\r\n`));
    });
    expect(error).toBe("timeout");
    expect(took).toBeGreaterThan(2_400);
  });

  test("a dripping body is cut off, and the 200 counts", async () => {
    const { error, status } = await outcomeOf((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      every(50, socket, () => socket.write("x"));
    });
    expect([error, status]).toEqual([null, 200]);
  });

  test("an endless body is cut off after 64 KiB", async () => {
    const sockets: TLSSocket[] = [];
    const onConnected = (message: unknown) => void sockets.push((message as { socket: TLSSocket }).socket);
    diagnostics.subscribe("undici:client:connected", onConnected);
    const { error } = await outcomeOf((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
      const pour = (): void => {
        if (socket.destroyed) return;
        if (socket.write(chunk)) setImmediate(pour);
        else socket.once("drain", pour);
      };
      pour();
    });
    diagnostics.unsubscribe("undici:client:connected", onConnected);
    expect(error).toBeNull();
    // Bytes read from the connection: one more record can be in flight when the limit is reached.
    const read = Math.max(...sockets.map(({ bytesRead }) => bytesRead));
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(2 * LIMITS.webhookAnswerBytes);
  });

  type Treat = (socket: TLSSocket) => void;
  test.each<[string, Treat, string]>([
    ["closes immediately", (socket: TLSSocket) => void socket.destroy(), "connection"],
    ["speaks another protocol", (socket: TLSSocket) => void socket.end("SSH-2.0-x\r\n"), "connection"],
    [
      "sends endless headers",
      (socket: TLSSocket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        every(1, socket, () => socket.write(`x: ${"y".repeat(8_000)}\r\n`));
      },
      "connection",
    ],
    [
      "keeps sending interim responses",
      (socket: TLSSocket) => every(5, socket, () => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n")),
      "timeout",
    ],
    [
      "switches protocols",
      (socket: TLSSocket) =>
        void socket.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      "connection",
    ],
  ])("one that %s", async (_name, treat, error) => {
    const outcome = await outcomeOf(treat);
    expect(outcome).toMatchObject({ error });
  });

  test("one that renegotiates TLS is refused before another handshake", async () => {
    let handshakes = 0;
    const renegotiate = (socket: TLSSocket): void => {
      socket.renegotiate({}, (error) => {
        if (error || socket.destroyed) return;
        handshakes++;
        renegotiate(socket);
      });
    };
    const { error } = await outcomeOf(renegotiate, { maxVersion: "TLSv1.2" });
    expect([error, handshakes]).toEqual(["connection", 0]);
  });

  test("a port without a listener is a connection error", async () => {
    const { url, close } = await hostile(() => {});
    await close();
    expect(await post(url)).toMatchObject({ status: null, error: "connection" });
  });
});

test("connections are reused", async () => {
  const receiver = await startWebhookReceiver(certificate, (_got, _request, response) => {
    response.end("a short answer");
    return undefined;
  });
  for (let n = 0; n < 5; n++) expect((await post(receiver.url)).error).toBeNull();
  // The first connection may not be free yet when the second request is sent.
  expect(receiver.connections()).toBeLessThanOrEqual(2);
  await receiver.close();
});
