/** Loads the protocol's SDK at the first assistant: it takes 0.2 s, which no command and no start should wait for. */
async function load() {
  const [{ Server }, { StreamableHTTPServerTransport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const { CallToolRequestSchema, ListToolsRequestSchema } = types;
  return { Server, StreamableHTTPServerTransport, CallToolRequestSchema, ListToolsRequestSchema };
}

/** What of the SDK answers an assistant. */
export type Sdk = Awaited<ReturnType<typeof load>>;

let loaded: Promise<Sdk> | undefined;

/** Loads the SDK once. */
export const loadSdk = (): Promise<Sdk> => {
  loaded ??= load();
  return loaded;
};
