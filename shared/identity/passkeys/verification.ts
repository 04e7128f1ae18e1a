import { Buffer } from 'node:buffer';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import type { Passkey } from '../../../db/repositories/identity/passkeys/passkeys.ts';
import { algorithms, bytesOf, relyingParty } from './options.ts';
import type { Assertion, Registration } from './shapes.ts';

/** Members of the client data that the portal evaluates itself. */
type ClientData = { challenge: string; crossOrigin: boolean };

/** The challenge of a response; undefined if its client data are not valid. */
export function clientDataOf({ response }: Assertion | Registration): ClientData | undefined {
  try {
    const data = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'));
    const { challenge, crossOrigin = false } = data;
    return typeof challenge === 'string' && typeof crossOrigin === 'boolean'
      ? { challenge, crossOrigin }
      : undefined;
  } catch {
    return undefined;
  }
}

export type VerifiedAssertion = { counter: number; backedUp: boolean };

/**
 * Verifies the signature of an assertion with its origin, relying party, challenge, type and flags. The counter is not
 * compared here: a lower one counts only in a genuine response.
 * @returns undefined if the response is not valid
 */
export async function verifyAssertion(
  baseUrl: string,
  { credential_id: id, public_key }: Passkey,
  response: Assertion,
  challenge: string,
): Promise<VerifiedAssertion | undefined> {
  const expected = expectedOf(baseUrl, challenge);
  const credential = { id, publicKey: bytesOf(public_key), counter: 0 };
  const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
    ...expected,
    response: plain(response) as never,
    credential,
    requireUserVerification: true,
  }).catch(refused);
  return verified && info ? { counter: info.newCounter, backedUp: info.credentialBackedUp } : undefined;
}

/** The members of a new passkey that its authenticator determines. */
export type NewCredential = Pick<
  Passkey,
  'credential_id' | 'public_key' | 'counter' | 'transports' | 'synced' | 'backed_up'
>;

/** @returns undefined if the response is not valid */
export async function verifyRegistration(
  baseUrl: string,
  response: Registration,
  challenge: string,
): Promise<NewCredential | undefined> {
  if (!isWithoutCertificates(response)) return undefined;
  const { verified, registrationInfo: info } = await verifyRegistrationResponse({
    ...expectedOf(baseUrl, challenge),
    response: plain(response) as never,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...algorithms],
  }).catch(refused);
  if (!verified || !info || info.credential.id !== response.id) return undefined;
  return {
    credential_id: info.credential.id,
    public_key: Buffer.from(info.credential.publicKey).toString('base64url'),
    counter: info.credential.counter,
    transports: [...new Set(response.response.transports ?? [])],
    synced: info.credentialDeviceType === 'multiDevice',
    backed_up: info.credentialBackedUp,
  };
}

/**
 * True for the statements that browsers send if no attestation is requested: none, or one signed with the new key itself.
 * With certificates, the library would fetch addresses that the response contains.
 */
function isWithoutCertificates({ response }: Registration): boolean {
  try {
    const statement = decodeAttestationObject(bytesOf(response.attestationObject));
    const format = statement.get('fmt');
    return format === 'none' || (format === 'packed' && !statement.get('attStmt').get('x5c'));
  } catch {
    return false;
  }
}

const expectedOf = (baseUrl: string, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: new URL(baseUrl).origin,
  expectedRPID: relyingParty(baseUrl),
});

/** The library throws for each response that is not valid. */
const refused = () => ({
  verified: false as const,
  authenticationInfo: undefined,
  registrationInfo: undefined,
});

/** Without the members that a client sent as null. */
const plain = ({ response, ...credential }: Assertion | Registration) => ({
  ...credential,
  clientExtensionResults: {},
  response: Object.fromEntries(Object.entries(response).filter(([, value]) => value !== null)),
});
