import { type ReactNode, useEffect } from "react";
import { useWaiting } from "../api/connection";
import { NotReached } from "../api/transport";
import { notifyFailure } from "./use-action";

interface OpeningProps {
  /** Loads the control's script; what `loadWhenReachable` gets. */
  readonly load: () => Promise<unknown>;
  readonly close: () => void;
  readonly children?: ReactNode;
}

/**
 * Stands for a control, such as a menu or an editor, while its script loads. Without a connection it says so and closes the
 * control, which then doesn't open by itself later.
 */
export function Opening({ load, close, children }: OpeningProps) {
  const isWaiting = useWaiting(load);
  useEffect(() => {
    if (!isWaiting) return;
    notifyFailure("Not available offline", new NotReached());
    close();
  }, [isWaiting, close]);
  return children;
}
