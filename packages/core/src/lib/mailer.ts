import type { Transporter } from "nodemailer";

/** A plain-text message. */
export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Further headers by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a message. Throws if the mail server did not accept it. */
export type Mailer = (mail: Mail) => Promise<void>;

/** Timeout of each step of the SMTP session, in ms. */
const STEP_TIMEOUT = 10_000;

/** Creates a mailer for SMTP: `smtp://user:password@host:587`, or `smtps://` for TLS from the start. */
export function createSmtpMailer(options: { url: string; from: string }): Mailer {
  let transport: Transporter | undefined;
  return async ({ to, subject, text, headers = {} }) => {
    transport ??= await connect(options.url);
    await transport.sendMail({ from: options.from, to: [...to], subject, text, headers: { ...headers } });
  };
}

/** Connects to a mail server and signs in, without sending anything. @throws if it can't be used */
export async function verifySmtp(url: string): Promise<void> {
  const transport = await connect(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** Creates a transport. Loads the library lazily, because most processes never need it. */
async function connect(url: string): Promise<Transporter> {
  // In the bundle, CommonJS modules only have a default export.
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
