import { Worker } from "node:worker_threads";

export interface ThreadOptions {
  /** The worker's file. It answers each message with one message. */
  readonly file: URL;
  /** Timeout of one answer, in ms. */
  readonly deadline: number;
  /** Timeout of a new thread's first answer, in ms; by default `deadline`. */
  readonly starting?: number;
  /** Maximum heap of the thread, in MB. */
  readonly memory: number;
  /** Idle time after which the thread ends to release its memory, in ms. */
  readonly idle?: number;
}

/** Thrown when a thread was stopped because an answer took too much time or memory. */
export class ThreadLimitError extends Error {
  override name = "ThreadLimitError";
}

/**
 * Sends a message to the thread.
 * @param transfer buffers that move to the thread and are not copied
 * @returns its answer @throws ThreadLimitError, or any error of the thread
 */
export type Ask<Question, Answer> = (
  question: Question,
  transfer?: readonly ArrayBuffer[],
) => Promise<Answer>;

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const IDLE = 30_000;

/**
 * Runs work on untrusted input in a worker thread that starts on demand. Unlike an endless loop on the main thread, it
 * can be stopped. Callers use it one at a time, so each has its own timeout.
 */
export class Thread<Question, Answer> {
  readonly #options: ThreadOptions;
  #worker: Worker | null = null;
  #waiting: Waiting<Answer> | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Settles when all earlier callers have finished. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Runs `work` when earlier callers have finished. */
  use<Result>(work: (ask: Ask<Question, Answer>) => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(() => {
      clearTimeout(this.#idle);
      return work((question, transfer) => this.#ask(question, transfer));
    });
    this.#queue = result.then(
      () => this.#rest(),
      () => this.#rest(),
    );
    return result;
  }

  /** Ends the thread. Work in it is rejected, and later work starts it again. */
  stop(): void {
    this.#end(new Error("The thread was stopped."));
  }

  async #ask(question: Question, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    const { deadline: usual, starting = usual } = this.#options;
    const time = this.#worker ? usual : starting;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    let deadline: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        deadline = setTimeout(() => this.#end(new ThreadLimitError("deadline")), time);
        worker.postMessage(question, transfer);
      });
    } finally {
      clearTimeout(deadline);
    }
  }

  #start(): Worker {
    const { file, memory } = this.#options;
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memory } });
    worker.on("message", (answer: Answer) => this.#waiting?.resolve(answer));
    const onEnd = (error: unknown) => this.#worker === worker && this.#end(error);
    worker.on("error", (error: NodeJS.ErrnoException) =>
      onEnd(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new ThreadLimitError("memory") : error),
    );
    worker.on("exit", () => onEnd(new Error("The thread ended.")));
    // The idle thread must not keep the process alive. During work the timeout's timer does. Listening undoes it.
    worker.unref();
    return worker;
  }

  #rest(): void {
    this.#idle = setTimeout(() => this.#end(), this.#options.idle ?? IDLE).unref();
  }

  #end(error?: unknown): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
