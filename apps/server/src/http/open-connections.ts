import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { toAddressKey } from "@minutes/core";
import type { ConnectionLimits } from "./connection-limits.js";

/** Connections in order of arrival, by address. */
class Line {
  readonly #addresses = new Map<string, Set<Socket>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(address: string, socket: Socket): void {
    const own = this.#addresses.get(address) ?? new Set();
    this.#addresses.set(address, own.add(socket));
    this.#size += 1;
  }

  delete(address: string, socket: Socket): void {
    const own = this.#addresses.get(address);
    if (!own?.delete(socket)) return;
    this.#size -= 1;
    if (own.size === 0) this.#addresses.delete(address);
  }

  /** Returns the oldest connection of an address; by default of the address with most connections here. */
  getOldest(address?: string): Socket | undefined {
    const own = address === undefined ? this.#getLargest() : this.#addresses.get(address);
    return own?.values().next().value;
  }

  #getLargest(): Set<Socket> | undefined {
    let largest: Set<Socket> | undefined;
    for (const own of this.#addresses.values()) if (own.size > (largest?.size ?? 0)) largest = own;
    return largest;
  }
}

interface Connection {
  readonly address: string;
  /** The line it is in; null while its requests are being answered. */
  line: Line | null;
  answering: boolean;
  /** A request whose body may still be arriving. */
  request: IncomingMessage | null;
}

/**
 * Limits a server's connections in total, per address, and without a complete request. A connection over the limit
 * replaces one without a request in progress: the oldest without a complete request, otherwise the longest idle, from
 * the address with most of them. So clients that open connections and send nothing, or byte by byte, displace their own
 * and don't block others. If all have requests in progress, the new one is closed. The bytes of responses that clients
 * have not read are limited in the same way.
 */
export class OpenConnections {
  readonly #connections = new Map<Socket, Connection>();
  readonly #countOf = new Map<string, number>();
  readonly #arriving = new Line();
  readonly #idle = new Line();
  readonly #unread = new Set<Socket>();

  constructor(private readonly limits: ConnectionLimits) {}

  /** Accepts a new connection, or closes it. */
  accept(socket: Socket): void {
    const { connections, perAddress, arriving } = this.limits;
    const address = toAddressKey(socket.remoteAddress);
    const isFull = (this.#countOf.get(address) ?? 0) >= perAddress && !this.#makeRoom(address);
    if (isFull || (this.#connections.size >= connections && !this.#makeRoom())) return void socket.destroy();
    const connection: Connection = { address, line: null, answering: false, request: null };
    this.#connections.set(socket, connection);
    this.#countOf.set(address, (this.#countOf.get(address) ?? 0) + 1);
    this.#move(socket, connection, this.#arriving);
    socket.once("close", () => this.#forget(socket));
    if (this.#arriving.size > arriving) this.#closeOldest(this.#arriving);
  }

  /** Records that the headers of a request have arrived. */
  begin(request: IncomingMessage): void {
    const { socket, headers } = request;
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.answering = true;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    connection.request = hasBody ? request : null;
    this.#move(socket, connection, hasBody ? this.#arriving : null);
  }

  /** Records that a response is written, which its client may still have to read. Closes connections beyond the limit. */
  beginReading(socket: Socket): void {
    if (!this.#connections.has(socket) || socket.writableLength === 0) return;
    this.#unread.add(socket);
    while (this.#closeLargestReader());
  }

  /** Records that a response has been read, or its connection has ended. */
  endReading(socket: Socket): void {
    this.#unread.delete(socket);
  }

  /** Records that all requests of a connection have been answered. */
  end(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.answering = false;
    if (!isArriving(connection)) this.#move(socket, connection, this.#idle);
  }

  #makeRoom(address?: string): boolean {
    return this.#closeOldest(this.#arriving, address) || this.#closeOldest(this.#idle, address);
  }

  /** Closes the oldest connection of a line. @returns false if there is none */
  #closeOldest(line: Line, address?: string): boolean {
    for (;;) {
      const socket = line.getOldest(address);
      const connection = socket && this.#connections.get(socket);
      if (!connection) return false;
      if (line === this.#arriving && connection.request && !isArriving(connection)) {
        // Its body has arrived since, for which there is no event until it is read.
        this.#move(socket, connection, connection.answering ? null : this.#idle);
        continue;
      }
      this.#forget(socket);
      socket.destroy();
      return true;
    }
  }

  /**
   * Closes the connection with the most unread bytes, of the address with the most: behind a proxy, others have that address, too.
   * @returns false if the bytes are within the limit
   */
  #closeLargestReader(): boolean {
    const readers = new Map<string, { bytes: number; largest: Socket }>();
    let total = 0;
    for (const socket of this.#unread) {
      const { address } = this.#connections.get(socket) as Connection;
      const own = readers.get(address) ?? { bytes: 0, largest: socket };
      own.bytes += socket.writableLength;
      if (socket.writableLength > own.largest.writableLength) own.largest = socket;
      readers.set(address, own);
      total += socket.writableLength;
    }
    if (total <= this.limits.unread) return false;
    const { largest } = [...readers.values()].reduce((most, one) => (one.bytes > most.bytes ? one : most));
    this.#forget(largest);
    largest.destroy();
    return true;
  }

  #move(socket: Socket, connection: Connection, line: Line | null): void {
    connection.line?.delete(connection.address, socket);
    connection.line = line;
    line?.add(connection.address, socket);
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    this.#connections.delete(socket);
    this.#unread.delete(socket);
    this.#move(socket, connection, null);
    const { address } = connection;
    const left = (this.#countOf.get(address) ?? 1) - 1;
    if (left > 0) this.#countOf.set(address, left);
    else this.#countOf.delete(address);
  }
}

const isArriving = ({ request }: Connection): boolean => request !== null && !request.complete;
