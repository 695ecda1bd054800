import { identityClient, settingsClient } from "./clients";

/** Loads the library at its first use, so that the first page stays small. */
const loadLibrary = () => import("@simplewebauthn/browser");

/** Returns true where the browser has passkeys. */
export const hasPasskeys = (): boolean => "PublicKeyCredential" in window;

/** Makes a passkey on the person's device and stores its public half. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await settingsClient.account.createPasskeyOptions.mutate({});
  const { startRegistration } = await loadLibrary();
  const response = await startRegistration({ optionsJSON }).catch(explain);
  await settingsClient.account.addPasskey.mutate({ name, response: response as never });
}

/** Signs in with a passkey that the person chooses. */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await identityClient.passkey.createChallenge.mutate({});
  const { startAuthentication } = await loadLibrary();
  const response = await startAuthentication({ optionsJSON }).catch(explain);
  await identityClient.passkey.signIn.mutate({ response: response as never });
}

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidStateError: "This device has a passkey for your account already.",
  NotAllowedError: "No passkey was chosen. Try again.",
};

/** Says why the browser gave no passkey. @throws Error */
function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  throw Object.assign(new Error(SENTENCES[name] ?? "The browser did not offer a passkey."), {
    // An answer of this device, not a failed connection.
    data: { httpStatus: 400 },
  });
}
