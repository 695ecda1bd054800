import { type Database, schema } from "@minutes/db";
import ipaddr from "ipaddr.js";
import { dropOldest } from "../lib/drop-oldest.js";
import { selectWorkspaceOfObject } from "./audit.js";

/** Number of recorded leading bits of an address: too few to tell one person from their neighbors. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 } as const;
/** Maximum number of cached networks per process: a few megabytes. */
const REMEMBERED = 20_000;
/** Maximum concurrent writes. Skipped entries are written at the key's next use. */
const WRITES_AT_ONCE = 4;

/** Shortens an address to its network, such as `192.0.2.0/24`; null if it is not an address. */
export function toNetwork(address: string | undefined): string | null {
  if (address === undefined || !ipaddr.isValid(address)) return null;
  const kind = ipaddr.process(address).kind();
  const bits = NETWORK_BITS[kind];
  const { IPv4, IPv6 } = ipaddr;
  const text = `${ipaddr.process(address)}/${bits}`;
  return `${kind === "ipv4" ? IPv4.networkAddressFromCIDR(text) : IPv6.networkAddressFromCIDR(text)}/${bits}`;
}

export type CredentialKind = "key" | "ingest-key";

/** A network from which a key was used for the first time. */
export interface NewNetwork {
  readonly kind: CredentialKind;
  readonly keyId: string;
  /** Such as `192.0.2.0/24`. */
  readonly network: string;
}

/**
 * Records the first use of a key from a network in the audit log. The actor is the key, the object is the network; the
 * full address is not stored. A unique index prevents duplicates across processes.
 */
export class KeyNetworks {
  readonly #db: Database;
  readonly #onNew: (found: NewNetwork) => void;
  readonly #recorded = new Set<string>();
  /** Networks by address, cached because computing one takes longer than all other checks of a request. */
  readonly #networks = new Map<string, string | null>();
  #writing = 0;

  /** @param onNew called by the process that recorded a network */
  constructor(db: Database, onNew: (found: NewNetwork) => void = () => {}) {
    this.#db = db;
    this.#onNew = onNew;
  }

  /** Records the network of a valid key's use, unless it is known. Requests neither wait for it nor fail with it. */
  record(kind: CredentialKind, keyId: string, address: string | undefined): void {
    const network = this.#getNetwork(address);
    if (network === null) return;
    const id = `${keyId} ${network}`;
    if (this.#recorded.has(id) || this.#writing >= WRITES_AT_ONCE) return;
    this.#remember(id);
    this.#writing++;
    this.#db
      .insert(schema.auditLog)
      .values({
        actor: keyId,
        action: `${kind}.new-network`,
        object: network,
        shownIn: selectWorkspaceOfObject(keyId),
      })
      .onConflictDoNothing()
      .returning({ id: schema.auditLog.id })
      .then(
        (inserted) => {
          if (inserted.length > 0) this.#onNew({ kind, keyId, network });
        },
        () => void this.#recorded.delete(id), // retried at the next use
      )
      .finally(() => this.#writing--);
  }

  #getNetwork(address: string | undefined): string | null {
    if (address === undefined) return null;
    const known = this.#networks.get(address);
    if (known !== undefined) return known;
    const network = toNetwork(address);
    this.#networks.set(address, network);
    dropOldest(this.#networks, REMEMBERED);
    return network;
  }

  #remember(id: string): void {
    this.#recorded.add(id);
    dropOldest(this.#recorded, REMEMBERED);
  }
}
