import type { Transporter } from "nodemailer";

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
  let transport: Transporter | undefined;
  return async ({ to, subject, text }) => {
    transport ??= await connect(options.url);
    await transport.sendMail({ from: options.from, to: [...to], subject, text });
  };
}

/** Loads the library, which most processes never need, and creates a transport. */
async function connect(url: string): Promise<Transporter> {
  // The bundle gives modules in CommonJS as their default export alone.
  const { default: nodemailer } = await import("nodemailer");
  return nodemailer.createTransport({
    url,
    connectionTimeout: STEP_TIMEOUT,
    greetingTimeout: STEP_TIMEOUT,
    socketTimeout: STEP_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
