import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { type Connection, connect, TRPCProvider } from "./api.js";
import { Meetings } from "./meetings.js";

/**
 * Asks for the key instead of having it built in: whoever can load a page can read everything in it. The key stays in
 * memory, and the service must list this page's origin in CORS_ORIGINS.
 */
export function App() {
  const [connection, setConnection] = useState<Connection | null>(null);
  return connection ? <Connected connection={connection} /> : <AskForKey onKey={setConnection} />;
}

function AskForKey({ onKey }: { onKey: (connection: Connection) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    onKey({ baseUrl: String(fields.get("baseUrl")), apiKey: String(fields.get("apiKey")) });
  };
  return (
    <form onSubmit={submit}>
      <label>
        Service <input name="baseUrl" type="url" required defaultValue="http://127.0.0.1:3000" />
      </label>
      <label>
        Personal key <input name="apiKey" type="password" required autoComplete="off" />
      </label>
      <button type="submit">Show my meetings</button>
    </form>
  );
}

function Connected({ connection }: { connection: Connection }) {
  const clients = useMemo(
    () => ({ query: new QueryClient(queries), trpc: connect(connection) }),
    [connection],
  );
  return (
    <QueryClientProvider client={clients.query}>
      <TRPCProvider trpcClient={clients.trpc} queryClient={clients.query}>
        <Meetings />
      </TRPCProvider>
    </QueryClientProvider>
  );
}

/** The link retries already, and knows better when. */
const queries = { defaultOptions: { queries: { retry: false, staleTime: 30_000 } } };
