/** Loads the protocol's SDK for the first assistant: it takes 0.2 s, which no command or start should wait for. */
async function load() {
  const [{ Server }, { StreamableHTTPServerTransport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  return { Server, StreamableHTTPServerTransport, ...types };
}

/** The part of the SDK used to answer an assistant. */
export type Sdk = Awaited<ReturnType<typeof load>>;

let loaded: Promise<Sdk> | undefined;

/** Loads the SDK once. */
export const loadSdk = (): Promise<Sdk> => {
  loaded ??= load();
  return loaded;
};
