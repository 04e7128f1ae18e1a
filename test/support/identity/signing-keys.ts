import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createSigningKeys, type SigningKeys } from '../../../shared/access/signing-keys.ts';
import { newId } from '../../../shared/kernel/ids.ts';

/** A new private key as PEM. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

/** A new value of `SECRET_KEY`. */
export const newSecretKey = (): string => randomBytes(32).toString('base64');

/** The keys of a new installation as environment variables. */
export const newKeyVariables = () => ({
  SECRET_KEY: newSecretKey(),
  AGGREGATOR_JWT_SSL_KEY: newSigningKey(),
});

/** Keys of an installation; the first one signs. */
export const signingKeysOf = (...pems: string[]): Promise<SigningKeys> =>
  createSigningKeys(pems.length > 0 ? pems : [newSigningKey()], 'https://localhost');

/** A JWT of any purpose by the first key of an installation, valid for a minute; `sub` is `iss` unless given. */
export function signJwt(
  { signText }: SigningKeys,
  typ: string,
  { iss, ...claims }: { iss: string; [claim: string]: unknown },
  now = new Date(),
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  return signText(typ, JSON.stringify({ iss, sub: iss, iat, exp: iat + 60, jti: newId(), ...claims }));
}
