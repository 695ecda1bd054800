import { lazy, Suspense, useState } from "react";
import { loadWhenReachable } from "../api/connection";
import { UserTarget } from "./UserTarget";

const loadMenu = () => loadWhenReachable(() => import("./UserMenu"));
const UserMenu = lazy(loadMenu);

/** Opens the user menu, which is loaded on demand. */
export function UserButton() {
  const [isWanted, setWanted] = useState(false);
  if (!isWanted)
    return (
      <UserTarget
        aria-haspopup="menu"
        onClick={() => setWanted(true)}
        onPointerEnter={() => void loadMenu()}
      />
    );
  return (
    <Suspense fallback={<UserTarget aria-haspopup="menu" />}>
      <UserMenu />
    </Suspense>
  );
}
