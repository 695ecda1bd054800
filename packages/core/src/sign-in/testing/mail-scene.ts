import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  openInbox,
  openSignedInBrowser,
  PASSWORD,
  type ReceivedMail,
  readPayload,
  type TestBrowser,
  testBrowser,
} from "@minutes/testing";
import { createSmtpMailer } from "../../lib/mailer.js";

interface Invited {
  readonly id: string;
  readonly link: string | null;
  readonly mailed: boolean;
}

/** A server that sends e-mail, and a company whose admin is signed in. */
export interface MailScene {
  readonly server: TestServer;
  readonly company: Company;
  readonly admin: TestBrowser;
  /** The e-mails received by the mail server. */
  readonly mails: ReceivedMail[];
  /** Creates an invitation. The token comes from the answer or, if it has no link, from the e-mail. */
  invite(input?: object): Promise<Invited & { token: string }>;
  /** Creates an account with an address that is not confirmed, as without a mail server. @returns its browser */
  joinUnconfirmed(email: string): Promise<TestBrowser>;
  close(): Promise<void>;
}

export async function openMailScene(): Promise<MailScene> {
  const inbox = await openInbox();
  const { mails } = inbox;
  const server = await startTestServer({
    mailer: createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" }),
    publicUrl: "http://localhost:3000",
  });
  const company = await server.given.company();
  const admin = await openSignedInBrowser(server, company.admin);
  return {
    ...{ server, company, admin, mails },
    invite: async (input = {}) => {
      const invitation = readPayload<Invited>(
        await admin.write("settings/v1/invitations.create", { role: "member", ...input }),
      );
      return { ...invitation, token: invitation.link?.split("#")[1] ?? readToken(mails) };
    },
    joinUnconfirmed: async (email) => {
      const silent = await startTestServer({ database: server.database });
      const inviter = Object.assign(testBrowser(silent), { cookie: admin.cookie });
      const { link } = readPayload<{ link: string }>(
        await inviter.write("settings/v1/invitations.create", { role: "member" }),
      );
      const account = { token: link.split("#")[1], email, name: "New", password: PASSWORD };
      const browser = testBrowser(silent);
      readPayload(await accept(browser, account));
      await silent.close();
      return Object.assign(testBrowser(server), { cookie: browser.cookie });
    },
    close: async () => {
      await server.close();
      await inbox.close();
    },
  };
}

/** Reads the token of the last invitation that was mailed. */
export const readToken = (mails: readonly ReceivedMail[]): string =>
  /\/invitation#(\S+)/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";

export const accept = (browser: TestBrowser, input: object) =>
  browser.write("identity/v1/invitations.accept", input);

export const accountOf = async (browser: TestBrowser) =>
  readPayload<{ email: string; role: string; workspaceId: string }>(
    await browser.read("settings/v1/account.get"),
  );
