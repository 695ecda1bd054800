import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A message as received by the mail server. */
export interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and text. */
  readonly text: string;
}

/** A local mail server. */
export interface Inbox {
  /** For `SMTP_URL`. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Addresses whose mailbox is full. */
  readonly full: Set<string>;
  close(): Promise<void>;
}

/** Starts a mail server on a free port. */
export async function openInbox(): Promise<Inbox> {
  const mails: ReceivedMail[] = [];
  const full = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (to.some((address) => full.has(address)))
          return done(Object.assign(new Error("full"), { responseCode: 452 }));
        // Long lines contain soft breaks.
        const text = Buffer.concat(chunks).toString("utf8").replaceAll("=\r\n", "").replaceAll("=3D", "=");
        mails.push({ to, text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    full,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
