import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUsers } from "@tabler/icons-react";
import { lazy } from "react";
import { loadWhenReachable } from "../../api/connection";
import { Dialog } from "../../components/Dialog";

const Question = lazy(() => loadWhenReachable(() => import("./WhoIsThis")));
const Turn = lazy(() => loadWhenReachable(() => import("./EditTurn")));
const List = lazy(() => loadWhenReachable(() => import("./Versions")));
const Readers = lazy(() => loadWhenReachable(() => import("./Sharing")));

interface WhoIsThisProps {
  readonly meetingId: string;
  /** Label of the speaker; null closes the dialog. */
  readonly label: string | null;
  readonly show: (label: string | null) => void;
}

/** Asks who a speaker is. */
export const WhoIsThis = ({ meetingId, label, show }: WhoIsThisProps) => (
  <Dialog opened={label !== null} onClose={() => show(null)} title="Who is this?">
    {label !== null && <Question key={label} meetingId={meetingId} label={label} show={show} />}
  </Dialog>
);

interface EditTurnProps {
  readonly meetingId: string;
  /** The turn; null closes the dialog. */
  readonly turn: { readonly index: number; readonly speakerLabel: string; readonly text: string } | null;
  readonly close: () => void;
}

/** Corrects a turn. */
export const EditTurn = ({ meetingId, turn, close }: EditTurnProps) => (
  <Dialog opened={turn !== null} onClose={close} title="Correct this turn" size="lg">
    {turn && <Turn meetingId={meetingId} turn={turn} close={close} />}
  </Dialog>
);

interface VersionsProps {
  readonly meetingId: string;
  readonly opened: boolean;
  readonly close: () => void;
}

/** Shows the versions of a meeting. */
export const Versions = ({ meetingId, opened, close }: VersionsProps) => (
  <Dialog opened={opened} onClose={close} title="Versions" size="80rem">
    {opened && <List meetingId={meetingId} />}
  </Dialog>
);

/** A button that shows who can read a meeting, and shares it. */
export function Sharing({ meetingId }: { meetingId: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size="sm"
        leftSection={<IconUsers size={16} />}
        onClick={open}
        aria-haspopup="dialog"
        data-shortcut="s"
      >
        Share
      </Button>
      <Dialog opened={opened} onClose={close} title="Share this meeting" size="lg">
        <Readers meetingId={meetingId} />
      </Dialog>
    </>
  );
}
