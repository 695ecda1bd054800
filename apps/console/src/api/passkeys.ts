import { identityClient, settingsClient } from "./clients";
import { createRefusal } from "./transport";

/** Loads the library on first use to keep the first page small. */
const loadLibrary = () => import("@simplewebauthn/browser");

/** Returns true if the browser supports passkeys. */
export const hasPasskeys = (): boolean => "PublicKeyCredential" in window;

/** Creates a passkey on the user's device and registers its public key. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await settingsClient.account.createPasskeyOptions.mutate({});
  const { startRegistration } = await loadLibrary();
  const response = await startRegistration({ optionsJSON: optionsJSON as never }).catch(explain);
  await settingsClient.account.createPasskey.mutate({ name, response: response as never });
}

/** Signs in with a passkey chosen by the user. */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await identityClient.passkey.createChallenge.mutate({});
  const { startAuthentication } = await loadLibrary();
  const response = await startAuthentication({ optionsJSON }).catch(explain);
  await identityClient.passkey.signIn.mutate({ response: response as never });
}

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidStateError: "This device already has a passkey for your account.",
  NotAllowedError: "No passkey was chosen. Try again.",
};

/** Explains why the browser returned no passkey. @throws Error */
function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  throw createRefusal(SENTENCES[name] ?? "The browser did not offer a passkey.");
}
