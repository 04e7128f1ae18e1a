import type { Call } from '../exchange/call.ts';
import {
  type CodeExchange,
  type OidcClient,
  OidcError,
  type OidcReason,
  type ProviderLogin,
  type RefreshGrant,
} from '../port.ts';
import { assertAdmitted } from './admission.ts';
import { type Claims, claimAt, textOf, textsOf } from './claims.ts';
import { groupsOf, isOverage } from './groups.ts';
import type { Tokens } from './tokens.ts';
import { readUserinfo } from './userinfo.ts';

type Former = RefreshGrant['login'];

/**
 * The person of validated tokens.
 * @param further the earlier login of a refresh, which must be of the same person; receiver of the claims
 * @throws OidcError `claim_missing`, `claim_not_allowed`, `email_unverified`, `subject_mismatch`, `groups_unavailable`, errors of
 *   the userinfo endpoint
 */
export async function loginOf(
  call: Call,
  tokens: Tokens,
  { former, onClaims }: { former?: Former; onClaims?: CodeExchange['onClaims'] },
): Promise<ProviderLogin> {
  const { client } = call;
  const own: Claims = tokens.claims ?? {};
  const issuer = tokens.claims?.iss ?? former?.issuer ?? '';
  const sub = tokens.claims?.sub ?? former?.sub ?? '';
  if (former && (former.issuer !== issuer || former.sub !== sub)) throw new OidcError('subject_mismatch');
  onClaims?.(own);
  const { claims, userinfoFault } = await supplemented(call, tokens, own, sub);
  onClaims?.(claims);
  assertAdmitted(claims, tokens.claims ? client : knownConditions(client, claims));
  return {
    issuer,
    sub,
    subject: tokens.claims ? requiredText(own, client.subjectClaim) : (former?.subject ?? ''),
    loginName: textAt(claims, client.loginNameClaim) ?? former?.loginName ?? missing(client.loginNameClaim),
    claims,
    userinfoFault,
    groups: hasClaims(tokens) ? await groupsOf(call, tokens.provider, claims, tokens.accessToken) : undefined,
    ...sessionFacts(client, own),
    idToken: tokens.idToken ?? former?.idToken ?? '',
    refreshToken: tokens.refreshToken,
  };
}

/**
 * The conditions about which the claims say something. The ID token of the sign-in has met the others, and a refresh without one has
 * only what the userinfo endpoint knows.
 */
const knownConditions = (client: OidcClient, claims: Claims): OidcClient => ({
  ...client,
  requiredClaims: client.requiredClaims.filter(({ claim }) => claimAt(claims, claim) !== undefined),
  trustsEmail: client.trustsEmail || claims.email_verified === undefined,
});

/** A refresh may return no ID token. Without a userinfo endpoint, nothing is known about the groups then. */
const hasClaims = ({ claims, provider }: Tokens): boolean =>
  claims !== undefined || provider.metadata.userinfo_endpoint !== undefined;

/** Facts about the authentication, only from the signed ID token. */
function sessionFacts(client: OidcClient, claims: Claims) {
  const amr = textsOf(claims.amr) ?? [];
  const authTime = Number(textOf(claims.auth_time));
  const acr = textAt(claims, 'acr');
  // The authentication contexts of Entra ID, which sends no acr.
  const contexts = [acr, ...(textsOf(claims.acrs) ?? [])];
  return {
    sid: textAt(claims, 'sid'),
    amr,
    acr,
    authTime: Number.isFinite(authTime) ? authTime : undefined,
    secondFactor:
      contexts.some((context) => context !== undefined && client.acrValues.includes(context)) ||
      amr.some((method) => client.amrValues.includes(method)),
  };
}

type Supplemented = { claims: Claims; userinfoFault: OidcReason | undefined };

/**
 * Adds the claims of the userinfo endpoint if a wanted claim is missing. The claims of the ID token take precedence. If the endpoint
 * fails, the sign-in continues with the ID token, unless something that is required had to come from the endpoint.
 */
async function supplemented(call: Call, tokens: Tokens, own: Claims, sub: string): Promise<Supplemented> {
  const hasEndpoint = tokens.provider.metadata.userinfo_endpoint !== undefined;
  if (!hasEndpoint || hasAll(own, wanted(call.client, own))) return { claims: own, userinfoFault: undefined };
  try {
    const further = await readUserinfo(call, tokens.provider, tokens.accessToken, sub);
    return { claims: { ...further, ...own }, userinfoFault: undefined };
  } catch (error) {
    if (!(error instanceof OidcError) || !tokens.claims || !hasAll(own, required(call.client, own)))
      throw error;
    return { claims: own, userinfoFault: error.reason };
  }
}

const hasAll = (claims: Claims, names: readonly string[]): boolean =>
  names.every((name) => claimAt(claims, name) !== undefined);

/** The claims that a sign-in cannot do without. */
const required = (
  { loginNameClaim, groupsClaim, requiredClaims, trustsEmail }: OidcClient,
  claims: Claims,
): string[] => {
  const names = [loginNameClaim, ...requiredClaims.map(({ claim }) => claim)];
  const isOfGroups = groupsClaim !== undefined && !isOverage(claims, groupsClaim);
  return [
    ...names,
    ...(isOfGroups ? [groupsClaim] : []),
    ...(names.includes('email') && !trustsEmail ? ['email_verified'] : []),
  ];
};

const wanted = (client: OidcClient, claims: Claims): string[] => [
  ...required(client, claims),
  ...(client.scopes.includes('profile') ? ['name'] : []),
  ...(client.scopes.includes('email') ? ['email'] : []),
];

const textAt = (claims: Claims, name: string): string | undefined => textOf(claimAt(claims, name));

const requiredText = (claims: Claims, name: string): string => textAt(claims, name) ?? missing(name);

function missing(claim: string): never {
  throw new OidcError('claim_missing', { claim });
}
