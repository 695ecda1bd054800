import { type ComponentPropsWithRef, type ReactElement, Suspense, useState } from "react";

/** What opens a menu: pointing at it loads the script, a click also shows the menu. */
export type MenuOpener = Pick<
  ComponentPropsWithRef<"button">,
  "aria-haspopup" | "onClick" | "onPointerEnter"
>;

interface MenuOnDemandProps {
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
    onPointerEnter: () => void load(),
  });
  return isWanted ? <Suspense fallback={closed}>{children}</Suspense> : closed;
}
