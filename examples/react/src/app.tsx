import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { connect, TRPCProvider } from "./api.js";
import { Meetings } from "./meetings.js";

/**
 * Asks for the key instead of having it built in: whoever can load a page can read everything in it. The key stays in
 * memory, and the service must list this page's origin in CORS_ORIGINS.
 */
export function App() {
  const [clients, setClients] = useState<Clients | null>(null);
  return clients ? <Connected clients={clients} /> : <AskForKey onConnect={setClients} />;
}

const createClients = (...connection: Parameters<typeof connect>) => ({
  query: new QueryClient(queries),
  trpc: connect(...connection),
});
type Clients = ReturnType<typeof createClients>;

function AskForKey({ onConnect }: { onConnect: (clients: Clients) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    try {
      // Throws for an address that can't be right, such as one that ends with /v1.
      onConnect(
        createClients({ baseUrl: String(fields.get("baseUrl")), apiKey: String(fields.get("apiKey")) }),
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
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
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}

function Connected({ clients }: { clients: Clients }) {
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
