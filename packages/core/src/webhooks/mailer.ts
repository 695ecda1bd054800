import { createTransport } from "nodemailer";

/** A message in plain text. */
export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Sends a message; throws when it could not be handed over. */
export type Mailer = (mail: Mail) => Promise<void>;

/** Milliseconds for each step of the conversation with the mail server. */
const PATIENCE = 10_000;

/** Sends over SMTP: `smtp://user:password@host:587`, or `smtps://` for TLS from the start. */
export function smtpMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url: options.url,
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from: options.from, to: [...to], subject, text });
  };
}
