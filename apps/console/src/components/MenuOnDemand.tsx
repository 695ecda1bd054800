import { type ComponentPropsWithRef, type ReactElement, Suspense, useState } from "react";
import { loadWhenReachable } from "../api/connection";
import { Opening } from "./Opening";

/** What opens a menu: pointing at it loads the script, a click also shows the menu. */
export type MenuOpener = Pick<
  ComponentPropsWithRef<"button">,
  "aria-haspopup" | "onClick" | "onPointerEnter"
>;

interface MenuOnDemandProps {
  /** Loads the menu's script; what `loadWhenReachable` gets. */
  readonly load: () => Promise<unknown>;
  /** Draws the button while the menu is not loaded. */
  readonly button: (opener: MenuOpener) => ReactElement;
  /** The lazy menu with its button. It opens when it is first drawn. */
  readonly children: ReactElement;
}

/** A menu whose script is loaded by the first click, which also opens it. */
export function MenuOnDemand({ load, button, children }: MenuOnDemandProps) {
  const [isWanted, setWanted] = useState(false);
  const closed = button({
    "aria-haspopup": "menu",
    onClick: () => setWanted(true),
    onPointerEnter: () => void loadWhenReachable(load),
  });
  if (!isWanted) return closed;
  const opening = (
    <Opening load={load} close={() => setWanted(false)}>
      {closed}
    </Opening>
  );
  return <Suspense fallback={opening}>{children}</Suspense>;
}
