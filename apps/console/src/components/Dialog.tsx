import type { ModalProps } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { loadWhenReachable } from "../api/connection";
import { useLayer } from "../api/layers";
import { useSignInQuestion } from "../api/sign-in-again";
import { Opening } from "./Opening";
import { Loading } from "./states";

const load = () => import("./LoadedDialog");
const LoadedDialog = lazy(() => loadWhenReachable(load));

/** A dialog, which the browser's Back closes. Its script is loaded when it first opens, as are children that are lazy. */
export function Dialog({ children, ...props }: ModalProps) {
  // The question is above the dialog whose call waits for it.
  const isBelow = useSignInQuestion();
  useLayer(props.opened, props.onClose);
  const [isWanted, setWanted] = useState(props.opened);
  if (props.opened && !isWanted) setWanted(true);
  if (!isWanted) return null;
  return (
    <Suspense fallback={props.opened && <Opening load={load} close={props.onClose} />}>
      <LoadedDialog closeOnEscape={!isBelow} {...props}>
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </LoadedDialog>
    </Suspense>
  );
}
