import {
  type PGlite,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
} from "@electric-sql/pglite";

const { serialize } = protocol;

/** What the engine says of a statement: the types of its values, and its columns. */
interface Description {
  readonly parameters: readonly number[];
  readonly fields: Results["fields"];
}

/** A statement that was run. It has a name in the engine from its second run on. */
interface Prepared {
  readonly name: string;
  readonly description: Description | null;
}

type Message = Awaited<ReturnType<PGlite["execProtocolStream"]>>[number];

export type Query = <Row>(text: string, values?: unknown[], options?: QueryOptions) => Promise<Results<Row>>;

/** A command's tag that tells its rows, such as `UPDATE 3` and `INSERT 0 5`. */
const COMMAND = /^(\w+) (?:\d+ )?(\d+)$/;

/** How many statements stay prepared. Each holds its plan in the engine's memory. */
const MAX_PREPARED = 200;

/**
 * Runs an engine's statements, and prepares those that come again. PGlite 0.5.14 sends six messages for each query, one
 * by one, and has it parsed and planned every time; a prepared statement is three messages in one call.
 * @see docs/decisions/0150-statements-of-the-embedded-engine-are-prepared.md
 */
export class PreparedStatements {
  readonly #engine: PGlite;
  /** By text; the least recently used come first. */
  readonly #prepared = new Map<string, Prepared>();
  #count = 0;

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /** Runs a statement outside transactions, as PGlite's `query` does. */
  readonly query: Query = async <Row>(text: string, values?: unknown[], options?: QueryOptions) => {
    await this.#engine._checkReady();
    return this.#engine._runExclusiveTransaction(async () => {
      const results = await this.#run<Row>(text, values ?? [], options ?? {});
      await this.#engine.syncToFs();
      return results;
    });
  };

  /** Returns a transaction whose statements are prepared too. */
  withTransaction(transaction: Transaction): Transaction {
    const query: Query = async <Row>(text: string, values?: unknown[], options?: QueryOptions) => {
      if (transaction.closed) throw new Error("The transaction has ended.");
      return this.#run<Row>(text, values ?? [], options ?? {});
    };
    return Object.create(transaction, { query: { value: query } }) as Transaction;
  }

  #run<Row>(text: string, values: readonly unknown[], options: QueryOptions): Promise<Results<Row>> {
    return this.#engine.runExclusive(async () => {
      const { name, description } = await this.#prepare(text, options);
      const { parameters, fields } = description;
      const messages = await this.#send(
        serialize.bind({ statement: name, values: this.#serialize(values, parameters, options) }),
        serialize.execute(),
      );
      const parsers = fields.map(
        ({ dataTypeID }) => options.parsers?.[dataTypeID] ?? this.#engine.parsers[dataTypeID],
      );
      return toResults<Row>(messages, fields, parsers, options);
    });
  }

  /** Forgets all prepared statements. Has to be called where the schema or the session may have changed. */
  async clear(): Promise<void> {
    this.#prepared.clear();
    await this.#engine.exec("deallocate all");
  }

  /** Returns a statement that the engine has parsed: a named one when the text was run before. */
  async #prepare(text: string, options: QueryOptions): Promise<{ name: string; description: Description }> {
    const before = this.#prepared.get(text);
    this.#prepared.delete(text);
    if (before?.description) {
      this.#prepared.set(text, before);
      return { name: before.name, description: before.description };
    }
    const name = before ? `minutes_${++this.#count}` : "";
    const messages = await this.#send(
      ...this.#evict(),
      serialize.parse({ name, text, ...(options.paramTypes ? { types: options.paramTypes } : {}) }),
      serialize.describe({ type: "S", name }),
    );
    const description = readDescription(messages);
    this.#prepared.set(text, { name, description: before ? description : null });
    return { name, description };
  }

  /** Makes room for one more statement; returns the messages that do so in the engine. */
  #evict(): Uint8Array[] {
    if (this.#prepared.size < MAX_PREPARED) return [];
    const [oldest] = this.#prepared;
    if (!oldest) return [];
    const [text, { name }] = oldest;
    this.#prepared.delete(text);
    return name ? [serialize.close({ type: "S", name })] : [];
  }

  #serialize(values: readonly unknown[], types: readonly number[], { serializers }: QueryOptions) {
    return values.map((value, at) => {
      if (value === null || value === undefined) return null;
      const type = types[at] ?? 0;
      const write = serializers?.[type] ?? this.#engine.serializers[type];
      return write ? write(value) : String(value);
    });
  }

  /** Sends messages at once, with a Sync after them, which ends the statement whether it fails or not. */
  #send(...parts: Uint8Array[]): Promise<Message[]> {
    return this.#engine.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false });
  }
}

function readDescription(messages: readonly Message[]): Description {
  let parameters: readonly number[] = [];
  let fields: Results["fields"] = [];
  for (const message of messages) {
    if (message.name === "parameterDescription") {
      parameters = (message as unknown as { dataTypeIDs: number[] }).dataTypeIDs;
    } else if (message.name === "rowDescription") {
      fields = (message as unknown as { fields: Results["fields"] }).fields.map(({ name, dataTypeID }) => ({
        name,
        dataTypeID,
      }));
    }
  }
  return { parameters, fields };
}

function toResults<Row>(
  messages: readonly Message[],
  fields: Results["fields"],
  parsers: readonly (PGlite["parsers"][number] | undefined)[],
  { rowMode }: QueryOptions,
): Results<Row> {
  const parseValue = (value: string | null, at: number) => {
    const parse = parsers[at];
    return value === null || !parse ? value : parse(value, fields[at]?.dataTypeID);
  };
  const toRow = (values: readonly unknown[]) =>
    rowMode === "array"
      ? values
      : Object.fromEntries(values.map((value, at) => [fields[at]?.name ?? "", value]));
  const rows: unknown[] = [];
  let affectedRows = 0;
  for (const message of messages) {
    if (message.name === "dataRow") {
      rows.push(toRow((message as unknown as { fields: (string | null)[] }).fields.map(parseValue)));
    } else if (message.name === "commandComplete") {
      const [, command, count] = COMMAND.exec((message as unknown as { text: string }).text) ?? [];
      if (command !== "SELECT") affectedRows = Number(count ?? 0);
    }
  }
  return { rows: rows as Row[], fields, affectedRows };
}
