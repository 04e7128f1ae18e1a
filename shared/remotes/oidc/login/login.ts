import type { Call } from '../exchange/call.ts';
import { type OidcClient, OidcError, type ProviderLogin, type RefreshGrant } from '../port.ts';
import { claimAt, groupsOf, isOverage } from './groups.ts';
import type { Tokens } from './tokens.ts';
import { readUserinfo } from './userinfo.ts';

type Claims = Readonly<Record<string, unknown>>;
type Former = RefreshGrant['login'];

/**
 * The person of validated tokens.
 * @param former the earlier login of a refresh, which must be of the same person
 * @throws OidcError `claim_missing`, `subject_mismatch`, `groups_unavailable`, errors of the userinfo endpoint
 */
export async function loginOf(call: Call, tokens: Tokens, former?: Former): Promise<ProviderLogin> {
  const { client } = call;
  const own: Claims = tokens.claims ?? {};
  const issuer = tokens.claims?.iss ?? former?.issuer ?? '';
  const sub = tokens.claims?.sub ?? former?.sub ?? '';
  if (former && (former.issuer !== issuer || former.sub !== sub)) throw new OidcError('subject_mismatch');
  const claims = await supplemented(call, tokens, own, sub);
  return {
    issuer,
    sub,
    subject: tokens.claims ? requiredText(own, client.subjectClaim) : (former?.subject ?? ''),
    loginName: textAt(claims, client.loginNameClaim) ?? former?.loginName ?? missing(client.loginNameClaim),
    claims,
    groups: hasClaims(tokens) ? await groupsOf(call, tokens.provider, claims, tokens.accessToken) : undefined,
    ...sessionFacts(client, own),
    idToken: tokens.idToken ?? former?.idToken ?? '',
    refreshToken: tokens.refreshToken,
  };
}

/** A refresh may return no ID token. Without a userinfo endpoint, nothing is known about the groups then. */
const hasClaims = ({ claims, provider }: Tokens): boolean =>
  claims !== undefined || provider.metadata.userinfo_endpoint !== undefined;

/** Facts about the authentication, only from the signed ID token. */
function sessionFacts(client: OidcClient, claims: Claims) {
  const amr = Array.isArray(claims.amr) ? claims.amr.filter((one) => typeof one === 'string') : [];
  const acr = textAt(claims, 'acr');
  return {
    sid: textAt(claims, 'sid'),
    amr,
    acr,
    authTime: typeof claims.auth_time === 'number' ? claims.auth_time : undefined,
    secondFactor:
      (acr !== undefined && client.acrValues.includes(acr)) ||
      amr.some((method) => client.amrValues.includes(method)),
  };
}

/** Adds the claims of the userinfo endpoint if a wanted claim is missing. The claims of the ID token take precedence. */
async function supplemented(call: Call, tokens: Tokens, own: Claims, sub: string): Promise<Claims> {
  const hasEndpoint = tokens.provider.metadata.userinfo_endpoint !== undefined;
  if (!hasEndpoint || hasWanted(call.client, own)) return own;
  return { ...(await readUserinfo(call, tokens.provider, tokens.accessToken, sub)), ...own };
}

function hasWanted({ loginNameClaim, groupsClaim, scopes }: OidcClient, claims: Claims): boolean {
  const hasGroups =
    groupsClaim === undefined || isOverage(claims, groupsClaim) || claimAt(claims, groupsClaim) !== undefined;
  const profile = [
    ...(scopes.includes('profile') ? ['name'] : []),
    ...(scopes.includes('email') ? ['email'] : []),
  ];
  return hasGroups && [loginNameClaim, ...profile].every((name) => claimAt(claims, name) !== undefined);
}

function textAt(claims: Claims, name: string): string | undefined {
  const value = claimAt(claims, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const requiredText = (claims: Claims, name: string): string => textAt(claims, name) ?? missing(name);

function missing(claim: string): never {
  throw new OidcError('claim_missing', { claim });
}
