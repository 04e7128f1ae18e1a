import { type OidcClient, OidcError } from '../port.ts';
import { type Claims, claimAt, isTrue, type RequiredClaim, textOf, textsOf } from './claims.ts';

type Conditions = Pick<OidcClient, 'requiredClaims' | 'trustsEmail' | 'loginNameClaim'>;

/** True if the e-mail address of a person can be relied on: it identifies someone, or decides who may sign in. */
export const isEmailVerified = (claims: Claims, { trustsEmail }: Pick<OidcClient, 'trustsEmail'>): boolean =>
  trustsEmail || isTrue(claims.email_verified);

/**
 * Whether the settings let the person of these claims in.
 * @throws OidcError `claim_not_allowed` with the name of the claim, `email_unverified`
 */
export function assertAdmitted(claims: Claims, client: Conditions): void {
  for (const required of client.requiredClaims)
    if (!isMet(claims, required, client)) throw notAllowed(claims, required);
  if (client.loginNameClaim === 'email' && !isEmailVerified(claims, client))
    throw new OidcError('email_unverified', {
      claim: 'email_verified',
      expected: 'true',
      found: shown(claims.email_verified),
    });
}

const notAllowed = (claims: Claims, { claim, values }: RequiredClaim): OidcError =>
  new OidcError('claim_not_allowed', {
    claim,
    expected: values.join(', '),
    found: shown(claimAt(claims, claim)),
  });

const shown = (value: unknown): string | undefined =>
  typeof value === 'string' || value === undefined ? value : JSON.stringify(value);

function isMet(claims: Claims, { claim, values }: RequiredClaim, client: Conditions): boolean {
  if (claim === 'email') return isEmailVerified(claims, client) && hasAddress(textOf(claims.email), values);
  const own = textsOf(claimAt(claims, claim)) ?? [];
  return values.some((value) => own.includes(value));
}

/** A value that begins with `@` stands for all addresses of a domain. Addresses are compared without regard to case. */
function hasAddress(email: string | undefined, values: readonly string[]): boolean {
  const address = email?.toLowerCase() ?? '';
  const domain = address.slice(address.lastIndexOf('@'));
  return values.some((value) => [address, domain].includes(value.toLowerCase()) && domain.startsWith('@'));
}
