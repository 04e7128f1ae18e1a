import { Buffer } from 'node:buffer';
import type { PasskeyReference } from '../../../db/repositories/identity/passkeys/passkeys.ts';
import { AppError } from '../../kernel/errors.ts';
import { passkeyHost } from '../second-factor/passkey-support.ts';
import { challengeLifeS } from './challenges.ts';
import type { CreationOptions, RequestOptions } from './shapes.ts';

/** COSE algorithms of keys, the preferred one first: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257] as const;

const timeout = challengeLifeS * 1000;

type Descriptor = Pick<PasskeyReference, 'credential_id' | 'transports'>;

/**
 * Options for `navigator.credentials.get()`.
 * @param passkeys those of the user; empty before the user is known: the authenticator offers its own ones
 */
export const requestOptions = (
  baseUrl: string,
  challenge: string,
  passkeys: readonly Descriptor[] = [],
): RequestOptions => ({
  challenge,
  timeout,
  rpId: relyingParty(baseUrl),
  allowCredentials: passkeys.map(descriptorOf),
  userVerification: 'required',
});

/** The account that a new passkey is for, as the authenticator shows it. */
export type PasskeyAccount = { userHandle: string; name: string; displayName: string; site: string };

/**
 * Options for `navigator.credentials.create()`: a discoverable credential that verifies the user.
 * @param passkeys those of the user, whose authenticators must not create another one
 */
export const creationOptions = (
  baseUrl: string,
  challenge: string,
  { userHandle, name, displayName, site }: PasskeyAccount,
  passkeys: readonly Descriptor[] = [],
): CreationOptions => ({
  rp: { id: relyingParty(baseUrl), name: site },
  user: { id: userHandle, name, displayName },
  challenge,
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout,
  excludeCredentials: passkeys.map(descriptorOf),
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  attestation: 'none',
});

const descriptorOf = ({ credential_id: id, transports }: Descriptor) => ({
  id,
  type: 'public-key' as const,
  transports,
});

/** @throws AppError `invalid_state` if `BASE_URL` has an IP address */
export function relyingParty(baseUrl: string): string {
  const host = passkeyHost(baseUrl);
  if (host === undefined) throw noPasskeys();
  return host;
}

/** The bytes of a base64url text in the type of the library. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'base64url'));

/** The account cannot have passkeys: its domain is not internal, or the portal has no host name. */
export const noPasskeys = (): AppError => new AppError('invalid_state', undefined, { reason: 'no_passkeys' });
