import { lazy } from "react";
import { loadWhenReachable } from "../api/connection";
import { MenuOnDemand } from "../components/MenuOnDemand";
import { UserTarget } from "./UserTarget";

const loadMenu = () => import("./UserMenu");
const UserMenu = lazy(() => loadWhenReachable(loadMenu));

/** Opens the user menu, which is loaded on demand. */
export const UserButton = () => (
  <MenuOnDemand load={loadMenu} button={(opener) => <UserTarget {...opener} />}>
    <UserMenu />
  </MenuOnDemand>
);
