/** Matches the person IDs of answers to the names that the model gives them. */
export class PeopleOfModel {
  readonly #ids = new Map<string, string>();
  readonly #people = new Map<string, string>();

  /**
   * Returns an answer with people instead of IDs. An ID stays if it is another person's, or if the expected person has
   * another one.
   */
  translate(answer: unknown, expected: unknown): unknown {
    if (Array.isArray(answer)) {
      const items: unknown[] = Array.isArray(expected) ? expected : [];
      return answer.map((item, at) => this.translate(item, items[at]));
    }
    if (typeof answer === "object" && answer !== null) {
      const fields = new Map(Object.entries(expected ?? {}));
      return Object.fromEntries(
        Object.entries(answer).map(([key, value]) => [key, this.translate(value, fields.get(key))]),
      );
    }
    const isPerson = typeof answer === "string" && /^per_[0-9A-Za-z]{22}$/.test(answer);
    return isPerson && typeof expected === "string" ? this.#toPerson(answer, expected) : answer;
  }

  #toPerson(id: string, person: string): string {
    const known = this.#people.get(id) ?? person;
    const first = this.#ids.get(person) ?? id;
    if (known !== person) return `${id}, who is ${known}`;
    if (first !== id) return `${id}, who had ${first}`;
    this.#people.set(id, person);
    this.#ids.set(person, id);
    return person;
  }
}
