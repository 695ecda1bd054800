import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An endpoint that speaks OpenAI's protocol. Texts about money are close to each other, whatever their words. */
export class Endpoint {
  readonly requests: { authorization?: string | undefined; input: string[]; model: string }[] = [];
  answer: (response: ServerResponse, input: string[]) => void = (response, input) =>
    this.vectors(response, input);
  dimensions = 3;
  #server!: Server;

  async start(): Promise<string> {
    this.#server = createServer(async (request: IncomingMessage, response) => {
      const body = await text(request).catch(() => null);
      if (body === null) return; // its sender ended it early
      const { input, model } = JSON.parse(body) as { input: string[]; model: string };
      this.requests.push({ authorization: request.headers.authorization, input, model });
      this.answer(response, input);
    });
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  vectors(response: ServerResponse, input: string[]) {
    const of = (text: string) => {
      const money = /budget|invoice|afford|money|thousand/.test(text) ? 1 : 0;
      // A vector no other text has.
      if (text.includes("canaries")) return [0.7312, 0.1957, 0.4413];
      return [money, 1 - money, 0.1, ...new Array(this.dimensions).fill(0)].slice(0, this.dimensions);
    };
    // Reversed: the index identifies each text.
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: of(text) })).reverse();
    response.setHeader("content-type", "application/json").end(JSON.stringify({ object: "list", data }));
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
