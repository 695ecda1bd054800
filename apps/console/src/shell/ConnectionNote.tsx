import { useReachable } from "../api/connection";
import { useRetrySeconds } from "../api/rate-limit";

/** Says why the page waits: the server can't be reached, or refused a read because of too many requests. */
export function ConnectionNote() {
  const reachable = useReachable();
  const seconds = useRetrySeconds();
  if (reachable && seconds === 0) return null;
  return (
    <div className="connection-note" role="status">
      {reachable ? (
        <>
          Too many requests.{" "}
          <span role="timer" aria-live="off">
            Retrying in {seconds} s.
          </span>
        </>
      ) : (
        "Offline. Reconnecting…"
      )}
    </div>
  );
}
