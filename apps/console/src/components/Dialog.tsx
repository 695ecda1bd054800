import type { ModalProps } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { loadWhenReachable } from "../api/connection";
import { useSignInQuestion } from "../api/sign-in-again";
import { Loading } from "./states";

const LoadedDialog = lazy(() => loadWhenReachable(() => import("./LoadedDialog")));

/** A dialog. Its script is loaded when it first opens, as are children that are lazy. */
export function Dialog({ children, ...props }: ModalProps) {
  // The question is above the dialog whose call waits for it.
  const isBelow = useSignInQuestion();
  const [isWanted, setWanted] = useState(props.opened);
  if (props.opened && !isWanted) setWanted(true);
  if (!isWanted) return null;
  return (
    <Suspense>
      <LoadedDialog closeOnEscape={!isBelow} {...props}>
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </LoadedDialog>
    </Suspense>
  );
}
