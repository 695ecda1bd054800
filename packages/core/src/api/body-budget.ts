import { BusyError } from "../lib/errors.js";

/**
 * Limits the total bytes of concurrent request bodies. Parsed JSON can take twenty times the memory of its text, so a
 * few maximum-size bodies could exhaust the process. One holder can use at most half of the budget and so can't block
 * the others.
 */
export class BodyBudget {
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(private readonly bytes: number) {}

  /**
   * Reserves `bytes` for a holder until the returned function is called.
   * @throws ApiError 503 if they are not available
   */
  take(holder: string, bytes: number): () => void {
    const own = this.#takenBy.get(holder) ?? 0;
    if (own + bytes > this.bytes / 2 || this.#taken + bytes > this.bytes) {
      throw new BusyError("too many bodies");
    }
    this.#add(holder, bytes);
    return () => this.#add(holder, -bytes);
  }

  #add(holder: string, bytes: number): void {
    const own = (this.#takenBy.get(holder) ?? 0) + bytes;
    if (own === 0) this.#takenBy.delete(holder);
    else this.#takenBy.set(holder, own);
    this.#taken += bytes;
  }
}
