import { AppError, type ErrorCode } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { OidcError, type OidcReason } from '../../remotes/oidc/port.ts';

type Refusal = readonly [code: ErrorCode, detail: Detail];

const refusals: Readonly<Record<OidcReason, Refusal>> = {
  not_configured: ['upstream_failed', 'The domain has no secret or key for the identity provider'],
  unreachable: ['upstream_unavailable', 'The identity provider is unreachable'],
  address_not_allowed: ['upstream_unavailable', 'The address of the identity provider is not allowed'],
  discovery: ['upstream_failed', 'The configuration of the identity provider is not usable'],
  invalid_response: ['upstream_failed', 'The identity provider returned an invalid response'],
  issuer_mismatch: ['upstream_failed', 'The answer comes from another identity provider'],
  state_mismatch: ['login_expired', 'The sign-in was not started in this browser, or has expired'],
  nonce_mismatch: ['login_expired', 'The sign-in was not started in this browser, or has expired'],
  token_invalid: ['upstream_failed', 'The identity provider sent a token that is not valid'],
  refused: ['upstream_refused', 'The identity provider refused the sign-in'],
  tenant_not_allowed: ['forbidden', 'The organization of the account is not allowed to sign in'],
  claim_not_allowed: [
    'forbidden',
    'The account at the identity provider is not one of those that may sign in',
  ],
  email_unverified: ['forbidden', 'The identity provider has not verified the e-mail address of the account'],
  claim_missing: ['upstream_failed', 'The identity provider did not send a required claim'],
  subject_mismatch: ['upstream_failed', 'The identity provider sent data of another person'],
  groups_unavailable: ['upstream_failed', 'The groups of the user could not be read'],
};

/**
 * The refusal of the portal for a failure at the provider. Its text contains nothing that the provider has sent except
 * an error code from a closed alphabet.
 */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof OidcError)) return error;
  const [code, detail] = refusals[error.reason];
  const members = {
    reason: error.reason,
    ...(error.claim !== undefined && { claim: error.claim }),
    ...(error.providerCode !== undefined && { provider_code: error.providerCode }),
  };
  return new AppError(code, detail, members, { cause: error });
}

/** Runs a call of a provider. @throws AppError for a failure */
export async function atProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  }
}

export const causeOf = (error: unknown): OidcError | undefined =>
  error instanceof Error && error.cause instanceof OidcError ? error.cause : undefined;

/** What helps an administrator to mend the settings: what was asked, expected and found. Bounded, without secrets. */
export function factsOf(error: unknown): Record<string, string> {
  const { endpoint, claim, expected, found, transport, providerCode } = causeOf(error) ?? {};
  const facts = { endpoint, claim, expected, found, transport, provider_code: providerCode };
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== undefined),
  );
}
