import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUsers } from "@tabler/icons-react";
import { lazy } from "react";
import { loadWhenReachable } from "../../api/connection";
import { Dialog } from "../../components/Dialog";
import type { Detail } from "./editing";
import type { Asked } from "./WhoIsThis";

const Question = lazy(() => loadWhenReachable(() => import("./WhoIsThis")));
const Turn = lazy(() => loadWhenReachable(() => import("./EditTurn")));
const List = lazy(() => loadWhenReachable(() => import("./Versions")));
const Rewrite = lazy(() => loadWhenReachable(() => import("./RewriteSummary")));
const Readers = lazy(() => loadWhenReachable(() => import("./Sharing")));

interface WhoIsThisProps {
  readonly meetingId: string;
  /** Null closes the dialog. */
  readonly asked: Asked | null;
  readonly ask: (asked: Asked | null) => void;
}

/** Asks who a speaker is. */
export const WhoIsThis = ({ meetingId, asked, ask }: WhoIsThisProps) => (
  <Dialog opened={asked !== null} onClose={() => ask(null)} title="Who is this?">
    {asked && <Question key={asked.label} meetingId={meetingId} asked={asked} ask={ask} />}
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

interface RewriteSummaryProps {
  readonly meeting: Detail;
  readonly opened: boolean;
  readonly close: () => void;
}

/** Asks for another summary of a meeting. */
export const RewriteSummary = ({ meeting, opened, close }: RewriteSummaryProps) => (
  <Dialog opened={opened} onClose={close} title="Rewrite the summary">
    {opened && <Rewrite meeting={meeting} close={close} />}
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
