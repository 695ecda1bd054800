import { createTransport } from "nodemailer";

/** A message in plain text. */
export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** Sends a message. Throws when the mail server did not accept it. */
export type Mailer = (mail: Mail) => Promise<void>;

/** Milliseconds for each step of the SMTP session. */
const STEP_TIMEOUT = 10_000;

/** Creates a mailer that sends over SMTP: `smtp://user:password@host:587`, or `smtps://` for TLS from the start. */
export function createSmtpMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url: options.url,
    connectionTimeout: STEP_TIMEOUT,
    greetingTimeout: STEP_TIMEOUT,
    socketTimeout: STEP_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from: options.from, to: [...to], subject, text });
  };
}
