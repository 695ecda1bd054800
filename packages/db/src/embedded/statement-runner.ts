import {
  type PGlite,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
} from "@electric-sql/pglite";
import { yieldToEventLoop } from "../yield-to-event-loop.js";

const { serialize } = protocol;

/** The engine's description of a statement: types of its parameters and columns. */
interface Description {
  readonly parameters: readonly number[];
  readonly fields: Results["fields"];
}

/** A statement that was run. It is named in the engine from its second run on. */
interface Prepared {
  readonly name: string;
  readonly description: Description | null;
}

type Message = Awaited<ReturnType<PGlite["execProtocolStream"]>>[number];

interface RunOptions extends QueryOptions {
  /** Called when the statement's turn has come; an error from it keeps the statement from running. */
  readonly onStart?: () => void;
}

export type Query = <Row>(text: string, values?: unknown[], options?: RunOptions) => Promise<Results<Row>>;

/** A command tag with its row count, such as `UPDATE 3` and `INSERT 0 5`. */
const COMMAND = /^(\w+) (?:\d+ )?(\d+)$/;

/** Error code of a prepared statement that the engine has lost. It loses all at once. */
const LOST = "26000";
/** Error code of a prepared statement whose result columns have changed. */
const CHANGED = "0A000";

/** Maximum number of prepared statements. Each keeps its plan in the engine's memory. */
const MAX_PREPARED = 200;

/**
 * Runs an engine's statements and prepares repeated ones. PGlite 0.5.14 sends six separate messages per query and
 * parses and plans it each time; a prepared statement takes three messages in one call.
 * @see docs/decisions/0004-named-statements.md
 */
export class StatementRunner {
  readonly #engine: PGlite;
  /** By text, least recently used first. */
  readonly #prepared = new Map<string, Prepared>();
  #count = 0;

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /** Runs a statement outside of a transaction, as PGlite's `query` does. */
  readonly query: Query = async <Row>(text: string, values?: unknown[], options?: RunOptions) => {
    await this.#engine._checkReady();
    return this.#engine._runExclusiveTransaction(async () => {
      options?.onStart?.();
      const results = await this.#run<Row>(text, values ?? [], options ?? {}, { again: true });
      await this.#engine.syncToFs();
      return results;
    });
  };

  /**
   * Runs statements that can change the schema or session, then drops all prepared statements before any other
   * statement runs.
   */
  async exec(statements: string): Promise<void> {
    await this.#engine._checkReady();
    await this.#engine._runExclusiveTransaction(() =>
      this.#engine.runExclusive(async () => {
        try {
          await this.#sendSimple(statements);
        } finally {
          this.#prepared.clear();
          await this.#sendSimple("deallocate all");
          await this.#engine.syncToFs();
        }
      }),
    );
  }

  /** Returns a transaction whose statements are prepared as well. Yields to pending requests between them. */
  withTransaction(transaction: Transaction): Transaction {
    const query: Query = async <Row>(text: string, values?: unknown[], options?: QueryOptions) => {
      await yieldToEventLoop();
      if (transaction.closed) throw new Error("The transaction has ended.");
      return this.#run<Row>(text, values ?? [], options ?? {}, { again: false });
    };
    return Object.create(transaction, { query: { value: query } }) as Transaction;
  }

  /**
   * Runs a single statement.
   * @param again true prepares and runs it once more if the engine lost it. Impossible in a transaction, which the
   * error ends.
   */
  #run<Row>(
    text: string,
    values: readonly unknown[],
    options: QueryOptions,
    { again }: { again: boolean },
  ): Promise<Results<Row>> {
    return this.#engine.runExclusive(async () => {
      try {
        return await this.#runPrepared<Row>(text, values, options);
      } catch (error) {
        const { code } = error as { code?: string };
        if (code === LOST) this.#prepared.clear();
        else if (code === CHANGED) this.#prepared.delete(text);
        else throw error;
        if (!again) throw error;
        return await this.#runPrepared<Row>(text, values, options);
      }
    });
  }

  async #runPrepared<Row>(
    text: string,
    values: readonly unknown[],
    options: QueryOptions,
  ): Promise<Results<Row>> {
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
  }

  /** Returns a parsed statement, named if the text was run before. */
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

  /** Makes room for one more statement; returns the messages that close the evicted one in the engine. */
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

  /** Sends messages together, followed by a Sync, which ends the statement even if it fails. */
  #send(...parts: Uint8Array[]): Promise<Message[]> {
    return this.#engine.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false });
  }

  /** Sends statements without parameters over the simple protocol, without preparing them. */
  async #sendSimple(statements: string): Promise<void> {
    await this.#engine.execProtocolStream(serialize.query(statements), { syncToFs: false });
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
