import { type Database, schema } from "@minutes/db";
import ipaddr from "ipaddr.js";
import { selectWorkspaceOfObject } from "../audit.js";
import { dropOldest } from "../drop-oldest.js";

/** Leading bits of an address that are recorded: too few to tell one person from their neighbours. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 } as const;
/** Networks that a process remembers to have recorded: a few megabytes. */
const REMEMBERED = 20_000;
/** Entries that are written at once; the next use of a key writes what is left out. */
const WRITES_AT_ONCE = 4;

/** Shortens a client's address to its network, such as `192.0.2.0/24`; null for what is no address. */
export function toNetwork(address: string | undefined): string | null {
  if (address === undefined || !ipaddr.isValid(address)) return null;
  const kind = ipaddr.process(address).kind();
  const bits = NETWORK_BITS[kind];
  const { IPv4, IPv6 } = ipaddr;
  const text = `${ipaddr.process(address)}/${bits}`;
  return `${kind === "ipv4" ? IPv4.networkAddressFromCIDR(text) : IPv6.networkAddressFromCIDR(text)}/${bits}`;
}

export type CredentialKind = "key" | "ingest-key";

/**
 * Records in the audit log when a key is used from a network for the first time. The entry's actor is the key, its object
 * the network; the full address is stored nowhere. Several processes record a network once, by a unique index.
 */
export class KeyNetworks {
  readonly #db: Database;
  readonly #recorded = new Set<string>();
  /** Networks by address: to compute one takes longer than the rest of a request's checks. */
  readonly #networks = new Map<string, string | null>();
  #writing = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Records the network of a valid key's use unless it is known. No request waits for it or fails with it. */
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
      .then(
        () => {},
        () => void this.#recorded.delete(id), // the next use tries again
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
