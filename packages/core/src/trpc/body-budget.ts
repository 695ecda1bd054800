import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../errors.js";

/**
 * Limits the bytes of request bodies that a process holds at once. Parsed JSON can take twenty times the memory of its
 * text, so a few of the longest bodies together would end the process. One holder gets at most half of the budget and
 * so never keeps others out.
 */
export class BodyBudget {
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(private readonly bytes: number) {}

  /**
   * Takes `bytes` for a holder until the returned function is called.
   * @throws ApiError 503 when they are not free.
   */
  take(holder: string, bytes: number): () => void {
    const own = this.#takenBy.get(holder) ?? 0;
    if (own + bytes > this.bytes / 2 || this.#taken + bytes > this.bytes) {
      throw new ApiError("SERVICE_UNAVAILABLE", MESSAGES.unavailable);
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
