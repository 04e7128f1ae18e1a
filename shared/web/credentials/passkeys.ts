import type { Operations } from '../../client/portal-client.ts';
import { PortalError } from '../../client/refusals.ts';

type RequestOptions = Operations['passkey.startSignIn']['answer'];
type CreationOptions = Operations['passkey.startRegistration']['answer'];
export type Assertion = Operations['passkey.signIn']['asks']['body']['assertion'];
export type Registration = Operations['passkey.register']['asks']['body']['registration'];

/** True if the browser has WebAuthn. */
export const hasPasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function';

/** True if the browser offers passkeys among the suggestions of a field. */
export const suggestsPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

let library: Promise<typeof import('@simplewebauthn/browser')> | undefined;

/**
 * Loads the library when a passkey is used, so that pages without one do not wait for it.
 * @throws PortalError if the portal does not answer
 */
const load = () => {
  library ??= import('@simplewebauthn/browser').catch((cause) => {
    library = undefined;
    const facts = { code: 'connection_failed', status: 0, retryable: true, cause };
    throw new PortalError('The library for passkeys could not be loaded', facts);
  });
  return library;
};

/**
 * Asks the user for a passkey.
 * @param suggests the browser offers it among the suggestions of the field for the user name
 * @throws PortalError if the user cancels, or has no passkey for the portal
 */
export async function usePasskey(options: RequestOptions, suggests = false): Promise<Assertion> {
  const { startAuthentication } = await load();
  const given = { optionsJSON: options as never, useBrowserAutofill: suggests };
  return (await startAuthentication(given).catch(notUsed)) as Assertion;
}

/**
 * Asks the authenticator of the user for a new passkey.
 * @throws PortalError if the user cancels, or the authenticator has a passkey of the account
 */
export async function createPasskey(options: CreationOptions): Promise<Registration> {
  const { startRegistration } = await load();
  return (await startRegistration({ optionsJSON: options as never }).catch(notUsed)) as Registration;
}

/** Ends the suggestions of the browser, if there are any. */
export const endSuggestions = async (): Promise<void> => {
  const loaded = await library?.catch(() => undefined);
  loaded?.WebAuthnAbortService.cancelCeremony();
};

function notUsed(cause: unknown): never {
  const isKnown = cause instanceof Error && cause.name === 'InvalidStateError';
  const code = isKnown ? 'passkey_exists' : 'passkey_not_used';
  throw new PortalError('The passkey was not used', { code, status: 0, retryable: true, cause });
}
